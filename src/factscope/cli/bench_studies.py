"""`factscope bench factbench-disjoint`, `recall` and `rounds`: studies of what FactBench leaves open.

Prompts selected with one evaluator and models reported with another; the share of expected units and facts that a
stored run contains; the gain of each further round of search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.datasets.io import BadRow, ResponseRow, read_rows
from factscope.benchmarks.factbench.disjoint import Disjoint, DisjointRow, DisjointTier, Harder, disjoint
from factscope.benchmarks.factbench.factbench_result import read_results
from factscope.benchmarks.factbench.recall import Recall, StoredRecall, TargetKind, TargetsByKey, read_sought, recalled
from factscope.benchmarks.factbench.search_rounds import Ablation, ablation, run_rounds
from factscope.benchmarks.figure_lines import FigureLine
from factscope.cli.bench_options import SampledCallOptions, SampledOptions, put_values
from factscope.cli.call_options import SourceOptions, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.options import MethodName, StoredRunName, StoreLocation
from factscope.cli.output import log, refuse_to_overwrite_inputs, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.cli.stored import open_run
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many
from factscope.core.records import Response
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.report.document import Block, Title, notes, table_of
from factscope.report.number_cells import NONE, ends_cell, number_cell, percent_cell, points_cell
from factscope.report.wording import excerpt
from factscope.scoring.means import Mean

DISJOINT_EXAMPLE = "Example: factscope bench factbench-disjoint by-verify.json by-safe.json --keep 0.5"
RECALL_EXAMPLE = "Example: factscope bench recall last --units units.jsonl --facts facts.jsonl -o recall.json"
ROUNDS_EXAMPLE = (
    "Example: factscope bench rounds answers.jsonl --search serper --model openai/gpt-4.1-mini --rounds 1,2,3,4,5."
    " The same command resumes after any stop."
)
_IDS = ("id", "prompt_id", "uid")


@with_groups
def disjoint_prompts(
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
    put_values(
        "Prompts selected by one evaluator, models reported by another",
        lambda: comparison.model_dump(mode="json"),
        lambda: _disjoint_document(comparison),
        result,
        lambda: _disjoint_lines(comparison),
    )


def _disjoint_document(comparison: Disjoint) -> Iterator[Block]:
    for tier in comparison.tiers:
        yield Title(f"{tier.name}: {tier.selected:,} of {many(tier.n, 'prompt')} selected")
        yield table_of(("model", "reporting", "selecting", "rank\nchange"), map(_disjoint_cells, tier.rows))
        yield from notes(_tier_notes(tier))
    yield from notes(_disjoint_notes(comparison))


def _disjoint_lines(comparison: Disjoint) -> Iterator[FigureLine]:
    for tier in comparison.tiers:
        for row in tier.rows:
            for by, precision, rank in (
                ("reporting", row.reporting, row.reporting_rank),
                ("selecting", row.selecting, row.selecting_rank),
            ):
                yield FigureLine(tier.name, row.model, by, precision.value, precision.interval, precision.n)
                yield FigureLine(tier.name, row.model, f"{by}_rank", None if precision.value is None else rank)
            yield FigureLine(tier.name, row.model, "rank_change", row.change)
        yield FigureLine(tier.name, "", "kendall_tau", tier.tau)


def _disjoint_cells(row: DisjointRow) -> tuple[str, ...]:
    places = _place(row.reporting_rank, row.reporting), _place(row.selecting_rank, row.selecting)
    return row.model, *places, NONE if row.change is None else f"{row.change:+d}" if row.change else "0"


def _place(rank: int, precision: Mean) -> str:
    if precision.value is None:
        return NONE
    between = f"\n{ends_cell(precision.interval)}" if precision.interval else ""
    return f"{rank}: {percent_cell(precision.value)}{between}"


def _tier_notes(tier: DisjointTier) -> Iterator[str]:
    changes = [row.change for row in tier.rows if row.change is not None]
    moved = sum(change != 0 for change in changes)
    yield (
        f"{moved} of {many(len(changes), 'model changes its', 'models change their')} rank; Kendall's tau"
        f" of the two orders is {number_cell(tier.tau)}."
    )
    selecting, reporting = _harder_scores(tier.by_selecting), _harder_scores(tier.by_reporting)
    yield (
        f"Hallucination score of selected prompts, of all: selecting {selecting}, reporting {reporting}."
        " What the second does not see of the difference is what the first gets wrong."
    )


def _harder_scores(harder: Harder) -> str:
    return f"{number_cell(harder.selected)}, {number_cell(harder.all)}"


def _disjoint_notes(comparison: Disjoint) -> Iterator[str]:
    yield f"Selected by {comparison.selecting}; reported by {comparison.reporting}."
    yield "Each column: rank, factual precision in percent, and below it the 95 % interval."
    yield f"Hallucination scores of both have the alpha of the result that selects, {comparison.alpha:g}."
    if comparison.same_family:
        names = ", ".join(comparison.same_family)
        yield f"Not wholly disjoint: {names} reports, and is a model or of a family that also selects."


@with_groups
def recall(
    run: StoredRunName = "last",
    units: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="All units of some responses, as people list them: rows of id, model, unit."),
    ] = None,
    facts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Facts that an answer should state: rows of id, fact.")
    ] = None,
    store: StoreLocation = None,
    *,
    result: SampledOptions,
) -> None:
    """Recall: of extraction against people's units, and of responses against reference facts."""
    paths: dict[TargetKind, Path | None] = {"units": units, "facts": facts}
    targets: dict[TargetKind, TargetsByKey] = {}
    unusable: list[str] = []
    for kind, path in paths.items():
        if path:
            targets[kind], notes_on_rows = read_sought(path, kind)
            unusable += [f"{path}: {note}" for note in notes_on_rows]
    warn(unusable)
    if not targets:
        raise UsageError("There is nothing to look for.", "Name --units FILE, --facts FILE, or both.")
    recalls: list[StoredRecall] = []
    with open_run(run, store) as stored:
        for kind, targets_by_id in targets.items():
            recalls += recalled(targets_by_id, stored.values(), kind, **result.sampling)
    if all(not each.by_model for each in recalls):
        raise UsageError("No row belongs to a response of this run.", "Their ids are those of the responses.")
    put_values(
        f"Recall of run {run}",
        lambda: [each.model_dump(mode="json") for each in recalls],
        lambda: _recall_document(recalls),
        result,
        lambda: _recall_lines(recalls),
    )
    if unusable:
        raise typer.Exit(1)


def _recall_document(recalls: list[StoredRecall]) -> tuple[Block, ...]:
    rows = []
    for result in recalls:
        figures = _recall_figures(result).items()
        rows += [(result.what, f"{result.of} units", model, *_recall_cells(recall)) for model, recall in figures]
    heads = ("sought", "among", "model", "recall", "interval", "found", "responses")
    return table_of(heads, rows, names=3), *notes(_recall_notes(recalls))


def _recall_figures(result: StoredRecall) -> dict[str, Recall]:
    return {"all": result.all} | (result.by_model if len(result.by_model) > 1 else {})


def _recall_lines(recalls: list[StoredRecall]) -> Iterator[FigureLine]:
    for result in recalls:
        table = f"{result.what} among {result.of} units"
        for model, recall in _recall_figures(result).items():
            for name, score in (("recall", recall.macro), ("pooled", recall.pooled)):
                yield FigureLine(table, model, name, score.value, score.interval, score.n)
            yield FigureLine(table, model, "found", recall.pooled.k, n=recall.pooled.n)
            yield FigureLine(table, model, "unknown", recall.unknown)


def _recall_notes(recalls: list[StoredRecall]) -> Iterator[str]:
    for result in recalls:
        for response, text in result.all.missed[:3]:
            yield f"Not among the {result.of} units of {response}: {excerpt(text, 100)}"
        if result.unmatched:
            ids = many(result.unmatched, "id belongs", "ids belong")
            yield f"In the file of {result.what}, {ids} to no response of this run."
        if unknown := result.all.unknown:
            yield (
                f"Not counted: {many(unknown, 'text')} in the file of {result.what} that only units whose check failed"
                " may contain."
            )
    yield "Recall: a mean over responses in percent, with its 95 % interval by bootstrap. Found: all of them together."
    yield "Found means: 80 % of its content words, all numbers, the same negation; a lower bound."


def _recall_cells(recall: Recall) -> tuple[str, ...]:
    macro, pooled = recall.macro, recall.pooled
    return percent_cell(macro.value), ends_cell(macro.interval), f"{pooled.k:,} of {pooled.n:,}", f"{macro.n:,}"


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
    responses, n_left_out = _responses(data, limit, settings)
    checked_method, tools = find_method(method or "verify"), open_tools(settings=settings)
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
    gains = ablation(results, least_gain=least_gain, **options.sampling)
    put_values(
        "Rounds of search",
        lambda: gains.model_dump(mode="json"),
        lambda: _rounds_document(gains),
        options,
        lambda: _rounds_lines(gains),
    )
    raise typer.Exit(1 if n_left_out or any(many.incomplete for many in went) else 0)


def _numbers(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise UsageError(f"--rounds {text!r} is not a list of numbers from 1 on.", "Such as 1,2,3,4,5.")
    return sorted({int(word) for word in words})


def _responses(data: str, limit: int | None, settings: Settings) -> tuple[list[Response], int]:
    """Return the responses of a file, and the number of rows that are left out.

    Answers of several models to one prompt, as `bench factbench` reads them, stay apart.
    """
    names: dict[str, str] = {}

    def note_id(item: Response | BadRow, row: ResponseRow) -> None:
        own = next((str(row.values[name]) for name in _IDS if row.values.get(name) is not None), None)
        if own is not None and isinstance(item, Response):
            names[item.id] = own

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


def _rounds_document(result: Ablation) -> tuple[Block, ...]:
    rows = (
        (
            str(step.rounds),
            percent_cell(step.decided.value),
            "" if step.gain is None or step.gain.value is None else points_cell(step.gain.value),
            "" if step.p is None else number_cell(step.p, 3),
            percent_cell(step.precision.value),
            number_cell(step.hallucination.value),
            number_cell(step.searches, 1),
        )
        for step in result.steps
    )
    heads = ("rounds", "decided", "gain", "p", "precision", "hallucination", "searches")
    return table_of(heads, rows, names=0), *notes(_rounds_notes(result))


def _rounds_lines(result: Ablation) -> Iterator[FigureLine]:
    """Yield the figures of each step, whose `table` is the number of rounds."""
    for step in result.steps:
        table = str(step.rounds)
        means = {"decided": step.decided, "precision": step.precision, "hallucination": step.hallucination}
        for name, mean in means.items():
            yield FigureLine(table, "", name, mean.value, mean.interval, mean.n)
        yield FigureLine(table, "", "searches", step.searches)
        if step.gain:
            yield FigureLine(table, "", "gain", step.gain.value, step.gain.interval, step.gain.n)
            yield FigureLine(table, "", "gain_p", step.p)


def _rounds_notes(result: Ablation) -> Iterator[str]:
    yield "Decided: the share of units that are supported or contradicted, a mean over responses, in percent."
    rounds, most = result.enough, result.steps[-1].rounds
    if rounds is None:
        yield f"Whether {many(most, 'round')} would do is not known: no more were tried."
    else:
        gain = f"{100 * result.least_gain:g} points or more"
        yield f"{many(rounds, 'round is', 'rounds are')} enough: no later step adds {gain}."
    if result.failed:
        yield f"{many(result.failed, 'unit that failed is', 'units that failed are')} in no figure."
