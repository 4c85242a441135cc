"""`factscope bench factbench-disjoint`: prompts selected with one evaluator, models reported with another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.factbench.disjoint import Disjoint, DisjointRow, DisjointTier, Harder, disjoint
from factscope.benchmarks.factbench.factbench_result import read_results
from factscope.cli.bench_options import SampledOptions, put_values
from factscope.cli.call_options import with_groups
from factscope.cli.output import refuse_to_overwrite_inputs
from factscope.core.plurals import many
from factscope.report.document import Block, Title, notes, table_of
from factscope.scoring.means import Mean

EXAMPLE = "Example: factscope bench factbench-disjoint by-verify.json by-safe.json --keep 0.5"
_NONE = "–"


@with_groups
def command(
    selecting: Annotated[
        Path, typer.Argument(metavar="SELECTING", help="Result of bench factbench whose evaluator selects prompts.")
    ],
    reporting: Annotated[
        Path, typer.Argument(metavar="REPORTING", help="Result of another evaluator on the same prompts.")
    ],
    keep: Annotated[
        float, typer.Option(min=0.01, max=1, metavar="SHARE", help="Share of each tier's prompts to select.")
    ] = 0.5,
    *,
    result: SampledOptions,
) -> None:
    """Select the hardest prompts by one evaluator, rank the models on them by another, and print what changes."""
    refuse_to_overwrite_inputs(result.output, [selecting, reporting])
    comparison = disjoint(read_results([selecting]), read_results([reporting]), keep, **result.sampling)
    title = "Prompts selected by one evaluator, models reported by another"
    put_values(title, lambda: comparison.model_dump(mode="json"), lambda: _document(comparison), result)


def _document(comparison: Disjoint) -> Iterator[Block]:
    for tier in comparison.tiers:
        yield Title(f"{tier.name}: {tier.selected:,} of {many(tier.n, 'prompt')} selected")
        yield table_of(("model", "reporting", "selecting", "rank\nchange"), map(_cells, tier.rows))
        yield from notes(_notes(tier))
    yield from notes(_common(comparison))


def _cells(row: DisjointRow) -> tuple[str, ...]:
    places = _place(row.reporting_rank, row.reporting), _place(row.selecting_rank, row.selecting)
    return row.model, *places, _NONE if row.change is None else f"{row.change:+d}" if row.change else "0"


def _place(rank: int, precision: Mean) -> str:
    if precision.value is None:
        return _NONE
    value = f"{100 * precision.value:.1f}"
    inside = precision.interval
    between = f"\n{100 * inside.low:.1f}–{100 * inside.high:.1f}" if inside else ""
    return f"{rank}: {value}{between}"


def _notes(tier: DisjointTier) -> Iterator[str]:
    changes = [row.change for row in tier.rows if row.change is not None]
    moved = sum(change != 0 for change in changes)
    tau = _NONE if tier.tau is None else f"{tier.tau:.2f}"
    yield (
        f"{moved} of {many(len(changes), 'model changes its', 'models change their')} rank; Kendall's tau"
        f" of the two orders is {tau}."
    )
    yield (
        f"Hallucination score of selected prompts, of all: selecting {_scores(tier.by_selecting)}, reporting"
        f" {_scores(tier.by_reporting)}. What the second does not see of the difference is what the first gets wrong."
    )


def _scores(harder: Harder) -> str:
    return ", ".join(_NONE if one is None else f"{one:.2f}" for one in (harder.selected, harder.all))


def _common(comparison: Disjoint) -> Iterator[str]:
    yield f"Selected by {comparison.selecting}; reported by {comparison.reporting}."
    yield "Each column: rank, factual precision in percent, and below it the 95 % interval."
    yield f"Hallucination scores of both have the alpha of the result that selects, {comparison.alpha:g}."
    if comparison.kin:
        names = ", ".join(comparison.kin)
        yield f"Not wholly disjoint: {names} reports, and is a model or of a family that also selects."
