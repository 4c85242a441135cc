"""The values that the page of a release shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from factscope.benchmarks.curate.difficulty import DifficultyChecks
from factscope.benchmarks.curate.folder import Folder
from factscope.benchmarks.curate.topic_map import TopicMap
from factscope.core.labels import Outcome
from factscope.scoring.means import Mean


class TopicView(NamedTuple):
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


class TierView(NamedTuple):
    """One tier of the release."""

    tier: str
    n: int
    quota: int
    hallucination: Mean
    factual_precision: Mean


class WrongUnit(NamedTuple):
    """An error, or an unsupported statement, in an answer."""

    text: str
    outcome: Outcome
    reason: str | None
    evidence: str | None
    url: str | None
    correction: str | None


class PromptView(NamedTuple):
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
    wrong: tuple[WrongUnit, ...]


class SettingView(NamedTuple):
    """A parameter."""

    name: str
    value: str
    meaning: str
    default: str | None
    """Default; `None` when it was not changed."""


class ReleaseView(NamedTuple):
    """All that the page shows."""

    name: str
    folder: Folder
    n: int
    read: int
    """Rows of the logs."""
    hallucination: Mean
    factual_precision: Mean
    map: TopicMap
    topics: tuple[TopicView, ...]
    tiers: tuple[TierView, ...]
    made_of: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """Number of prompts from each source and each logging model."""
    prompts: tuple[PromptView, ...]
    alpha: Mapping[str, Any] | None
    checks: DifficultyChecks
    settings: tuple[tuple[str, tuple[SettingView, ...]], ...]
    notes: tuple[str, ...]

    @property
    def evaluated(self) -> bool:
        """Whether the answers were held against evidence."""
        return self.hallucination.n > 0
