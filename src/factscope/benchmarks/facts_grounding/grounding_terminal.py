"""The table of FACTS Grounding on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from factscope.benchmarks.comparisons import tie_notes
from factscope.benchmarks.facts_grounding.changed_template import ChangedTemplate
from factscope.benchmarks.facts_grounding.grounding_run import GroundingJudges, GroundingOutcome, SentenceCounts
from factscope.benchmarks.facts_grounding.panel_study import adaptive, without_judges
from factscope.benchmarks.facts_grounding.scores import Cell, GroundingSummary, Preferences, ScoreTable
from factscope.benchmarks.figure_columns import FigureColumn, folded, print_columns
from factscope.core.model_family import same_family
from factscope.core.records import Interval
from factscope.report.console import print_notes

if TYPE_CHECKING:
    from rich.console import Console

_OWN, _KIN = "*", "°"
_NONE = "–"
_RESAMPLES = 2_000


def print_summary(
    summary: GroundingSummary,
    outcome: GroundingOutcome,
    judges: GroundingJudges,
    console: Console,
    changed: Sequence[ChangedTemplate] = (),
) -> None:
    """Print the final table, or without phase B the unadjusted one, then its notes.

    `changed` are the same table with another template of a judge.
    """
    table = summary.final or summary.unadjusted
    _print_table(summary, table, judges, console)
    print_notes((*_notes(summary, table, outcome, judges), *_templates(changed)), console)


def _print_table(summary: GroundingSummary, score_table: ScoreTable, judges: GroundingJudges, console: Console) -> None:
    """Print totals first, then the columns of judges: on a narrow terminal in several tables."""
    model_of = dict(zip(summary.judges, judges.models, strict=True))
    order = sorted(range(len(score_table.rows)), key=lambda m: (score_table.standings[m].rank, m))
    rows = [score_table.rows[m] for m in order]
    ranks = [score_table.standings[m].rank for m in order]
    lead = (
        FigureColumn("rank", [f"{'=' if ranks.count(rank) > 1 else ''}{rank}" for rank in ranks]),
        FigureColumn("model", [row.model for row in rows], name=True),
    )
    totals = [
        FigureColumn("average", [f"{_percent(row.average.score)}\n{_range(row.average.bootstrap)}" for row in rows])
    ]
    if summary.final:
        before = [_percent(summary.unadjusted.rows[m].average.score) for m in order]
        totals.append(FigureColumn("before\nphase B", before))
        totals.append(FigureColumn("ineligible", [str(summary.effects[m].n_ineligible) for m in order]))
    cells = [
        FigureColumn(
            f"{folded(_short(cell.judge))}\n{cell.split}",
            [_cell(row.cells[place], row.model, model_of[cell.judge]) for row in rows],
        )
        for place, cell in enumerate(score_table.rows[0].cells)
    ]
    print_columns(lead, [*totals, *cells], console)


def _cell(cell: Cell, model: str, judge: str) -> str:
    mark = _OWN if model == judge else _KIN if same_family(model, judge) else ""
    gaps = f"\n{cell.n_missing:,} missing" if cell.n_missing else ""
    return f"{_percent(cell.score)}{mark}\n{_range(cell.wilson)}".rstrip() + gaps


def _notes(
    summary: GroundingSummary, score_table: ScoreTable, outcome: GroundingOutcome, judges: GroundingJudges
) -> Iterator[str]:
    n = len(outcome.verdicts.split)
    subject = "accurate and eligible" if summary.final else "accurate"
    yield (
        f"{n:,} examples; percent of responses that are {subject}, and below it the 95 % interval: by bootstrap"
        " over examples for averages, Wilson's for cells. Rank: pairwise majority of the columns."
    )
    if any(same_family(row.model, judge) or row.model == judge for row in score_table.rows for judge in judges.models):
        yield f"{_OWN} the judge judges its own answers; {_KIN} those of its family."
    missing = sum(cell.n_missing for row in score_table.rows for cell in row.cells)
    if missing:
        yield f"{missing:,} verdicts are missing: their calls failed or could not be read. None counts as inaccurate."
    if outcome.n_missing_answers:
        yield f"{outcome.n_missing_answers:,} answers are missing; nobody judged them."
    if outcome.n_empty:
        yield f"{outcome.n_empty:,} answers are empty, hence ineligible; no judge was asked."
    unknown = sum(effect.n_unknown for effect in summary.effects)
    if unknown:
        yield f"Of {unknown:,} responses it is not known whether they are eligible: fewer than two judges said it."
    yield from _ties(score_table)
    yield from _preference("its own answers", score_table.same_model)
    yield from _preference("its family", score_table.same_family)
    for split in summary.agreement:
        alpha = split.grounding.alpha
        if alpha is not None:
            yield f"Judges agree on {split.split} with alpha {alpha:.2f}."
    for refusals in summary.refusals:
        if refusals.n:
            yield f"{refusals.model} only refuses {refusals.n:,} times; {refusals.n_disqualified:,} are ineligible."
    yield from _panel(outcome)
    yield from _sentences(outcome.sentences)
    yield from _pieces(outcome.sentences)


def _panel(outcome: GroundingOutcome) -> Iterator[str]:
    """State what the table owes to single judges, and what a third one asked only at need would save."""
    for one in without_judges(outcome.verdicts):
        what = f"{one.moved} of {len(one.ranks)} models have another rank" if one.moved else "all ranks stay"
        yield f"Without {_short(one.judge)} {what}."
    for found in adaptive(outcome.verdicts, resamples=_RESAMPLES):
        if found.saved is not None and found.bias is not None:
            inside = f", {_signed(found.interval.low)} to {_signed(found.interval.high)}" if found.interval else ""
            yield (
                f"{_short(found.third)} asked only where {_short(found.first)} and {_short(found.second)} differ saves"
                f" {100 * found.saved:.0f} % of the calls, and moves scores by {_signed(found.bias)} points{inside}."
            )


def _templates(changed: Sequence[ChangedTemplate]) -> Iterator[str]:
    for one in changed:
        what = f"{one.moved} of {len(one.ranks)} models have another rank" if one.moved else "all ranks stay"
        same = "" if one.same is None else f"; of {one.n:,} responses it says the same of {100 * one.same:.0f} %"
        yield f"With {_short(one.judge)} asked by {one.instead} instead of {one.template} {what}{same}."


def _sentences(counts: SentenceCounts) -> Iterator[str]:
    if counts.quote_not_found or counts.quote_missing or counts.unaligned:
        yield (
            f"Of {counts.n:,} sentences that judges labelled, {counts.quote_not_found:,} have an excerpt that is not in"
            f" the document, {counts.quote_missing:,} lack one, and {counts.unaligned:,} are not in the response."
        )
    if counts.sparse:
        yield f"{counts.sparse:,} times a judge passed a response and listed less than half of it."


def _pieces(counts: SentenceCounts) -> Iterator[str]:
    if counts.in_pieces:
        yield (
            f"{counts.in_pieces:,} judgements are of documents longer than the judge's window, in pieces: not those of"
            " the published benchmark, whose judges read the whole."
        )


def _ties(score_table: ScoreTable) -> Iterator[str]:
    """Neighbours in the ranking that chance may have put in this order."""
    order = sorted(range(len(score_table.rows)), key=lambda m: score_table.standings[m].rank)
    yield from tie_notes((score_table.rows[m].model for m in order), score_table.differences, "examples")


def _preference(subject: str, preferences: Preferences) -> Iterator[str]:
    if preferences.value is None or not preferences.judges:
        return
    inside = (
        f", {_signed(preferences.interval.low)} to {_signed(preferences.interval.high)}" if preferences.interval else ""
    )
    judges_text = "judge" if len(preferences.judges) == 1 else f"{len(preferences.judges)} judges"
    raw = f"before differencing {_signed(preferences.raw or 0)}"
    yield f"Preference of {judges_text} for {subject}: {_signed(preferences.value)} points{inside} ({raw})."


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _range(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}" if interval else ""


def _short(name: str) -> str:
    return name.partition("/")[2] or name
