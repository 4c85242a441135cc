"""The benchmarks of short answers, and their questions, from files or from a data set of the hub.

    {"problem": "To whom did …?", "answer": "…", "topic": "Politics", "answer_type": "Person"}

is a row of SimpleQA Verified. All are scored alike, so each benchmark is a value.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from factscope.benchmarks import Example, Examples, examples_of, needed_text, source_files
from factscope.benchmarks.datasets import UNUSABLE, Notes, RowLocation, identity, optional
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile
from factscope.core import Response

_QUESTION = ("problem", "question", "prompt", "query")
_GOLD = ("answer", "gold", "target", "gold_answer", "golden_answer")
_SPLIT = "all"
_TAGS = ("topic", "answer_type", "domain", "category", "type")


class ShortAnswerBenchmark(NamedTuple):
    """A benchmark of questions with one correct answer each."""

    id: str
    title: str
    cites: str
    note: str
    """Caution for a reader of its figures."""
    data: str | None = None
    """Where its owners keep the public questions; `None` where a file must be named."""


SHORT_ANSWERS = {
    name: ShortAnswerBenchmark(name, **fields)
    for name, fields in tomllib.loads(files(__package__).joinpath("question_sets.toml").read_text("utf-8")).items()
}
"""All of them, by id."""


def read_questions(sources: Sequence[str], *, cache: Path, environment: Mapping[str, str] = os.environ) -> Examples:
    """Return the questions of files and data sets, with their answers; the hash is of both.

    Raises UsageError for a source that is not there, and InputError when one holds no question.
    """
    notes = Notes()
    files_of = ((source, source_files(source, cache, environment)) for source in sources)
    rows = examples_of(files_of, _question, notes, "question", "Each row needs a question and its answer.")
    hashed = sha256()
    for row in rows:
        hashed.update(f"{row.request.prompt}\0{row.gold}\0".encode())
    return Examples(rows, (_SPLIT,), notes.lines(), hashed.hexdigest(), notes.count(UNUSABLE))


def _question(file: SourceFile, row: ResponseRow) -> Example:
    values = row.values
    question, gold = (needed_text(values, columns) for columns in (_QUESTION, _GOLD))
    where = RowLocation(Path(file.name).stem, row.number)
    own = identity(values, where, "id" if "id" in values else "original_index")
    tags = {tag: word for tag in _TAGS if (word := optional(values, tag))}
    return Example(own, _SPLIT, Response(id=own, text="", prompt=question), tags, gold=gold)
