"""Labelled samples, against which checkers are measured."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from factscope.core.labels import Label
from factscope.core.records.flow import Document, Record, Span

Level = Literal["claim", "segment", "response"]
"""Level of a label, and of the measurement of a checker."""


class Gold(Record):
    """A human label of one unit of a sample."""

    id: str
    """Its name within the sample: `g1`, `g2` …, or the data set's own."""
    level: Level
    """Level of the unit."""
    span: Span | None = None
    """Span in the response; `None` for the whole response, and where it could not be found there."""
    text: str | None = None
    """A claim in the data set's own words; `None` when the span has its text."""
    factual: bool | None
    """Whether annotators find it correct; `None`, which is never scored, when they could not tell or it is not to be
    judged."""
    label: Label | None = None
    """The label itself, in data sets with more than right and wrong."""
    error_type: str | None = None
    """The kind of error, in the words of the data set."""
    comment: str | None = None
    """Reason why it is wrong, in the annotator's words."""
    references: tuple[str, ...] = ()
    """Grounds of the label: ids of documents of the sample's context, or addresses."""


class SampleHints(NamedTuple):
    """Details that a data set gives about a response, besides its text."""

    segments: tuple[Span, ...] = ()
    """Where the data set cuts it; empty where it does not say."""
    domain: str | None = None
    """Its domain in that data set."""


class Sample(Record):
    """One labelled text of a data set."""

    id: str
    """Unique within the data set."""
    prompt: str | None = None
    """The request that it answers."""
    context: tuple[Document, ...] = ()
    """Evidence given with it, with its text."""
    response: str | None
    """The text that is checked; `None` when the data set has none (FELM has two of these), which is counted."""
    gold: tuple[Gold, ...]
    """Human labels, in reading order within each level."""
    tags: dict[str, str] = Field(default={})
    """Tags that results are grouped by: `domain`, `model`, `topic`, `tier`, `dataset` …"""

    @model_validator(mode="after")
    def _fits(self) -> Sample:
        names = [gold.id for gold in self.gold]
        if len(names) != len(set(names)):
            raise ValueError(f"sample {self.id}: two labels have the same id")
        for gold in self.gold:
            if gold.span and gold.span.end > len(self.response or ""):
                raise ValueError(f"sample {self.id}: label {gold.id} ends at {gold.span.end}, after the response")
        return self

    def of(self, level: Level) -> tuple[Gold, ...]:
        """Return the labels of one level."""
        return tuple(gold for gold in self.gold if gold.level == level)
