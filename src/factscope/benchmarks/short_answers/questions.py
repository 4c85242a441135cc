"""Questions with their correct answers, from files or from a data set of the hub."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from factscope.benchmarks.examples import UNUSABLE, Example, Examples
from factscope.core.errors import InputError
from factscope.core.records import Response
from factscope.datasets.io import BadRow, ResponseRow, as_dataset, dataset_files, file_rows
from factscope.datasets.reading import Notes, RowLocation, UnusableSampleError, identity, optional

_QUESTION = ("problem", "question", "prompt", "query")
_GOLD = ("answer", "gold", "target", "gold_answer", "golden_answer")
_SPLIT = "all"
_TAGS = ("topic", "answer_type", "domain", "category", "type")


class Question(NamedTuple):
    """A question."""

    example: Example
    """Its id and its text, as a request."""
    gold: str
    """The correct answer."""


class Questions(NamedTuple):
    """All questions, read."""

    rows: tuple[Question, ...]
    notes: tuple[str, ...]
    sha256: str
    """Of all questions with their answers."""

    def examples(self) -> Examples:
        """The questions without their answers."""
        return Examples(tuple(row.example for row in self.rows), (_SPLIT,), self.notes, self.sha256)


def read_questions(sources: Sequence[str], *, cache: Path, environment: Mapping[str, str] = os.environ) -> Questions:
    """The questions of files and data sets.

    Raises UsageError for a source that is not there, and InputError when one lacks its columns or holds no question.
    """
    notes, rows, seen = Notes(), list[Question](), set[str]()
    for source in sources:
        before = len(rows)
        for name, path in _files(source, cache, environment):
            rows.extend(_of_file(name, path, notes, seen))
        if len(rows) == before:
            told = "; ".join(notes.lines()) or "it has no rows"
            raise InputError(f"{source} contains no question: {told}.", "Each row needs a question and its answer.")
    hashed = sha256()
    for row in rows:
        hashed.update(f"{row.example.request.prompt}\0{row.gold}\0".encode())
    return Questions(tuple(rows), notes.lines(), hashed.hexdigest())


def _files(source: str, cache: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    path = Path(source)
    dataset = None if path.exists() else as_dataset(source)
    if dataset is None:
        yield path.name, path
        return
    for file in dataset_files(dataset, cache / "datasets", environment):
        yield file.name, file.path


def _of_file(name: str, path: Path, notes: Notes, seen: set[str]) -> Iterator[Question]:
    for row in file_rows(path):
        where = f"{Path(name).name} row {row.number:,}"
        if isinstance(row, BadRow):
            notes.add(f"{UNUSABLE}: {row.reason}", where)
            continue
        try:
            question = _question(row, name)
        except UnusableSampleError as error:
            notes.add(f"{UNUSABLE}: {error}", where)
            continue
        if question.example.id in seen:
            notes.add(f"{UNUSABLE}: another has the same id", where)
            continue
        seen.add(question.example.id)
        yield question


def _question(row: ResponseRow, name: str) -> Question:
    values = row.values
    texts = []
    for columns in (_QUESTION, _GOLD):
        column = next((name_of for name_of in columns if name_of in values), None)
        if column is None:
            present = ", ".join(repr(str(name_of)[:40]) for name_of in list(values)[:30])
            raise InputError(f"{name} lacks the column {columns[0]!r}.", f"Its columns: {present or 'none'}.")
        text = optional(values, column)
        if text is None:
            raise UnusableSampleError(f"column {column!r} is empty")
        texts.append(text)
    own = identity(values, RowLocation(Path(name).stem, row.number), "original_index" if "id" not in values else "id")
    tags = {tag: word for tag in _TAGS if (word := optional(values, tag))}
    return Question(Example(own, _SPLIT, Response(id=own, text="", prompt=texts[0]), tags), texts[1])
