"""`factscope bench facts-probes`: cases that mislead judges of FACTS Grounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import typer

from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.planted_facts import PlantedRanks, planted, ranks
from factscope.benchmarks.facts_grounding.probes import Probe, ProbeAccuracy, probes, run_probes
from factscope.cli.bench_command import JudgeOptions
from factscope.cli.bench_options import ResultOptions, put_values
from factscope.cli.call_options import CallOptions, with_groups
from factscope.cli.calling import WAITING, load, log_usage, run_stored, tell_pending
from factscope.cli.output import log
from factscope.cli.progress import RunProgressDisplay
from factscope.engine import Tools
from factscope.engine.open_tools import open_tools
from factscope.engine.run import Runner, RunProgress
from factscope.engine.settings import Settings
from factscope.report.document import Block, notes, table_of

EXAMPLE = "Example: factscope bench facts-probes --judge openai/gpt-4.1 --judge implicit=openai/gpt-4.1"


@dataclass(frozen=True)
class ProbeOptions(CallOptions, ResultOptions):
    """Where the result goes, and how judges are called."""


@with_groups
def facts_probes(*, judges: JudgeOptions, options: ProbeOptions) -> None:
    """Judges on cases with known answers: documents against the world, evasive answers, orders in documents.

    With --window, also facts planted in documents three times as long, judged in pieces.
    """
    panel = judges.panel("without_context")
    sets, widest = [(probes(), panel)], max(panel.windows)
    if widest:
        sets.append((planted(widest), judges.panel(None)))
    settings = load(options.settings(model=panel.roles))
    tools = open_tools((), settings=settings)
    accuracies, runs = _run(sets, tools, settings, quiet=options.quiet)
    for many in runs:
        if many.stopped:
            log(f"factscope: {many.stopped}", "red")
    if tell_pending(settings, tools):
        raise typer.Exit(WAITING)
    ranked = {kind: ranks(widest, kind) for kind in ("planted", "reworded")} if widest else {}
    put_values(
        "Judges on cases with known answers",
        lambda: _values(accuracies, ranked),
        lambda: _document(accuracies, ranked),
        options,
    )
    raise typer.Exit(1 if any(many.incomplete for many in runs) else 0)


def _run(
    sets: Sequence[tuple[Sequence[Probe], GroundingPanel]], tools: Tools, settings: Settings, *, quiet: bool
) -> tuple[list[ProbeAccuracy], list[RunProgress]]:
    """Have each set of cases judged by its panel."""

    async def run_all_probes(runner: Runner) -> list[tuple[tuple[ProbeAccuracy, ...], RunProgress]]:
        return [await run_probes(cases, panel, runner) for cases, panel in sets]

    with RunProgressDisplay(sum(len(cases) for cases, _ in sets), settings.batch, quiet=quiet) as progress:
        done = run_stored(tools, settings, progress, run_all_probes)
    log_usage(f"Run {' and '.join(many.run for _, many in done)}", progress.usage(), settings, quiet=quiet)
    return [entry for group, _ in done for entry in group], [many for _, many in done]


def _values(accuracies: Sequence[ProbeAccuracy], ranked: dict[str, PlantedRanks]) -> dict[str, Any]:
    measured = [
        {**asdict(result), "interval": result.interval and result.interval.model_dump()} for result in accuracies
    ]
    pieces = {"pieces": {kind: entry._asdict() for kind, entry in ranked.items()}} if ranked else {}
    return {"benchmark": "facts-probes", "measured": measured, **pieces}


def _document(accuracies: Sequence[ProbeAccuracy], ranked: dict[str, PlantedRanks]) -> tuple[Block, ...]:
    rows = []
    for result in accuracies:
        missing = f"\n{result.n_missing} missing" if result.n_missing else ""
        inside = f"{100 * result.interval.low:.0f}–{100 * result.interval.high:.0f} %" if result.interval else ""
        rows.append((result.judge, result.kind, result.phase, f"{result.right} of {result.n}{missing}", inside))
    heads = ("judge", "probes", "phase", "right", "95 % interval")
    return table_of(heads, rows, names=3), *notes(_notes(accuracies, ranked))


def _notes(accuracies: Sequence[ProbeAccuracy], ranked: dict[str, PlantedRanks]) -> Iterator[str]:
    for result in accuracies:
        if result.wrong:
            more = f" and {len(result.wrong) - _MAX_NAMES:,} more" if len(result.wrong) > _MAX_NAMES else ""
            yield f"{result.judge}, {result.kind}: wrong on {', '.join(result.wrong[:_MAX_NAMES])}{more}."
    for kind, rank in ranked.items():
        yield (
            f"Of {rank.n} {kind} sentences, the piece of the document that holds the fact is ranked first for"
            f" {rank.first}, and among the first eight for {rank.among_eight}."
        )


_MAX_NAMES = 4
"""Wrongly judged probes that are named."""
