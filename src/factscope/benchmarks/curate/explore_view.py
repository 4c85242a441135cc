"""The values that the page of a release shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from factscope.benchmarks.curate.difficulty import Checks
from factscope.benchmarks.curate.folder import Folder
from factscope.benchmarks.curate.topic_map import Map
from factscope.core.labels import Outcome
from factscope.scoring.means import Mean


class Topic(NamedTuple):
    """One topic of the release."""

    number: int
    name: str
    words: str
    size: int
    """Prompts of the logs in it."""
    selected: int
    tiers: dict[str, int]
    hallucination: float | None
    """Mean of its selected prompts."""


class TierRow(NamedTuple):
    """One tier of the release."""

    tier: str
    n: int
    seats: int
    hallucination: Mean
    factual_precision: Mean


class Unit(NamedTuple):
    """Something wrong, or unsupported, that an answer says."""

    text: str
    outcome: Outcome
    reason: str | None
    evidence: str | None
    url: str | None
    correction: str | None


class Prompt(NamedTuple):
    """A prompt with the answer that it was selected for."""

    id: str
    rank: int
    prompt: str
    tier: str
    topic: str
    answer: str
    answered_by: str
    hallucination: float | None
    """`None` where its answer was not evaluated."""
    factual_precision: float | None
    judged: int
    wrong: tuple[Unit, ...]


class Setting(NamedTuple):
    """A parameter."""

    name: str
    value: str
    meaning: str
    default: str | None
    """What it is unless changed; `None` when it was not."""


class View(NamedTuple):
    """All that the page shows."""

    name: str
    folder: Folder
    n: int
    read: int
    """Rows of the logs."""
    hallucination: Mean
    factual_precision: Mean
    map: Map
    topics: tuple[Topic, ...]
    tiers: tuple[TierRow, ...]
    made_of: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """How many prompts each source and each logging model gave."""
    prompts: tuple[Prompt, ...]
    alpha: Mapping[str, Any] | None
    checks: Checks
    settings: tuple[tuple[str, tuple[Setting, ...]], ...]
    notes: tuple[str, ...]

    @property
    def evaluated(self) -> bool:
        """Whether the answers were held against evidence."""
        return self.hallucination.n > 0
