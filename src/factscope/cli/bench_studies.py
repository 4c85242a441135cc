"""`factscope bench factbench-disjoint`, `recall` and `rounds`: studies of what FactBench leaves open.

Prompts selected with one evaluator and models reported with another; the share of expected units and facts that a
stored run contains; the gain of each further round of search.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.datasets import sample_id
from factscope.benchmarks.datasets.io import BadRow, ResponseRow, read_rows
from factscope.benchmarks.factbench.disjoint import disjoint, disjoint_result
from factscope.benchmarks.factbench.factbench_run import read_results
from factscope.benchmarks.factbench.recall import TargetKind, TargetsByKey, read_sought, recall_result, recalled
from factscope.benchmarks.factbench.search_rounds import ablation, rounds_result, run_rounds
from factscope.cli.bench_options import SampledCallOptions, SampledOptions
from factscope.cli.call_options import SourceOptions, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.options import MethodName, StoredRunName, StoreLocation
from factscope.cli.output import log, refuse_to_overwrite_inputs, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.cli.stored import open_run
from factscope.core import InputError, UsageError
from factscope.core.records import Response
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings

_IDS = ("id", "prompt_id", "uid")


class DisjointOptions(SampledOptions):
    """The two results that are compared."""

    selecting: Annotated[Path, typer.Argument(metavar="SELECTING")]
    """Result of bench factbench whose evaluator selects prompts."""
    reporting: Annotated[Path, typer.Argument(metavar="REPORTING")]
    """Result of another evaluator on the same prompts."""
    keep: Annotated[float, typer.Option(min=0.01, max=1, metavar="SHARE")] = 0.5
    """Share of each tier's prompts to select."""


@with_groups
def disjoint_prompts(options: DisjointOptions) -> None:
    """Select the hardest prompts by one evaluator, rank the models on them by another, and print what changes.

    Example: factscope bench factbench-disjoint by-verify.json by-safe.json --keep 0.5
    """
    comparison = disjoint(
        read_results([options.selecting]), read_results([options.reporting]), options.keep, **options.sampling
    )
    options.put(disjoint_result(comparison))


class RecallOptions(SampledOptions):
    """The run, and what it should contain."""

    run: StoredRunName = "last"
    units: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """All units of some responses, as people list them: rows of id, model, unit."""
    facts: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Facts that an answer should state: rows of id, fact."""
    store: StoreLocation = None


@with_groups
def recall(options: RecallOptions) -> None:
    """Recall: of extraction against people's units, and of responses against reference facts.

    Example: factscope bench recall last --units units.jsonl --facts facts.jsonl -o recall.json
    """
    paths: dict[TargetKind, Path | None] = {"units": options.units, "facts": options.facts}
    targets: dict[TargetKind, TargetsByKey] = {}
    unusable: list[str] = []
    for kind, path in paths.items():
        if path:
            targets[kind], notes_on_rows = read_sought(path, kind)
            unusable += [f"{path}: {note}" for note in notes_on_rows]
    warn(unusable)
    if not targets:
        raise UsageError("There is nothing to look for.", "Name --units FILE, --facts FILE, or both.")
    with open_run(options.run, options.store) as stored:
        recalls = [
            each
            for kind, targets_by_id in targets.items()
            for each in recalled(targets_by_id, stored.values(), kind, **options.sampling)
        ]
    if all(not each.by_model for each in recalls):
        raise UsageError("No row belongs to a response of this run.", "Their ids are those of the responses.")
    options.put(recall_result(recalls, options.run))
    if unusable:
        raise typer.Exit(1)


class RoundOptions(SourceOptions, SampledCallOptions):
    """The responses, and the checks with each number of rounds."""

    data: Annotated[str, typer.Argument(metavar="FILE|DATASET")]
    """The responses, as `run` reads them."""
    rounds: Annotated[str, typer.Option(metavar="1,2,…")] = "1,2,3,4,5"
    """Numbers of rounds to compare."""
    least_gain: Annotated[float, typer.Option(min=0, max=1)] = 0.01
    """Smallest gain in the share of decided units that makes a round worth it."""
    method: MethodName = "verify"
    limit: Annotated[int | None, typer.Option(min=1)] = None
    """Maximum number of responses."""


@with_groups
def rounds(options: RoundOptions) -> None:
    """Measure rounds of search: the same responses with 1 to 5 of them, the gain of each, and how many are enough.

    Example: factscope bench rounds answers.jsonl --search serper --model openai/gpt-4.1-mini --rounds 1,2,3,4,5. The
    same command resumes after any stop.
    """
    numbers, data = _numbers(options.rounds), options.data
    settings = load(options.settings(method=None))
    refuse_to_overwrite_inputs(options.output, settings=settings)
    responses, n_left_out = read_responses(data, options.limit, settings)
    checked_method, tools = find_method(options.method or "verify"), open_tools(settings=settings)
    with RunProgressDisplay(len(responses) * len(numbers), settings.batch, quiet=options.quiet) as progress:
        results, went = run_stored(
            tools, settings, progress, lambda runner: run_rounds(responses, numbers, checked_method, runner, data)
        )
    log_usage(f"Runs {' '.join(many.run for many in went)}", progress.usage(), settings, quiet=options.quiet)
    stopped = next((many.stopped for many in went if many.stopped), None)
    exit_while_waiting(settings, tools)
    if stopped:
        log(f"factscope: {stopped}", "red")
        raise typer.Exit(1)
    gains = ablation(results, least_gain=options.least_gain, **options.sampling)
    options.put(rounds_result(gains))
    raise typer.Exit(1 if n_left_out or any(many.incomplete for many in went) else 0)


def _numbers(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise UsageError(f"--rounds {text!r} is not a list of numbers from 1 on.", "Such as 1,2,3,4,5.")
    return sorted({int(word) for word in words})


def read_responses(data: str, limit: int | None, settings: Settings) -> tuple[list[Response], int]:
    """Return the responses of a file, and the number of rows that are left out.

    Answers of several models to one prompt, as `bench factbench` reads them, stay apart.
    """
    names: dict[str, str] = {}

    def note_id(item: Response | BadRow, row: ResponseRow) -> None:
        own = next((str(row.values[name]) for name in _IDS if row.values.get(name) is not None), "")
        if sample_id(own) and isinstance(item, Response):
            names[item.id] = sample_id(own)

    responses: list[Response] = []
    n_left_out = 0
    taken: set[str] = set()
    for row in islice(read_rows(data, {"id": ""}, cache=settings.cache / "datasets", on_row=note_id), limit):
        if isinstance(row, BadRow):
            log(f"Row {row.number:,}: {row.reason}", "yellow")
            n_left_out += 1
            continue
        name = names.get(row.id, row.id)
        apart = f"{name} {row.model}" if name in taken and row.model else name
        if apart in taken:
            log(f"{row.id}: has the id {name!r} and the model of an earlier row, and is left out.", "yellow")
            n_left_out += 1
            continue
        taken.add(apart)
        responses.append(row.model_copy(update={"id": apart}))
    if not responses:
        raise InputError(f"{data} contains no response.")
    return responses, n_left_out
