"""Questions with their correct answers, from files or from a data set of the hub."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from factscope.benchmarks.datasets.io import ResponseRow
from factscope.benchmarks.datasets.labelled_cells import identity, optional
from factscope.benchmarks.datasets.labelled_rows import Notes, RowLocation, UnusableSampleError
from factscope.benchmarks.examples import UNUSABLE, Example, Examples
from factscope.benchmarks.source_rows import is_new, needed_column, rows_of, source_files, usable_rows
from factscope.core.records import Response

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
    n_unusable: int = 0
    """Rows that could not be used; the notes say why."""

    def examples(self) -> Examples:
        """Return the questions without their answers."""
        rows = tuple(row.example for row in self.rows)
        return Examples(rows, (_SPLIT,), self.notes, self.sha256, self.n_unusable)


def read_questions(sources: Sequence[str], *, cache: Path, environment: Mapping[str, str] = os.environ) -> Questions:
    """Return the questions of files and data sets.

    Raises UsageError for a source that is not there, and InputError when one lacks its columns or holds no question.
    """
    notes, seen = Notes(), set[tuple[str, str]]()

    def questions_of(source: str) -> Iterator[Question]:
        for file in source_files(source, cache, environment):
            for question in usable_rows(file, notes, partial(_question, name=file.name)):
                if is_new(question.example.id, {"id": question.example.id}, seen, notes):
                    yield question

    named = ((source, questions_of(source)) for source in sources)
    rows = rows_of(named, notes, "question", "Each row needs a question and its answer.")
    hashed = sha256()
    for row in rows:
        hashed.update(f"{row.example.request.prompt}\0{row.gold}\0".encode())
    return Questions(tuple(rows), notes.lines(), hashed.hexdigest(), notes.count(UNUSABLE))


def _question(row: ResponseRow, name: str) -> Question:
    values = row.values
    texts = []
    for columns in (_QUESTION, _GOLD):
        column = needed_column(values, columns, name)
        text = optional(values, column)
        if text is None:
            raise UnusableSampleError(f"column {column!r} is empty")
        texts.append(text)
    own = identity(values, RowLocation(Path(name).stem, row.number), "original_index" if "id" not in values else "id")
    tags = {tag: word for tag in _TAGS if (word := optional(values, tag))}
    return Question(Example(own, _SPLIT, Response(id=own, text="", prompt=texts[0]), tags), texts[1])
