"""Rows of the files and data sets that a benchmark is read from; one that can't be used is noted, and left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from factscope.benchmarks.datasets.io import BadRow, ResponseRow, as_dataset, dataset_files, file_rows
from factscope.benchmarks.datasets.io.hub_datasets import Dataset, SourceFile
from factscope.benchmarks.datasets.labelled_rows import UNUSABLE, Notes, UnusableSampleError, Values
from factscope.benchmarks.examples import Example
from factscope.core import InputError

T = TypeVar("T")


def source_files(
    source: str, cache: Path, environment: Mapping[str, str], dataset: Dataset | None = None
) -> Iterator[SourceFile]:
    """Yield the files of a source: itself, or those of the data set that it names. Raises UsageError, InputError.

    `dataset` is the one that is meant, where the name alone does not say it.
    """
    path = Path(source)
    found = None if path.exists() else dataset or as_dataset(source)
    if found is None:
        yield SourceFile(source, path)
    else:
        yield from dataset_files(found, cache / "datasets", environment)


def usable_rows(file: SourceFile, notes: Notes, read: Callable[[ResponseRow], T]) -> Iterator[T]:
    """Yield the results of `read` for each row; where it raises UnusableSampleError, the row is noted."""
    for row in file_rows(file.path):
        try:
            if isinstance(row, BadRow):
                raise UnusableSampleError(row.reason)
            yield read(row)
        except UnusableSampleError as error:
            notes.add(f"{UNUSABLE}: {error}", f"{Path(file.name).name} row {row.number:,}")


def rows_of(sources: Iterable[tuple[str, Iterable[T]]], notes: Notes, subject: str, hint: str) -> list[T]:
    """Return the rows of all sources, each with its name. Raises InputError for a source without any."""
    rows: list[T] = []
    for source, own_rows in sources:
        before = len(rows)
        rows.extend(own_rows)
        if len(rows) == before:
            reason = "; ".join(notes.lines()) or "it has no rows"
            raise InputError(f"No {subject} in {source}: {reason}.", hint)
    return rows


def examples_of(
    sources: Iterable[tuple[str, Iterable[SourceFile]]],
    read: Callable[[SourceFile, ResponseRow], Example],
    notes: Notes,
    subject: str,
    hint: str,
    keys: Callable[[Example], Mapping[str, str]] = lambda example: {"id": example.id},
) -> tuple[Example, ...]:
    """Return the examples that `read` makes of the rows of all sources; one that repeats a key is noted, and left out.

    Raises InputError for a source without any.
    """
    seen: set[tuple[str, str]] = set()

    def read_files(files: Iterable[SourceFile]) -> Iterator[Example]:
        for file in files:
            for example in usable_rows(file, notes, partial(read, file)):
                own = keys(example)
                if repeated := next((kind for kind, key in own.items() if (kind, key) in seen), None):
                    notes.add(f"{UNUSABLE}: another has the same {repeated}", example.id)
                    continue
                seen.update(own.items())
                yield example

    return tuple(rows_of(((source, read_files(files)) for source, files in sources), notes, subject, hint))


def first_column(values: Values, names: Sequence[str]) -> str | None:
    """Return the first of these columns that a row has; `None` when it has none."""
    return next((name for name in names if name in values), None)


def needed_column(values: Values, names: Sequence[str], where: str) -> str:
    """Return the first of these columns that a row has. Raises InputError when it has none."""
    column = first_column(values, names)
    if column is None:
        present = ", ".join(repr(str(name)[:60]) for name in list(values)[:30])
        raise InputError(f"{where} lacks the column {names[0]!r}.", f"Its columns: {present or 'none'}.")
    return column
