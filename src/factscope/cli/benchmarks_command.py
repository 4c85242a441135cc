"""`factscope benchmarks`: the labelled data sets that are known by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from factscope.benchmarks.datasets import DATASETS
from factscope.benchmarks.datasets import load as load_samples
from factscope.benchmarks.describe import DatasetGroup, described
from factscope.cli.calling import load
from factscope.cli.options import AsList, LabelledSet, LocalCopy
from factscope.cli.output import put_console, put_json, warn
from factscope.core import UsageError, did_you_mean
from factscope.report.console import print_entry, print_table, styled
from factscope.report.document import table_of

_BY = "domain"
"""Tag by which texts are grouped unless another is named; they need not have it."""
_FIELDS = ("id", "title", "form", "hub", "revision", "sha256", "licence", "citation", "page", "files")


def list_benchmarks(format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """List the labelled data sets, with where each comes from, its licence and how to cite it.

    None of them is part of Factscope. Those with an id on the Hugging Face hub are fetched when they are used; of the
    others, and of these too, a local copy is read: --data PATH. A file in one of their forms, or in the plain form
    (JSON lines with `response`, and `label`, `segments` or `claims`), can be named by itself.

    Example: factscope benchmarks list --format json
    """
    if format == "json":
        put_json([{name: getattr(entry, name) for name in _FIELDS} | {"form": entry.form.name} for entry in DATASETS])
        return

    def print_datasets(console: Any) -> None:

        for entry in DATASETS:
            where = f"{entry.source} on the hub, or {entry.files}" if entry.source else f"--data with {entry.files}"
            notes = (styled(note, "dim") for note in (entry.citation, f"{where}; {entry.page}"))
            print_entry(console, entry.id, entry.licence, entry.title, *notes)
            console.print()

    put_console(print_datasets, None)


def describe(
    dataset: LabelledSet,
    data: LocalCopy = None,
    by: Annotated[str, typer.Option(metavar="TAG", help="Tag to group by, such as topic.")] = _BY,
    format: AsList = "text",  # noqa: A002 - the option's name
) -> None:
    """Count what a labelled data set holds: texts, units, errors and their types, by domain.

    Example: factscope benchmarks describe felm --data all.jsonl
    """
    loaded = load_samples(dataset, data, cache=load({}).cache)
    warn(filter(None, (loaded.notice, *(f"{loaded.name}: {note}" for note in loaded.notes))))
    groups = described(loaded.samples, by)
    if len(groups) == 1 and by != _BY:
        tags = sorted({tag for sample in loaded.samples for tag in sample.tags})
        otherwise = f"Choose from: {', '.join(tags)}." if tags else "None of them has a tag."
        raise UsageError(f"No text of {loaded.name} has the tag {by!r}.", did_you_mean(by, tags, otherwise=otherwise))
    if format == "json":
        values = [group.model_dump(mode="json") | {"error_rate": group.error_rate} for group in groups]
        put_json({"dataset": loaded.name, "groups": values})
    else:
        put_console(lambda console: _print_groups(groups, console), None)
    if loaded.n_unusable:
        raise typer.Exit(1)


def _print_groups(groups: Sequence[DatasetGroup], console: Any) -> None:
    levels = groups[0].units
    types = groups[0].error_types
    rows: list[tuple[str, ...]] = []
    rows.append(("texts", *(f"{group.samples:,}" for group in groups)))
    rows.append(("  with something wrong", *(f"{group.wrong_samples:,}" for group in groups)))
    rows.append(("  share of these, %", *(f"{100 * (group.error_rate or 0):.1f}" for group in groups)))
    rows.append(("  with references", *(f"{group.with_references:,}" for group in groups)))
    rows.append(("  words, on average", *("–" if group.words is None else f"{group.words:.1f}" for group in groups)))
    for level in levels:
        rows.append((f"{level}s", *(f"{group.units.get(level, 0):,}" for group in groups)))
        rows.append(("  wrong", *(f"{group.wrong.get(level, 0):,}" for group in groups)))
        rows.append(("  unlabelled", *(f"{group.unlabelled.get(level, 0):,}" for group in groups)))
    rows += [(f"errors: {name}", *(f"{group.error_types.get(name, 0):,}" for group in groups)) for name in types]
    print_table(table_of(("", *(group.name for group in groups)), rows), console)
