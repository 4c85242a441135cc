"""`factscope bench rounds`: the gain of each further round of search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

import typer

from factscope.benchmarks.factbench.search_rounds import Ablation, ablation, run_rounds
from factscope.cli.bench_options import SampledCallOptions, put_values
from factscope.cli.call_options import SourceOptions, with_groups
from factscope.cli.calling import WAITING, load, log_usage, run_stored, tell_pending
from factscope.cli.options import MethodName
from factscope.cli.output import log
from factscope.cli.progress import RunProgressDisplay
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many
from factscope.core.records import Response
from factscope.datasets.io import BadRow, ResponseRow, read_rows
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.report.document import Block, notes, table_of
from factscope.report.number_cells import number_cell, percent_cell

_IDS = ("id", "prompt_id", "uid")
EXAMPLE = (
    "Example: factscope bench rounds answers.jsonl --search serper --model openai/gpt-4.1-mini --rounds 1,2,3,4,5."
    " The same command resumes after any stop."
)


@dataclass(frozen=True)
class RoundOptions(SampledCallOptions, SourceOptions):
    """Options of the checks with each number of rounds."""


@with_groups
def rounds(
    data: Annotated[str, typer.Argument(metavar="FILE|DATASET", help="The responses, as `run` reads them.")],
    rounds: Annotated[str, typer.Option(metavar="1,2,…", help="Numbers of rounds to compare.")] = "1,2,3,4,5",
    least_gain: Annotated[
        float,
        typer.Option(min=0, max=1, help="Smallest gain in the share of decided units that makes a round worth it."),
    ] = 0.01,
    method: MethodName = "verify",
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of responses.")] = None,
    *,
    options: RoundOptions,
) -> None:
    """Measure rounds of search: the same responses with 1 to 5 of them, the gain of each, and how many are enough."""
    numbers = _numbers(rounds)
    settings = load(options.settings())
    responses = _responses(data, limit, settings)
    checked_method, tools = find_method(method or "verify"), open_tools(settings=settings)
    with RunProgressDisplay(len(responses) * len(numbers), settings.batch, quiet=options.quiet) as progress:
        results, went = run_stored(
            tools, settings, progress, lambda runner: run_rounds(responses, numbers, checked_method, runner, data)
        )
    log_usage(f"Runs {' '.join(many.run for many in went)}", progress.usage(), settings, quiet=options.quiet)
    stopped = next((many.stopped for many in went if many.stopped), None)
    if tell_pending(settings, tools):
        raise typer.Exit(WAITING)
    if stopped:
        log(f"factscope: {stopped}", "red")
        raise typer.Exit(1)
    gains = ablation(results, least_gain=least_gain, **options.sampling)
    put_values("Rounds of search", lambda: gains.model_dump(mode="json"), lambda: _document(gains), options)
    raise typer.Exit(1 if any(many.incomplete for many in went) else 0)


def _numbers(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise UsageError(f"--rounds {text!r} is not a list of numbers from 1 on.", "Such as 1,2,3,4,5.")
    return sorted({int(word) for word in words})


def _responses(data: str, limit: int | None, settings: Settings) -> list[Response]:
    """Return the responses of a file.

    Answers of several models to one prompt, as `bench factbench` reads them, stay apart.
    """
    names: dict[str, str] = {}

    def note_id(response: Response, row: ResponseRow) -> None:
        own = next((str(row.values[name]) for name in _IDS if row.values.get(name) is not None), None)
        if own is not None:
            names[response.id] = own

    responses: list[Response] = []
    taken: set[str] = set()
    for row in islice(read_rows(data, {"id": ""}, cache=settings.cache / "datasets", on_row=note_id), limit):
        if isinstance(row, BadRow):
            log(f"Row {row.number:,}: {row.reason}", "yellow")
            continue
        name = names.get(row.id, row.id)
        apart = f"{name} {row.model}" if name in taken and row.model else name
        if apart in taken:
            log(f"{row.id}: has the id {name!r} and the model of an earlier row, and is left out.", "yellow")
            continue
        taken.add(apart)
        responses.append(row.model_copy(update={"id": apart}))
    if not responses:
        raise InputError(f"{data} contains no response.")
    return responses


def _document(result: Ablation) -> tuple[Block, ...]:
    rows = []
    for step in result.steps:
        gain = step.gain.value if step.gain else None
        figures = (
            str(step.rounds),
            percent_cell(step.decided.value),
            "" if gain is None else f"{100 * gain:+.1f}",
            number_cell(step.p, 3) if step.p is not None else "",
            percent_cell(step.precision.value),
            number_cell(step.hallucination.value),
            number_cell(step.searches, 1),
        )
        rows.append(figures)
    heads = ("rounds", "decided", "gain", "p", "precision", "hallucination", "searches")
    return table_of(heads, rows, names=0), *notes(_notes(result))


def _notes(result: Ablation) -> Iterator[str]:
    yield "Decided: the share of units that are supported or contradicted, a mean over responses, in percent."
    rounds, most = result.enough, result.steps[-1].rounds
    if rounds is None:
        yield f"Whether {many(most, 'round')} would do is not known: no more were tried."
    else:
        gain = f"{100 * result.least_gain:g} points or more"
        yield f"{many(rounds, 'round is', 'rounds are')} enough: no later step adds {gain}."
    if result.failed:
        yield f"{many(result.failed, 'unit that failed is', 'units that failed are')} in no figure."
