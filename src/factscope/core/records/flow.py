"""Frozen records that flow through Factscope, from the checked text to the report on it.

A check emits these records one by one; the report collects them, the store appends them, a page streams them. Ids are
readable paths: segment `s3`, its claim `s3.c2`, that claim's query `s3.c2.q1` and passage `s3.c2.p4`, the judgement of
it `s3.c2.p4.j1`. Spans are half-open offsets in Unicode code points: `text[span.start:span.end]`.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from factscope.core.documented import Documented
from factscope.core.labels import Category, ClaimKind, ErrorType, Gap, Label, Outcome, SegmentKind


class Record(Documented):
    """Base of all records: immutable, no extra fields, each field described in the schema by the docstring under it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Span(Record):
    """Half-open code-point offsets into the owner's text."""

    start: int = Field(ge=0)
    """First offset."""
    end: int = Field(ge=0)
    """Offset after the last character."""

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.end < self.start:
            raise ValueError(f"span ends at {self.end}, before it starts at {self.start}")
        return self

    def of(self, text: str) -> str:
        """Return the characters of `text` that this span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share at least one character."""
        return self.start < other.end and other.start < self.end


class Document(Record):
    """A whole source: a page, a file, a given context."""

    type: Literal["document"] = "document"
    id: str
    """`d-` and 16 hexadecimal digits: of the hash of the text, and for a page of the web of its address too."""
    text: str | None
    """The full readable text; `None` in a report, which keeps only the passages that were read."""
    url: str | None = None
    """Web address, or for a local file its path as the user gave it."""
    title: str | None = None
    """Title as the source states it, else the file's name, with folders where two files of a report share it."""
    author: str | None = None
    """Author, as the source states it; several are separated by commas."""
    publisher: str | None = None
    """Publisher, as the source states it."""
    language: str | None = None
    """Two or three letters, as in ISO 639: as the source states it, otherwise guessed."""
    category: Category = "other"
    """Kind of source."""
    category_by: str | None = None
    """How `category` was assigned: `own` (the user's table), `table`, `suffix` (a domain suffix that only some may
    register), `rule` (a pattern in the name), `page` (a statement on the page), or the name of the model that was
    asked; `None` when nothing decided."""
    published: str | None = None
    """Date of publication, ISO 8601, as far as the source states it."""
    fetched_at: str | None = None
    """When it was fetched from the web, ISO 8601 in UTC."""
    sha256: str = Field(default="", validate_default=True)
    """Hash of the readable text in UTF-8. If it is not given, it is computed from the text; empty without either."""
    flags: tuple[str, ...] = ()
    """Notes for a reader: `hidden_text_removed`, `instruction_like`, `truncated` …"""

    @field_validator("sha256")
    @classmethod
    def _computed(cls, digest: str, info: ValidationInfo) -> str:
        text = info.data.get("text")
        return digest or (sha256(text.encode(errors="surrogatepass")).hexdigest() if text is not None else "")


class Response(Record):
    """The text to check. Only `text` is required."""

    type: Literal["response"] = "response"
    id: str = "r1"
    """Name of this response within its run; never one like a segment's."""
    text: str
    """The text to check."""
    prompt: str | None = None
    """The request that it answers."""
    context: tuple[Document, ...] = ()
    """Documents given with the request."""
    system: str | None = None
    """The system message that the answer was written under."""
    model: str | None = None
    """The model that wrote it."""
    url: str | None = None
    """The address where it is published; its own site does not count as evidence for it."""

    @field_validator("id")
    @classmethod
    def _distinct_ids(cls, value: str) -> str:
        if re.match(r"s\d+(\.|$)", value):
            raise ValueError(f"{value!r} is the id of a segment; name the response otherwise")
        return value


class Segment(Record):
    """A piece of the response: `response.text[span.start:span.end] == text`."""

    type: Literal["segment"] = "segment"
    id: str
    """`s1`, `s2` … in reading order."""
    span: Span
    """Span in the response."""
    text: str
    """Its exact characters."""
    kind: SegmentKind
    """Kind of text."""


class Claim(Record):
    """One checkable statement, or a statement that is skipped for a reason."""

    type: Literal["claim"] = "claim"
    id: str
    """`s3.c2`: second claim of segment 3."""
    segment_id: str
    """The segment that it was cut from."""
    text: str
    """The claim in the segment's words, without markup."""
    standalone: str
    """The claim worded so that it needs no context; equal to `text` when nothing had to be added."""
    independent: bool = True
    """Whether it was understandable on its own already (VERIFY's independence)."""
    kind: ClaimKind = "fact"
    """Unit type."""
    span: Span | None = None
    """Span in the response; `None` if it could not be aligned."""
    alignment: Literal["exact", "fuzzy", "none"] = "none"
    """How `span` was determined."""
    depends_on: tuple[str, ...] = ()
    """Ids of claims that must hold for this one to make sense."""
    skipped: str | None = None
    """Why it is not checked; `None` when it is."""


class Query(Record):
    """One search text."""

    type: Literal["query"] = "query"
    id: str
    """Id such as `s3.c2.q1`."""
    claim_id: str
    """The claim that it searches evidence for."""
    round: int = Field(default=1, ge=1)
    """Its round in iterative retrieval."""
    text: str
    """The search text."""
    rationale: str | None = None
    """Reason for this wording."""
    lender_id: str | None = None
    """The segment whose names were added to it; `None` when it has only the claim's own words."""
    ended: str | None = None
    """Why no search followed this one; `None` when one did, or the method gives no reason."""


class SearchHit(Record):
    """A result that a search engine listed for a query, read or not."""

    type: Literal["hit"] = "hit"
    id: str
    """`s3.c2.q1.h4`: fourth result of query `s3.c2.q1`."""
    query_id: str
    """The query."""
    rank: int = Field(ge=1)
    """Place in the engine's list."""
    url: str
    """Its address."""
    title: str
    """Its title as the engine shows it."""
    snippet: str
    """The engine's snippet."""
    published: str | None = None
    """Date of publication, as far as the engine states it."""


class Passage(Record):
    """The part of a document that is shown to a judge: `document.text[span.start:span.end] == text`."""

    type: Literal["passage"] = "passage"
    id: str
    """`s3.c2.p4`: fourth passage for claim `s3.c2`."""
    claim_id: str
    """The claim that it was gathered for."""
    document_id: str
    """The document it is from."""
    span: Span
    """Span in the document's text."""
    text: str
    """Its exact characters."""
    reading: str | None = None
    """Text that the judge reads instead of `text` where that alone is not clear enough: with the title and headings
    above it, or a table row with its column names; `None` when the judge reads `text`."""
    rank: int = Field(ge=1)
    """Place among the passages of this claim, best first."""
    score: float
    """The ranker's score; comparable only within one query."""
    query_id: str | None = None
    """The query that found it; `None` when it was not found by a search."""
    instructions: tuple[Span, ...] = ()
    """Spans of its text that look like instructions to a model.

    They are shown to the reader, and never obeyed."""
    copy_of: str | None = None
    """The first passage for this claim that has almost the same words; `None` when there is none."""


class Quote(Record):
    """Words of a passage that a judgement rests on, verbatim."""

    passage_id: str
    """The passage that holds them."""
    span: Span
    """Span in the passage's text."""
    text: str
    """The words: `passage.text[span.start:span.end]`."""


ConfidenceFrom = Literal["calibrated", "verifier", "logprobs", "samples", "stated"]
"""`calibrated`: a verifier's probability, calibrated on the user's own labels; `verifier`: as it states it; `logprobs`:
probabilities of a model's tokens; `samples`: share of samples that agree; `stated`: a number that the model states,
which is the least reliable."""
JudgementFlag = Literal[
    "quote_not_found", "in_pieces", "passed_on", "unsure", "nothing_to_read", "too_long", "partly_read",
    "other_language", "read_together",
]  # fmt: skip
"""`quote_not_found`: the judge's quoted words are not in the passage, or not about the claim, so its label does not
count; `in_pieces`: the documents are longer than the judge can read, and were shown to it in pieces; `passed_on`: a
verifier was asked first, and was unsure of the claim or called it contradicted. The others say why a verifier abstains.
`unsure`: its probabilities are too close together; `nothing_to_read`: claim or passage holds no words; `too_long`: the
claim is longer than it can read; `partly_read`: so is the passage, and the part that was read settles nothing;
`other_language`: it reads another language. `read_together`: a verifier read several passages as one, as none alone
settles the claim, so that the label stands only with all of them."""


class Judgement(Record):
    """One judge's label on one unit against the passages it read, or its failure: exactly one of the two."""

    type: Literal["judgement"] = "judgement"
    id: str
    """`s3.c2.p4.j1` for one passage, `s3.c2.j1` for several together."""
    unit_id: str
    """The claim that was judged."""
    passage_ids: tuple[str, ...]
    """The passages that the judge read, in the order shown."""
    judge: str
    """Name and version of the judge."""
    sample: int = Field(default=1, ge=1)
    """Number of this sample among several of this judge."""
    label: Label | None = None
    """The label; `None` when the judge failed."""
    failure: str | None = None
    """Reason why there is no label; `None` when there is one."""
    raw_label: str | None = None
    """The judge's own word for the label."""
    rationale: str | None = None
    """The judge's reason, in its own words."""
    quote: Quote | None = None
    """The words of the passage that the label rests on."""
    gap: Gap | None = None
    """Reason why the passages do not settle the claim; `None` when they do, or the judge states none."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """The judge's confidence in `label`; `None` when it gives none."""
    confidence_from: ConfidenceFrom | None = None
    """Source of `confidence`; `None` when there is none."""
    unsupported: tuple[Span, ...] = ()
    """Words of the claim (in `standalone`) that the evidence does not support: without them a verifier finds more
    support."""
    flags: tuple[JudgementFlag, ...] = ()
    """Notes for a reader on how the judgement came about."""
    call: str | None = None
    """Key of the model's reply in the cache; `None` when no model was called, or several calls were made."""

    @model_validator(mode="after")
    def _one_of(self) -> Judgement:
        if (self.label is None) == (self.failure is None):
            raise ValueError(f"judgement {self.id} must have a label or a failure, and not both")
        return self


class Verdict(Record):
    """The outcome of a unit, combined from its judgements."""

    type: Literal["verdict"] = "verdict"
    unit_id: str
    """A claim, a segment, or the response."""
    level: Literal["claim", "segment", "response"]
    """Level of `unit_id`."""
    outcome: Outcome
    """Outcome of the unit."""
    rule: str
    """Name of the rule that decided it."""
    judgement_ids: tuple[str, ...] = ()
    """The judgements that the rule used."""
    reason: str | None = None
    """Reason, when the outcome alone does not give it: skipped, in conflict, or failed."""
    gap: Gap | None = None
    """Reason why the evidence does not settle an undecided claim."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """Confidence, from the judgements that decided."""
    agreement: float | None = Field(default=None, ge=0, le=1)
    """Share of the judges of a panel that agree with it; `None` without a panel."""
    at_risk: tuple[str, ...] = ()
    """Contradicted claims that this one depends on. Their errors are counted there, and not again here."""


class Correction(Record):
    """The error of a contradicted claim, and a corrected wording."""

    type: Literal["correction"] = "correction"
    unit_id: str
    """The claim."""
    error: ErrorType
    """The kind of error."""
    text: str | None = None
    """The segment, corrected with as few changes as possible; `None` when the evidence does not give the right answer.
    """
    quote: Quote | None = None
    """The words that the correction rests on; `None` when the words that the model quoted are not in the passage."""
    rationale: str | None = None
    """The model's reason, in its own words."""
