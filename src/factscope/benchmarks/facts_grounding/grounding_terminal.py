"""The table of FACTS Grounding on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from factscope.benchmarks.facts_grounding.grounding_run import GroundingJudges, GroundingOutcome, SentenceCounts
from factscope.benchmarks.facts_grounding.scores import Cell, GroundingSummary, Preferences, ScoreTable
from factscope.core.model_family import same_family
from factscope.core.records import Interval
from factscope.report.console import print_notes
from factscope.report.wording import inert

if TYPE_CHECKING:
    from rich.console import Console

_OWN, _KIN = "*", "°"
_NONE = "–"


def print_summary(
    summary: GroundingSummary, outcome: GroundingOutcome, seats: GroundingJudges, console: Console
) -> None:
    """Print the final table, or without phase B the unadjusted one, then what a reader must know of it."""
    shown = summary.final or summary.unadjusted
    _grid(summary, shown, seats, console)
    print_notes(_notes(summary, shown, outcome, seats), console)


def _grid(summary: GroundingSummary, shown: ScoreTable, seats: GroundingJudges, console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=SIMPLE_HEAD, pad_edge=False)
    grid.add_column("rank", justify="right")
    grid.add_column("model", overflow="fold")
    grid.add_column("average", justify="right")
    for cell in shown.rows[0].cells:
        grid.add_column(f"{inert(_short(cell.judge))}\n{inert(cell.split)}", justify="right", overflow="fold")
    if summary.final:
        grid.add_column("before\nphase B", justify="right")
        grid.add_column("ineligible", justify="right")
    model_of = dict(zip(summary.judges, seats.models, strict=True))
    order = sorted(range(len(shown.rows)), key=lambda m: (shown.standings[m].rank, m))
    for m in order:
        row, before = shown.rows[m], summary.unadjusted.rows[m]
        more = [_percent(before.average.score), str(summary.effects[m].n_ineligible)] if summary.final else []
        cells = [_cell(cell, row.model, model_of[cell.judge]) for cell in row.cells]
        average = f"{_percent(row.average.score)}\n{_range(row.average.bootstrap)}"
        tied = sum(one.rank == shown.standings[m].rank for one in shown.standings) > 1
        rank = f"{'=' if tied else ''}{shown.standings[m].rank}"
        grid.add_row(*(Text(inert(word)) for word in (rank, row.model, average, *cells, *more)))
    console.print(grid)


def _cell(cell: Cell, model: str, judge: str) -> str:
    mark = _OWN if model == judge else _KIN if same_family(model, judge) else ""
    gaps = f"\n{cell.n_missing:,} missing" if cell.n_missing else ""
    return f"{_percent(cell.score)}{mark}\n{_range(cell.wilson)}".rstrip() + gaps


def _notes(
    summary: GroundingSummary, shown: ScoreTable, outcome: GroundingOutcome, seats: GroundingJudges
) -> Iterator[str]:
    n = len(outcome.verdicts.split)
    what = "accurate and eligible" if summary.final else "accurate"
    yield (
        f"{n:,} examples; percent of responses that are {what}, and below it the 95 % interval: by bootstrap"
        " over examples for averages, Wilson's for cells. Rank: pairwise majority of the columns."
    )
    if any(same_family(row.model, judge) or row.model == judge for row in shown.rows for judge in seats.models):
        yield f"{_OWN} the judge judges its own answers; {_KIN} those of its family."
    missing = sum(cell.n_missing for row in shown.rows for cell in row.cells)
    if missing:
        yield f"{missing:,} verdicts are missing: their calls failed or could not be read. None counts as inaccurate."
    if outcome.n_missing_answers:
        yield f"{outcome.n_missing_answers:,} answers are missing; nobody judged them."
    if outcome.n_empty:
        yield f"{outcome.n_empty:,} answers are empty, hence ineligible; no judge was asked."
    unknown = sum(effect.n_unknown for effect in summary.effects)
    if unknown:
        yield f"Of {unknown:,} responses it is not known whether they are eligible: fewer than two judges said it."
    yield from _alike(shown)
    yield from _preference("its own answers", shown.same_model)
    yield from _preference("its family", shown.same_family)
    for split in summary.agreement:
        alpha = split.grounding.alpha
        if alpha is not None:
            yield f"Judges agree on {split.split} with alpha {alpha:.2f}."
    for refusals in summary.refusals:
        if refusals.n:
            yield f"{refusals.model} only refuses {refusals.n:,} times; {refusals.n_disqualified:,} are ineligible."
    yield from _sentences(outcome.sentences)
    yield from _pieces(outcome.sentences)


def _sentences(found: SentenceCounts) -> Iterator[str]:
    if found.quote_not_found or found.quote_missing or found.unaligned:
        yield (
            f"Of {found.n:,} sentences that judges labelled, {found.quote_not_found:,} have an excerpt that is not in"
            f" the document, {found.quote_missing:,} lack one, and {found.unaligned:,} are not in the response."
        )
    if found.sparse:
        yield f"{found.sparse:,} times a judge passed a response and listed less than half of it."


def _pieces(found: SentenceCounts) -> Iterator[str]:
    if found.in_pieces:
        yield (
            f"{found.in_pieces:,} judgements are of documents longer than the judge's window, in pieces: not those of"
            " the published benchmark, whose judges read the whole."
        )


def _alike(shown: ScoreTable) -> Iterator[str]:
    """Neighbours in the ranking that chance may have put in this order."""
    order = sorted(range(len(shown.rows)), key=lambda m: shown.standings[m].rank)
    found = {frozenset((one.first, one.second)): one for one in shown.differences}
    for first, second in pairwise(shown.rows[m].model for m in order):
        one = found[frozenset((first, second))]
        if one.finding == "no_difference" and one.p is not None:
            yield f"{first} and {second} are not told apart beyond chance (p = {one.p:.2f})."
        elif one.finding == "too_few":
            yield f"There are too few examples to tell {first} and {second} apart."


def _preference(whom: str, found: Preferences) -> Iterator[str]:
    if found.value is None or not found.judges:
        return
    inside = f", {_signed(found.interval.low)} to {_signed(found.interval.high)}" if found.interval else ""
    who = "judge" if len(found.judges) == 1 else f"{len(found.judges)} judges"
    raw = f"before differencing {_signed(found.raw or 0)}"
    yield f"Preference of {who} for {whom}: {_signed(found.value)} points{inside} ({raw})."


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _range(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}" if interval else ""


def _short(name: str) -> str:
    return name.partition("/")[2] or name
