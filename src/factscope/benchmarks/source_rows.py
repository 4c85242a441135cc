"""Rows of the files and data sets that a benchmark is read from; one that can't be used is noted, and left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from factscope.benchmarks.datasets.io import BadRow, ResponseRow, as_dataset, dataset_files, file_rows
from factscope.benchmarks.datasets.io.hub_datasets import Dataset, SourceFile
from factscope.benchmarks.datasets.labelled_cells import optional
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
        yield SourceFile(path.name, path)
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

    Rows without an id are named by their file, so that a further file of the same name gets a number. Raises InputError
    for a source without any.
    """
    seen: set[tuple[str, str]] = set()
    paths: dict[str, list[Path]] = defaultdict(list)

    def read_files(files: Iterable[SourceFile]) -> Iterator[Example]:
        for file in files:
            same_name, path = paths[file.name], file.path.resolve()
            if path not in same_name:
                same_name.append(path)
            number = same_name.index(path)
            numbered = file._replace(name=f"{number + 1}-{file.name}") if number else file
            for example in usable_rows(numbered, notes, partial(read, numbered)):
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


def first_text(values: Values, names: Sequence[str]) -> str | None:
    """Return the text in the first of these columns that a row has; `None` when it has none of them, or no text in it.

    Raises UnusableSampleError for anything but text in it.
    """
    column = first_column(values, names)
    return None if column is None else optional(values, column)


def needed_text(values: Values, names: Sequence[str]) -> str:
    """Return the text in the first of these columns that a row has.

    Raises UnusableSampleError when it has none of them, or no text in it.
    """
    column = first_column(values, names)
    if column is None:
        present = ", ".join(repr(str(name)[:60]) for name in list(values)[:30])
        raise UnusableSampleError(f"it lacks the column {names[0]!r}. Its columns: {present or 'none'}")
    words = optional(values, column)
    if words is None:
        raise UnusableSampleError(f"column {column!r} is empty")
    return words
