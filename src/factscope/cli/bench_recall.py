"""`factscope bench recall`: the share of expected units and facts that a stored run contains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.factbench.recall import Recall
from factscope.benchmarks.factbench.stored_recall import StoredRecall, TargetKind, TargetsByKey, read_sought, recalled
from factscope.cli.bench_options import SampledOptions, put_values
from factscope.cli.call_options import with_groups
from factscope.cli.options import StoredRunName, StoreLocation
from factscope.cli.output import log
from factscope.cli.stored import open_run
from factscope.core.errors import UsageError
from factscope.core.plurals import many
from factscope.report.document import Block, notes, table_of
from factscope.report.number_cells import ends_cell, percent_cell
from factscope.report.wording import clip, one_line

EXAMPLE = "Example: factscope bench recall last --units units.jsonl --facts facts.jsonl -o recall.json"


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
    for kind, path in paths.items():
        if path:
            targets[kind], odd = read_sought(path, kind)
            for note in odd:
                log(f"{path}: {note}", "yellow")
    if not targets:
        raise UsageError("There is nothing to look for.", "Name --units FILE, --facts FILE, or both.")
    recalls: list[StoredRecall] = []
    with open_run(run, store) as stored:
        for kind, targets_by_id in targets.items():
            recalls += recalled(targets_by_id, stored.values(), kind, **result.sampling)
    if all(not each.by_model for each in recalls):
        raise UsageError("No row belongs to a response of this run.", "Their ids are those of the responses.")
    values = [each.model_dump(mode="json") for each in recalls]
    put_values(f"Recall of run {run}", lambda: values, lambda: _document(recalls), result)


def _document(recalls: list[StoredRecall]) -> tuple[Block, ...]:
    rows = []
    for result in recalls:
        figures = {"all": result.all} | (result.by_model if len(result.by_model) > 1 else {})
        rows += [(result.what, f"{result.of} units", model, *_cells(recall)) for model, recall in figures.items()]
    heads = ("sought", "among", "model", "recall", "interval", "found", "responses")
    return table_of(heads, rows, names=3), *notes(_notes(recalls))


def _notes(recalls: list[StoredRecall]) -> Iterator[str]:
    for result in recalls:
        for response, text in result.all.missed[:3]:
            yield f"Not among the {result.of} units of {response}: {clip(one_line(text), 100)}"
        if result.unmatched:
            ids = many(result.unmatched, "id belongs", "ids belong")
            yield f"In the file of {result.what}, {ids} to no response of this run."
        if result.failed and result.of == "supported":
            yield (
                f"{many(result.failed, 'unit')} could not be checked, and"
                f" {'counts' if result.failed == 1 else 'count'} as not supported."
            )
    yield "Recall: a mean over responses in percent, with its 95 % interval by bootstrap. Found: all of them together."
    yield "Found means: 80 % of its content words, all numbers, the same negation; a lower bound."


def _cells(recall: Recall) -> tuple[str, ...]:
    macro, pooled = recall.macro, recall.pooled
    return percent_cell(macro.value), ends_cell(macro.interval), f"{pooled.k:,} of {pooled.n:,}", f"{macro.n:,}"
