"""What flows through Factscope: frozen records, from the text that is checked to the report on it.

A check emits these records one by one; the report is the fold of them, the store appends them, a page streams them.
Ids are readable paths: segment `s3`, its claim `s3.c2`, that claim's query `s3.c2.q1` and passage `s3.c2.p4`, the
judgement of it `s3.c2.p4.j1`. Spans are half-open offsets in Unicode code points: `text[span.start:span.end]`.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from factscope.errors import Boundary
from factscope.ids import id_key
from factscope.labels import Category, ClaimKind, Label, Outcome, SegmentKind, Stage


class Record(BaseModel):
    """Base of all records: immutable, closed, each field documented in the schema by the sentence under it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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
        """The characters of `text` that this span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one character."""
        return self.start < other.end and other.start < self.end


class Document(Record):
    """A whole source: a page, a file, a given context."""

    type: Literal["document"] = "document"
    id: str
    """`d-` and the first 16 hexadecimal digits of `sha256`: equal texts are one document."""
    text: str | None
    """The full readable text; `None` in a report, which keeps only the passages that were read."""
    url: str | None = None
    """Web address, or for a local file its path as the user gave it."""
    title: str | None = None
    """Title as the source states it, else the file's name."""
    category: Category = "other"
    """Kind of source."""
    published: str | None = None
    """Date of publication, ISO 8601, as far as the source states it."""
    fetched_at: str | None = None
    """When it was fetched from the web, ISO 8601 in UTC."""
    sha256: str
    """Hash of the readable text in UTF-8."""
    flags: tuple[str, ...] = ()
    """What a reader should know: `hidden_text_removed`, `instruction_like`, `truncated` …"""


class Response(Record):
    """The text to check. The text alone is enough."""

    type: Literal["response"] = "response"
    id: str = "r1"
    """Name of this response within its run; never like that of a segment."""
    text: str
    """What is checked."""
    prompt: str | None = None
    """The request that it answers."""
    context: tuple[Document, ...] = ()
    """Documents given with the request."""
    system: str | None = None
    """The instruction that governed the answer."""
    model: str | None = None
    """The model that wrote it."""

    @field_validator("id")
    @classmethod
    def _apart(cls, value: str) -> str:
        if re.match(r"s\d+(\.|$)", value):
            raise ValueError(f"{value!r} is the id of a segment; name the response otherwise")
        return value


class Segment(Record):
    """A cut of the response: `response.text[span.start:span.end] == text`."""

    type: Literal["segment"] = "segment"
    id: str
    """`s1`, `s2` … in reading order."""
    span: Span
    """Where it stands in the response."""
    text: str
    """Its exact characters."""
    kind: SegmentKind
    """What kind of text it is."""


class Claim(Record):
    """One checkable statement, or one that is skipped with a reason."""

    type: Literal["claim"] = "claim"
    id: str
    """`s3.c2`: second claim of segment 3."""
    segment_id: str
    """The segment that it was cut from."""
    text: str
    """The claim as the segment puts it, without markup."""
    standalone: str
    """The claim so that it needs no context; equal to `text` when nothing had to be added."""
    independent: bool = True
    """Whether it stood alone already (VERIFY's independence)."""
    kind: ClaimKind = "fact"
    """Unit type."""
    span: Span | None = None
    """Where in the response it stands; `None` if it could not be aligned."""
    alignment: Literal["exact", "fuzzy", "none"] = "none"
    """How `span` was found."""
    depends_on: tuple[str, ...] = ()
    """Ids of claims that must hold for this one to make sense."""
    skipped: str | None = None
    """Why it is not checked; `None` when it is."""


class Query(Record):
    """One search text."""

    type: Literal["query"] = "query"
    id: str
    """`s3.c2.q1`."""
    claim_id: str
    """The claim that it seeks evidence for."""
    round: int = Field(default=1, ge=1)
    """Its turn in iterative retrieval."""
    text: str
    """What was searched for."""
    rationale: str | None = None
    """Why it is put this way."""


class Passage(Record):
    """The part of a document that is shown to a judge: `document.text[span.start:span.end] == text`."""

    type: Literal["passage"] = "passage"
    id: str
    """`s3.c2.p4`: fourth passage for claim `s3.c2`."""
    claim_id: str
    """The claim that it was gathered for."""
    document_id: str
    """Where it comes from."""
    span: Span
    """Where it stands in the document's text."""
    text: str
    """Its exact characters."""
    rank: int = Field(ge=1)
    """Place among the passages of this claim, best first."""
    score: float
    """The ranker's score; comparable only within one query."""
    query_id: str | None = None
    """The query that found it."""


class Quote(Record):
    """Words of a passage that carry a judgement, verbatim."""

    passage_id: str
    """The passage that holds them."""
    span: Span
    """Where in the passage's text."""
    text: str
    """The words: `passage.text[span.start:span.end]`."""


class Judgement(Record):
    """One judge's label on one unit against the passages it read, or its failure: exactly one of the two."""

    type: Literal["judgement"] = "judgement"
    id: str
    """`s3.c2.p4.j1` for one passage, `s3.c2.j1` for all of them together."""
    unit_id: str
    """The claim that was judged."""
    passage_ids: tuple[str, ...]
    """What the judge read, in the order shown."""
    judge: str
    """Name and version of the judge."""
    sample: int = Field(default=1, ge=1)
    """Which of several samples of this judge."""
    label: Label | None = None
    """The label; `None` when the judge failed."""
    failure: str | None = None
    """Why there is no label; `None` when there is one."""
    raw_label: str | None = None
    """The judge's own word, before it was mapped to `label`."""
    rationale: str | None = None
    """The judge's reason, in its own words."""
    quote: Quote | None = None
    """The words of the passage that carry the label."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """How sure the judge is of `label`; `None` when it does not say."""

    @model_validator(mode="after")
    def _one_of(self) -> Judgement:
        if (self.label is None) == (self.failure is None):
            raise ValueError(f"judgement {self.id} must have a label or a failure, and not both")
        return self


class Verdict(Record):
    """The outcome of a unit after its judgements were rolled up."""

    type: Literal["verdict"] = "verdict"
    unit_id: str
    """A claim, a segment, or the response."""
    level: Literal["claim", "segment", "response"]
    """Which of the three `unit_id` is."""
    outcome: Outcome
    """Where it ended."""
    rule: str
    """Name of the rule that decided."""
    judgement_ids: tuple[str, ...] = ()
    """The judgements that the rule rested on."""
    reason: str | None = None
    """Why, when the outcome alone does not say it: what was skipped, what conflicts, what failed."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """How sure, from the judgements that decided."""
    correction: str | None = None
    """What the text should say instead."""


class Interval(Record):
    """A confidence interval from `low` to `high`."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""
    level: float = 0.95
    """Confidence level."""
    method: Literal["wilson", "wald", "bootstrap"]
    """How it was computed."""


class Score(Record):
    """A number with all that is needed to trust it."""

    type: Literal["score"] = "score"
    name: str
    """The measure with its parameters, such as `hallucination(alpha=0.5)`."""
    value: float | None
    """The number; `None` when there is nothing to count."""
    n: int = Field(ge=0)
    """How many things it counts: units, pieces of evidence or responses, see `over`."""
    over: Literal["units", "judgements", "responses"] = "units"
    """What `n` counts."""
    n_failed: int = Field(ge=0)
    """How many of these failed and are not in it."""
    coverage: float | None = Field(ge=0, le=1)
    """Units with a verdict / units to judge; `None` when there is nothing to judge."""
    interval: Interval | None = None
    """Uncertainty of `value`."""
    signature: str
    """All settings that the number depends on, and the version."""


class Failure(Record):
    """Something that went wrong for one unit. Counted, shown, never a label."""

    type: Literal["failure"] = "failure"
    unit_id: str
    """The response, segment or claim that it happened to."""
    stage: Stage
    """Where in the flow."""
    boundary: Boundary
    """Which outside thing failed; `internal` is a mistake of ours."""
    message: str
    """What failed and how to mend it."""


class Usage(Record):
    """What one role used."""

    type: Literal["usage"] = "usage"
    role: str
    """Who was called for: `judge`, `extract` …"""
    model: str
    """What was called."""
    calls: int = Field(ge=0)
    """Calls made."""
    cached_calls: int = Field(default=0, ge=0)
    """Calls answered from the cache."""
    tokens_in: int | None = None
    """Tokens sent; `None` when unknown or without meaning."""
    tokens_out: int | None = None
    """Tokens received."""
    cost: float | None = None
    """US dollars; `None` when unknown, never 0 for it."""
    seconds: float | None = None
    """Time waited; `None` when not measured."""


class Exclusions(Record):
    """Evidence that a person rules out. A passage is out if any of the four names it."""

    passages: tuple[str, ...] = ()
    """Passage ids."""
    documents: tuple[str, ...] = ()
    """Document ids, or their addresses or paths."""
    domains: tuple[str, ...] = ()
    """Host names, with their subdomains."""
    categories: tuple[Category, ...] = ()
    """Source categories."""


class Searched(Record):
    """Where evidence was sought."""

    id: str
    """Hash of the documents and of how they are indexed: the same content has the same one."""
    n_documents: int = Field(ge=0)
    """Documents in it; equal texts count once."""
    n_passages: int = Field(ge=0)
    """Index units that they are cut into."""
    problems: tuple[str, ...] = ()
    """What of the files could not be used, or not whole, and why; one line each."""


class Report(Record):
    """Everything about one checked response: enough to show it, and to score it again without any call."""

    type: Literal["report"] = "report"
    schema_version: Literal[1] = 1
    """Version of this form."""
    factscope: str
    """Version of Factscope that made it."""
    response: Response
    """What was checked."""
    method: dict[str, JsonValue]
    """The whole method, as values."""
    searched: Searched | None = None
    """Where evidence was sought; `None` when nothing could be."""
    segments: tuple[Segment, ...] = ()
    claims: tuple[Claim, ...] = ()
    queries: tuple[Query, ...] = ()
    documents: tuple[Document, ...] = ()
    passages: tuple[Passage, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    failures: tuple[Failure, ...] = ()
    usage: tuple[Usage, ...] = ()
    counts: dict[Outcome, int] = {}
    """How many units ended where. A unit is a claim, or a segment from which no claim came."""
    scores: tuple[Score, ...] = ()
    excluded: Exclusions = Exclusions()
    """What was ruled out when the verdicts and scores were computed."""

    @model_validator(mode="after")
    def _adds_up(self) -> Report:
        decided = [v.unit_id for v in self.verdicts if v.level != "response"]
        units = set(self.unit_ids())
        if len(decided) != len(set(decided)):
            raise ValueError("a unit has more than one verdict")
        if missing := units - set(decided):
            raise ValueError(f"units without a verdict: {', '.join(sorted(missing, key=id_key)[:5])}")
        if sum(self.counts.values()) != len(units):
            raise ValueError(f"counts add up to {sum(self.counts.values())}, not to the {len(units)} units cut")
        return self

    def unit_ids(self) -> tuple[str, ...]:
        """Ids of all units: every claim, and every segment without one."""
        with_claims = {claim.segment_id for claim in self.claims}
        bare = [segment.id for segment in self.segments if segment.id not in with_claims]
        return tuple(sorted([*bare, *(claim.id for claim in self.claims)], key=id_key))

    def verdict(self, unit_id: str | None = None) -> Verdict:
        """The verdict on a unit, or without an id on the whole response. Raises KeyError when there is none."""
        wanted = self.response.id if unit_id is None else unit_id
        for verdict in self.verdicts:
            if verdict.unit_id == wanted and (unit_id is not None or verdict.level == "response"):
                return verdict
        raise KeyError(f"no verdict on {wanted!r}")

    def score(self, name: str) -> Score:
        """The score of this name, in full or without its parameters. Raises KeyError when there is none."""
        for score in self.scores:
            if name in (score.name, score.name.partition("(")[0]):
                return score
        raise KeyError(f"no score {name!r}; there are: {', '.join(s.name for s in self.scores)}")
