"""Prompts of benchmarks and the answers of models, in the same form for FACTS Grounding and FactBench."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from factscope.core import Response, UsageError, group_by


class Example(NamedTuple):
    """A prompt of a benchmark, with its documents if it has any."""

    id: str
    """Unique over all splits."""
    split: str
    request: Response
    """The request, with an empty answer: its prompt, context and system."""
    tags: Mapping[str, str]
    gold: str = ""
    """The correct answer, where the benchmark has one."""


class Examples(NamedTuple):
    """All splits, read."""

    rows: tuple[Example, ...]
    splits: tuple[str, ...]
    """In the order given."""
    notes: tuple[str, ...]
    """Irregularities, one line for each kind with its count."""
    sha256: str
    """Hash of all prompts and documents; equal for equal examples."""
    n_unusable: int = 0
    """Rows that could not be used; the notes say why."""


class GivenAnswers(NamedTuple):
    """Answers from files."""

    texts: Mapping[tuple[str, str], str]
    """By model and example. An empty text is an answer."""
    models: tuple[str, ...]
    """Their models, in the order of their first answer."""
    notes: tuple[str, ...]
    accurate: Mapping[tuple[str, str], bool] = {}
    """Human labels of the answers, if the files have a column `accurate`."""
    eligible: Mapping[tuple[str, str], bool] = {}
    """Human labels from a column `eligible`: whether the answers do what was asked."""
    n_unusable: int = 0
    """Rows that could not be used; the notes say why."""


class BenchmarkPlan(NamedTuple):
    """Plan of a benchmark: models, by their answers to some examples."""

    examples: Examples
    rows: tuple[Example, ...]
    """The examples that count: all of them, or the first of each split."""
    answers: GivenAnswers
    asked: tuple[str, ...] = ()
    """Models that are called for missing answers."""

    @property
    def models(self) -> tuple[str, ...]:
        """All measured models."""
        return tuple(dict.fromkeys([*self.asked, *self.answers.models]))

    @property
    def n_unusable(self) -> int:
        """Rows of examples and answers that could not be used."""
        return self.examples.n_unusable + self.answers.n_unusable

    @property
    def absent(self) -> dict[str, int]:
        """By model that is not asked: the number of examples to which no file has its answer."""
        texts = self.answers.texts
        counts = {model: sum((model, row.id) not in texts for row in self.rows) for model in self.answers.models}
        return {model: n for model, n in counts.items() if n and model not in self.asked}


def plan_of(examples: Examples, answers: GivenAnswers, asked: Iterable[str], limit: int | None) -> BenchmarkPlan:
    """Plan to measure these models, by the first examples of each split. Raises UsageError when there is none."""
    by_split = group_by(examples.rows, lambda row: row.split)
    rows = tuple(row for split in examples.splits for row in by_split[split][:limit])
    plan = BenchmarkPlan(examples, rows, answers, tuple(dict.fromkeys(asked)))
    if not plan.models:
        raise UsageError(
            "There is nothing to measure.",
            "Name models with --model, or give their --answers, with rows of id, model and response.",
        )
    return plan


def digest(rows: Iterable[Example]) -> str:
    """Return the SHA-256 of all prompts, in hexadecimal digits."""
    hasher = sha256()
    for row in rows:
        hasher.update(f"{row.split}\0{row.request.model_dump_json()}\0".encode())
    return hasher.hexdigest()
