"""Forms of the annotation page: its requests and the server's replies.

A segment is the part of a task's text between two cuts; cuts are offsets in characters, so a merge removes a cut and a
split adds one, and the segments always make up the text.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from factscope.core import many
from factscope.web.forms import Form

MAX_SEGMENTS = 5_000
"""Segments of one task."""
MAX_TEXT = 500_000
"""Characters of one task's text."""
MAX_LINK = 2_000
"""Characters of an address."""
MAX_LINKS = 100
"""Addresses of one answer."""
_MAX_SECONDS = 10_000_000  # four months; more is a clock that was changed

Role = Literal["annotator", "adjudicator", "reviewer"]
"""An annotator answers independently; an adjudicator decides where annotators differ; a reviewer checks all decisions.
"""
Kind = Literal["knowledge_error", "reasoning_error", "irrelevant_with_qst", "fooled"]
"""FELM's kinds of error, in its own words."""
ItemState = Literal["waiting", "open", "begun", "done"]
"""`waiting` for others: this person can't do anything yet."""
Cuts = Annotated[tuple[int, ...], Field(max_length=MAX_SEGMENTS)]
Link = Annotated[str, Field(max_length=MAX_LINK)]


class SegmentMark(Form):
    """A person's mark on one segment."""

    correct: bool | None = None
    """Whether it is right; none while the person has not answered."""
    kind: Kind | None = None
    """The kind of error of a wrong one."""
    reason: str = Field(default="", max_length=10_000)
    """Reason why it is wrong, in the person's words."""

    @model_validator(mode="after")
    def _fits(self) -> SegmentMark:
        if self.kind and self.correct is not False:
            raise ValueError("only a wrong segment has a kind of error")
        return self


class SegmentEdit(Form):
    """A change of the cuts."""

    what: Literal["merge", "split"]
    """Whether a cut was removed or added."""
    at: int = Field(ge=1, le=MAX_TEXT)
    """Offset of the cut."""


class Annotation(Form):
    """One person's answer on one task."""

    keep: bool = True
    """Whether the sample stays in the data set; one that is removed needs no marks."""
    done: bool = False
    """Whether the person has finished it."""
    cuts: Cuts = ()
    """Offsets in characters at which segments begin, except the first."""
    marks: Annotated[tuple[SegmentMark, ...], Field(min_length=1, max_length=MAX_SEGMENTS)]
    """One for each segment."""
    references: tuple[Link, ...] = Field(default=(), max_length=MAX_LINKS)
    """Addresses of pages that support or contradict it."""
    edits: tuple[SegmentEdit, ...] = Field(default=(), max_length=MAX_SEGMENTS)
    """Merges and splits that led to these segments, in the order of time."""
    seconds: float = Field(default=0, ge=0, le=_MAX_SECONDS)
    """Seconds that the person spent on it."""

    @model_validator(mode="after")
    def _fits(self) -> Annotation:
        if len(self.marks) != len(self.cuts) + 1:
            raise ValueError(f"there are {len(self.marks)} marks for {many(len(self.cuts) + 1, 'segment')}")
        if any(a >= b for a, b in pairwise((0, *self.cuts))):
            raise ValueError("cuts lie after the beginning of the text, each after the one before")
        if self.done and not self.complete:
            raise ValueError("an answer is done once each segment is marked, and each wrong one has a kind of error")
        return self

    @property
    def complete(self) -> bool:
        """Return whether all labels are complete."""
        return not self.keep or all(mark.correct or (mark.correct is False and mark.kind) for mark in self.marks)

    @property
    def begun(self) -> bool:
        """Return whether the person has entered anything, so that a suggestion can no longer influence it."""
        return not self.keep or any(mark.correct is not None for mark in self.marks)


class AnnotationTask(Form):
    """One sample to label."""

    id: str
    """Its name in the file."""
    domain: str | None = None
    """Its domain, as FELM has them."""
    source: str | None = None
    """Source of the prompt."""
    prompt: str | None = None
    """The prompt."""
    text: str = Field(min_length=1, max_length=MAX_TEXT)
    """The answer to the prompt, which is labelled."""
    cuts: Cuts = ()
    """Cuts of the file, otherwise the starts of sentences."""
    references: tuple[str, ...] = ()
    """Addresses in the file."""


class Suggestion(Form):
    """Labels that the file already has, from a machine or from a person."""

    marks: tuple[SegmentMark, ...]
    """One for each segment of the file."""


class StoredTask(Form):
    """A task as it is stored."""

    task: AnnotationTask
    """The task that people see."""
    segments: tuple[str, ...] | None = None
    """The segments in the file, if it has any."""
    response: str | None = None
    """The response in the file; none where the text was made from its segments."""
    contents: tuple[str, ...] = ()
    """Content of each reference in the file."""
    suggestion: Suggestion | None = None
    """Labels in the file."""


class QueueMember(Form):
    """A person's role in a queue."""

    name: str = Field(min_length=1, max_length=100)
    """Their name."""
    role: Role
    """Their task."""


class QueueItem(Form):
    """A task in a person's queue."""

    number: int = Field(ge=1)
    """Its number in the file, among the usable rows."""
    id: str
    """Its name."""
    domain: str | None = None
    """Its domain."""
    state: ItemState
    """This person's progress."""


class AnnotationQueue(Form):
    """A queue as one person sees it."""

    id: str
    """Its id."""
    name: str
    """The file's name."""
    seat: QueueMember
    """The current person."""
    alone: bool
    """Whether there is only one annotator, who may then see and export everything."""
    guidelines: str | None = None
    """Labelling guidelines given for it; none for those of FELM, which the page has."""
    items: tuple[QueueItem, ...]
    """Tasks, in the order of the file."""


class OtherAnswer(Form):
    """Another person's answer, for an adjudicator or reviewer."""

    seat: QueueMember
    """The person who gave it."""
    answer: Annotation
    """Their answer."""


class AnnotationItem(Form):
    """A task as one person works on it."""

    number: int = Field(ge=1)
    """Its place in the queue."""
    task: AnnotationTask
    """The sample."""
    state: ItemState
    """This person's progress."""
    revision: int = Field(ge=0)
    """Number of their changes; 0 before the first."""
    answer: Annotation
    """Their answer so far, or their starting point."""
    suggestion: Suggestion | None = None
    """Labels in the file; not shown before the person's own first answer."""
    others: tuple[OtherAnswer, ...] = ()
    """Earlier answers of others; always empty for an annotator."""


class SavedAnnotation(Form):
    """Confirmation that an answer is stored in the database."""

    revision: int = Field(ge=1)
    """Revision to send with the next change."""
    state: ItemState
    """This person's progress."""
    suggestion: Suggestion | None = None
    """Labels in the file, once the person has answered."""


class AgreementMeasure(Form):
    """A measure of agreement."""

    value: float | None = None
    """The measure; none where it is undefined, as when only one label occurs."""
    low: float | None = None
    """Lower end of the 95 % interval by resampling samples; none with fewer than ten samples."""
    high: float | None = None
    """Upper end."""


class AgreementFigures(Form):
    """Agreement of annotators on right and wrong, over the samples that at least two of them have finished."""

    samples: int
    """Samples that at least two have finished and keep."""
    units: int
    """Parts of the text that are compared: those between the cuts of all annotators."""
    keep_differs: int
    """Samples that some keep and some remove; they are not counted in `samples`."""
    percent: AgreementMeasure
    """Share of pairs of labels on a stretch that are the same."""
    kappa: AgreementMeasure
    """Cohen's kappa, for exactly two annotators."""
    alpha: AgreementMeasure
    """Krippendorff's alpha, nominal."""


class DomainAgreement(AgreementFigures):
    """Agreement of annotators on the samples of one domain."""

    domain: str
    """Its name in the file."""


class AnnotationAgreement(AgreementFigures):
    """Agreement of annotators on all samples together, and by domain."""

    annotators: tuple[str, ...]
    """The annotators who are compared."""
    domains: tuple[DomainAgreement, ...] = ()
    """By domain, in the order of the file; none where there is one domain only, or very many."""
