"""`factscope bench facts-probes`: what judges of FACTS Grounding fall for."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from factscope.cli.bench import BenchFormat, Judges, Quiet, ResultFormat, Templates, roles_of, seats_of
from factscope.cli.calling import WAITING, finish, load, tell_pending, told
from factscope.cli.options import Batch, InFlight, MaxCalls, MaxCost, MaxTokens, Output, Record, Replay, StorePath
from factscope.cli.output import put_console, put_text, say
from factscope.cli.progress import RunProgress

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.bench.probes import Measured

EXAMPLE = "Example: factscope bench facts-probes --judge openai/gpt-4.1 --judge implicit=openai/gpt-4.1"


def facts_probes(
    judge: Judges = None,
    prompts: Templates = None,
    format: ResultFormat = None,  # noqa: A002 - the option's name
    output: Output = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    in_flight: InFlight = None,
    batch: Batch = None,
    record: Record = None,
    replay: Replay = None,
    store: StorePath = None,
    quiet: Quiet = False,
) -> None:
    """Judges on cases with known answers: documents against the world, evasive answers, orders in documents."""
    from factscope.bench import judge_names
    from factscope.bench.probes import probes, run_probes
    from factscope.config import open_tools
    from factscope.methods.facts_grounding import with_judges
    from factscope.store import Store

    seats = seats_of(judge or [])
    method = with_judges(seats.templates, prompts=prompts)
    flags: dict[str, Any] = {"model": roles_of(seats), "store": store, "max_cost": max_cost, "max_calls": max_calls}
    flags |= {"max_tokens": max_tokens, "in_flight": in_flight, "batch": batch, "record": record, "replay": replay}
    settings = load(flags)
    tools = open_tools((), settings=settings)
    progress = RunProgress(len(probes()), quiet=quiet)
    with Store(settings.store) as kept, progress:
        found, many = finish(tools, lambda: run_probes(seats, judge_names(seats), method, tools, kept, progress.report))
    if not quiet:
        say(", ".join(filter(None, [f"Run {many.run}", told(progress.usage(), settings)])))
    if many.stopped:
        say(f"factscope: {many.stopped}", "red")
    if tell_pending(settings, tools):
        raise typer.Exit(WAITING)
    if format is BenchFormat.JSON or (format is None and output and output.suffix.lower() == ".json"):
        values = [{**asdict(one), "interval": one.interval and one.interval.model_dump()} for one in found]
        put_text(json.dumps({"benchmark": "facts-probes", "measured": values}, indent=1) + "\n", output)
    else:
        put_console(lambda console: _print(found, console), output)
    raise typer.Exit(1 if many.with_failures or many.stopped else 0)


def _print(found: tuple[Measured, ...], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from factscope.report.words import inert

    grid = Table("judge", "probes", "phase", "right", "95 % interval", "wrong on", box=SIMPLE_HEAD, pad_edge=False)
    for one in found:
        missing = f" ({one.n_missing} missing)" if one.n_missing else ""
        inside = f"{100 * one.interval.low:.0f}–{100 * one.interval.high:.0f} %" if one.interval else ""
        wrong = ", ".join(one.wrong[:4]) + (" …" if len(one.wrong) > 4 else "")
        grid.add_row(inert(one.judge), one.kind, one.phase, f"{one.right} of {one.n}{missing}", inside, wrong)
    console.print(grid)
