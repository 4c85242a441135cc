"""The table of FACTS Grounding and its notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.benchmarks import FigureLine, tie_notes
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, SentenceCounts
from factscope.benchmarks.facts_grounding.panel_study import ChangedTable, ChangedTemplate, adaptive, without_judges
from factscope.benchmarks.facts_grounding.run_scores import GroundingSummary, ScoreTable
from factscope.benchmarks.facts_grounding.score_table import Cell, why_no_average
from factscope.benchmarks.facts_grounding.self_preference import Preferences
from factscope.core import Interval, many, related, same_family
from factscope.report.document import NONE, Block, Table, ends_cell, notes, percent_cell, points_cell, table_of

_OWN, _KIN = "*", "°"
_RESAMPLES = 2_000  # enough for two digits of a share
_HEAD = 12
"""Characters after which a long column heading continues on the next line."""


def document(
    summary: GroundingSummary, outcome: GroundingOutcome, changed: Sequence[ChangedTemplate] = ()
) -> Iterator[Block]:
    """Yield the final table, or without phase B the unadjusted one, then its notes.

    `changed` are the same table with another template of a judge.
    """
    table = summary.final or summary.unadjusted
    yield _table(summary, table, outcome.panel.models)
    yield from notes((*_notes(summary, table, outcome), *_templates(changed)))


def _table(summary: GroundingSummary, score_table: ScoreTable, judges: Sequence[str]) -> Table:
    """Return totals first, then the columns of judges."""
    model_of = dict(zip(summary.judges, judges, strict=True))
    ranks = [standing.rank for standing in score_table.standings]
    heads = ["rank", "model", "average", *(["before\nphase B", "ineligible"] if summary.final else [])]
    heads += [f"{_folded(_short(cell.judge))}\n{cell.split}" for cell in score_table.rows[0].cells]
    rows = []
    for m in sorted(range(len(score_table.rows)), key=lambda m: ranks[m] or len(ranks) + 1):
        row = score_table.rows[m]
        rank = NONE if ranks[m] is None else f"{'=' if ranks.count(ranks[m]) > 1 else ''}{ranks[m]}"
        totals = [f"{percent_cell(row.average.score)}\n{ends_cell(row.average.bootstrap)}"]
        if summary.final:
            totals += [percent_cell(summary.unadjusted.rows[m].average.score), str(summary.effects[m].n_ineligible)]
        rows.append((rank, row.model, *totals, *(_cell(cell, row.model, model_of[cell.judge]) for cell in row.cells)))
    return table_of(heads, rows, names=2)


def figure_lines(summary: GroundingSummary) -> Iterator[FigureLine]:
    """Yield the rank, the averages and every cell of each model, with its interval and the examples that it counts."""
    table = summary.final or summary.unadjusted
    for row, before, standing in zip(table.rows, summary.unadjusted.rows, table.standings, strict=True):
        yield FigureLine("", row.model, "rank", standing.rank)
        yield FigureLine("", row.model, "average", row.average.score, row.average.bootstrap, row.average.n)
        if summary.final:
            average = before.average
            yield FigureLine("", row.model, "before_phase_b", average.score, average.bootstrap, average.n)
        for cell in row.cells:
            yield FigureLine(cell.split, row.model, f"by {cell.judge}", cell.score, cell.wilson, cell.n)
            yield FigureLine(
                cell.split, row.model, f"missing by {cell.judge}", cell.n_missing, n=cell.n + cell.n_missing
            )
    for effect in summary.effects if summary.final else ():
        yield FigureLine("", effect.model, "ineligible", effect.n_ineligible)
        yield FigureLine("", effect.model, "unknown_eligibility", effect.n_unknown)


def _folded(name: str) -> str:
    """Split a long name into several lines, after its hyphens."""
    lines = [""]
    for piece in name.replace("-", "-\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(piece) > _HEAD:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _cell(cell: Cell, model: str, judge: str) -> str:
    mark = _OWN if model == judge else _KIN if same_family(model, judge) else ""
    gaps = f"\n{cell.n_missing:,} missing" if cell.n_missing else ""
    return f"{percent_cell(cell.score)}{mark}\n{ends_cell(cell.wilson)}".rstrip() + gaps


def _notes(summary: GroundingSummary, score_table: ScoreTable, outcome: GroundingOutcome) -> Iterator[str]:
    n = len(outcome.verdicts.split)
    subject = "accurate and eligible" if summary.final else "accurate"
    yield (
        f"{many(n, 'example')}; percent of responses that are {subject}, and below it the 95 % interval: by bootstrap"
        " over examples for averages, Wilson's for cells. Rank: pairwise majority of the columns."
    )
    if any(related(row.model, judge) for row in score_table.rows for judge in outcome.panel.models):
        yield f"{_OWN} the judge judges its own answers; {_KIN} those of its family."
    # a missing answer is told once, below, and not again as a call of each judge
    not_judged = outcome.n_missing_answers * len(outcome.panel.models)
    missing = sum(cell.n_missing for row in score_table.rows for cell in row.cells) - not_judged
    if missing > 0:
        yield (
            f"{many(missing, 'verdict is', 'verdicts are')} missing: their calls failed or could not be"
            " read. None counts as inaccurate."
        )
    if outcome.n_missing_answers:
        yield f"{many(outcome.n_missing_answers, 'answer is', 'answers are')} missing; nobody judged them."
    if outcome.n_empty:
        yield f"{many(outcome.n_empty, 'answer is', 'answers are')} empty, hence ineligible; no judge was asked."
    unknown = sum(effect.n_unknown for effect in summary.effects) - outcome.n_missing_answers
    if unknown > 0:
        yield (
            f"Of {many(unknown, 'response')} it is not known whether they are eligible: fewer than two judges said it."
            " Their verdicts count before phase B alone."
        )
    for row in score_table.rows:
        if reason := why_no_average(row, outcome.verdicts.least_coverage):
            yield f"{row.model} has no average, and so no rank: {reason}."
    ranks = {row.model: rank.rank for row, rank in zip(score_table.rows, score_table.standings, strict=True)}
    order = sorted((model for model, rank in ranks.items() if rank is not None), key=lambda model: ranks[model] or 0)
    yield from tie_notes(order, score_table.differences, "examples")
    yield from _preference("its own answers", score_table.same_model)
    yield from _preference("its family", score_table.same_family)
    for split in summary.agreement:
        if split.grounding.alpha is not None:
            yield f"Judges agree on {split.split} with alpha {split.grounding.alpha:.2f}."
    for refusals in summary.refusals:
        if refusals.n:
            yield (
                f"{refusals.model} only refuses {many(refusals.n, 'time')};"
                f" {many(refusals.n_disqualified, 'is', 'are')} ineligible."
            )
    yield from _panel(outcome)
    yield from _sentences(outcome.sentences)


def _panel(outcome: GroundingOutcome) -> Iterator[str]:
    """State the influence of single judges on the table, and the calls saved by asking a third only on disagreement."""
    for study in without_judges(outcome.verdicts):
        if study.moved or any(study.ranks):  # else no model has a rank, with this judge or without it
            yield f"Without {_short(study.judge)} {_moved(study)}."
    for pair in adaptive(outcome.verdicts, resamples=_RESAMPLES):
        if pair.saved is not None and pair.bias is not None:
            yield (
                f"{_short(pair.third)} asked only where {_short(pair.first)} and {_short(pair.second)} differ saves"
                f" {100 * pair.saved:.0f} % of the calls, and moves scores by {points_cell(pair.bias)}"
                f" points{_ends(pair.interval)}."
            )


def _templates(changed: Sequence[ChangedTemplate]) -> Iterator[str]:
    for each in changed:
        same = (
            "" if each.same is None else f"; of {many(each.n, 'response')} it says the same of {100 * each.same:.0f} %"
        )
        yield f"With {_short(each.judge)} asked by {each.instead} instead of {each.template} {_moved(each)}{same}."


def _moved(study: ChangedTable) -> str:
    if not study.moved:
        return "all ranks stay"
    return f"{study.moved} of {many(len(study.ranks), 'model has', 'models have')} another rank"


def _ends(interval: Interval | None) -> str:
    return f", {points_cell(interval.low)} to {points_cell(interval.high)}" if interval else ""


def _sentences(counts: SentenceCounts) -> Iterator[str]:
    if counts.quote_not_found or counts.quote_missing or counts.unaligned:
        yield (
            f"Of {many(counts.n, 'sentence')} that judges labelled, {counts.quote_not_found:,} have an"
            f" excerpt that is not in the document, {counts.quote_missing:,} lack one, and {counts.unaligned:,} are not"
            " in the response."
        )
    if counts.sparse:
        yield f"{many(counts.sparse, 'time')} a judge passed a response and listed less than half of it."
    if counts.in_pieces:
        yield (
            f"{many(counts.in_pieces, 'judgement is', 'judgements are')} of documents longer than the"
            " judge's window, in pieces: not those of the published benchmark, whose judges read the whole."
        )


def _preference(subject: str, preferences: Preferences) -> Iterator[str]:
    if preferences.value is None or not preferences.judges:
        return
    judges_text = "judge" if len(preferences.judges) == 1 else f"{len(preferences.judges)} judges"
    raw = f"before differencing {points_cell(preferences.raw or 0)}"
    value = f"{points_cell(preferences.value)} points{_ends(preferences.interval)}"
    yield f"Preference of {judges_text} for {subject}: {value} ({raw})."


def _short(name: str) -> str:
    return name.partition("/")[2] or name
