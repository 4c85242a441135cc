"""The benchmarks of short answers: a question, one correct answer, and a grader that compares a model's answer with it.

    {"problem": "To whom did …?", "answer": "…", "topic": "Politics", "answer_type": "Person"}

is a row of SimpleQA Verified. All are scored alike, so each is a value.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple


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
    for name, fields in tomllib.loads(files(__package__).joinpath("known_benchmarks.toml").read_text("utf-8")).items()
}
"""All of them, by id."""
