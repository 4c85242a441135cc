"""Forms of each step when it is called separately. Inputs and outputs are records."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from factscope.core import Category, Outcome, UsageError, records
from factscope.methods import Measure, Passages, RollUp, Segmenting
from factscope.web.forms import MAX_DOCUMENT_BYTES, Form, Name, example

Measures = Annotated[tuple[Name, ...], Field(max_length=50)]


_RESPONSE = {"text": "The Marlow bridge was opened in 1931. It has six arches."}
_SEGMENT = {"id": "s1", "span": {"start": 0, "end": 37}, "text": _RESPONSE["text"][:37], "kind": "sentence"}
_CLAIM = {"id": "s1.c1", "segment_id": "s1", "text": _SEGMENT["text"], "standalone": _SEGMENT["text"]}
_PLAIN = {"name": "bridge.txt", "text": "The Marlow bridge was opened in 1931. It has four arches."}
_DOCUMENT = {"id": "d-1", "text": "The Marlow bridge was opened in 1931. It has four arches.", "sha256": ""}
_PASSAGE = {
    "id": "s1.c1.p1",
    "claim_id": "s1.c1",
    "document_id": "d-1",
    "span": {"start": 0, "end": 37},
    "text": "The Marlow bridge was opened in 1931.",
    "rank": 1,
    "score": 1.0,
}
_JUDGEMENT = {
    "id": "s1.c1.p1.j1",
    "unit_id": "s1.c1",
    "passage_ids": ["s1.c1.p1"],
    "judge": "me",
    "label": "supported",
    "confidence": 0.9,
}


class PlainDocument(Form):
    """A text as evidence, without the ids and hashes of a record."""

    name: Name | None = None
    """Its name."""
    text: str = Field(max_length=MAX_DOCUMENT_BYTES)
    """Its whole text."""
    title: str | None = Field(default=None, max_length=1_000)
    """Its title; default: its name."""
    url: str | None = Field(default=None, max_length=4_000)
    """Its address."""


StepDocument = records.Document | PlainDocument | str
"""A record, or a text with or without a name."""


class StepClaims(Form):
    """Claims to process: as records of another step, or as strings."""

    claim: records.Claim | str | None = None
    """One claim."""
    claims: tuple[records.Claim | str, ...] = Field(default=(), max_length=200)
    """Several, in place of `claim`."""
    response: records.Response | str | None = None
    """The text that contains them; default: the claims themselves."""


class SegmentRequest(Form):
    """A text to cut."""

    model_config = example(**_RESPONSE)
    text: str
    """The text to split."""
    into: Segmenting = "sentences"
    """Units to split it into."""


class Segments(Form):
    """A text, cut."""

    segments: tuple[records.Segment, ...]


class ClaimsRequest(Form):
    """A text, or segments of it, to extract claims from."""

    model_config = example(text=_RESPONSE["text"])
    text: str | None = None
    """The text."""
    response: records.Response | str | None = None
    """The text as a record, with the request that it answers; in place of `text`."""
    segments: tuple[records.Segment, ...] | None = None
    """Segments to process, with offsets into the text; default: as the method splits it."""
    method: Name = "builtin"
    """Method with the rules and prompts to use."""
    model: Name | None = None
    """The model for all roles, as `provider/model`; default: as the server is set up."""


class Claims(Form):
    """Claims, and the failures by segment."""

    segments: tuple[records.Segment, ...]
    claims: tuple[records.Claim, ...]
    failures: tuple[records.Failure, ...] = ()
    usage: tuple[records.Usage, ...] = ()


class QueriesRequest(StepClaims):
    """Claims to write searches for."""

    model_config = example(claim=_CLAIM["text"])
    method: Name = "builtin"
    """Method that writes them: the claim's own text, or a model."""
    model: Name | None = None
    """The model for all roles, as `provider/model`."""


class WrittenQueries(Form):
    """The searches of the first round of a method, before any results."""

    queries: tuple[records.Query, ...]
    failures: tuple[records.Failure, ...] = ()
    usage: tuple[records.Usage, ...] = ()


class SearchRequest(Form):
    """A search of the web."""

    model_config = example(query="Marlow bridge opened", engine="wikipedia")
    query: str = Field(min_length=1, max_length=2_000)
    engine: Name
    """Search engine."""
    results: int = Field(default=10, ge=1, le=50)
    """Most results."""
    allow_sites: tuple[Name, ...] = Field(default=(), max_length=100)
    """Only these sites."""
    deny_sites: tuple[Name, ...] = Field(default=(), max_length=100)
    """Sites that are left out."""
    language: str | None = Field(default=None, max_length=35)
    """Such as en or pt-BR."""
    region: str | None = Field(default=None, max_length=2)
    """Such as US."""


class Hits(Form):
    """Results that a search engine lists; a search that failed says so."""

    hits: tuple[records.SearchHit, ...]
    failures: tuple[records.Failure, ...] = ()


class FetchRequest(Form):
    """A page to fetch and read."""

    model_config = example(url="https://en.wikipedia.org/wiki/Marlow_Bridge")
    url: str = Field(min_length=1, max_length=4_000)
    """Its address; only public ones are fetched."""


class PageFetch(Form):
    """A page as a document with its readable text, or the reason why there is none."""

    document: records.Document | None
    failures: tuple[records.Failure, ...] = ()


class PassagesRequest(Form):
    """Documents to search for a claim."""

    model_config = example(claim=_CLAIM["text"], documents=[_PLAIN])
    claim: records.Claim | str
    """A record of another step, or a string."""
    query: str | None = Field(default=None, max_length=2_000)
    """Search text; default: the standalone claim."""
    documents: tuple[StepDocument, ...] = Field(max_length=100)
    """Each with its text: records, objects with a text, or strings."""
    passages: Passages = Passages()
    """How passages are cut and ranked."""


class FoundPassages(Form):
    """Passages that match a claim, best first."""

    passages: tuple[records.Passage, ...]


class SourceRequest(Form):
    """A source to categorise by its host name alone."""

    model_config = example(source="https://www.bbc.co.uk/news")
    source: str = Field(min_length=1, max_length=4_000)
    """An address or a host name."""


class SourceCategory(Form):
    """The category of a source, and how it was assigned."""

    host: str
    category: Category
    how: str
    """`own`, `table`, `suffix`, `rule`, the model that was asked, or `unknown`."""


class JudgeRequest(StepClaims):
    """Claims to judge by given passages, or by passages found in documents."""

    model_config = example(claim=_CLAIM["text"], documents=[_PLAIN])
    segments: tuple[records.Segment, ...] | None = None
    """The segments that the claims were extracted from."""
    documents: tuple[StepDocument, ...] = Field(default=(), max_length=100)
    """Documents of the passages, or to search if no passages are given. Some judges are shown their titles and
    addresses."""
    passages: tuple[records.Passage, ...] | None = Field(default=None, max_length=2_000)
    """The passages to judge by; default: those that the method would find in the documents."""
    method: Name = "builtin"
    """Method that judges."""
    model: Name | None = None
    """The model for all roles, as `provider/model`."""


class Judgements(Form):
    """Judgements with their claims and passages, and the failures by claim."""

    claims: tuple[records.Claim, ...]
    passages: tuple[records.Passage, ...]
    judgements: tuple[records.Judgement, ...]
    failures: tuple[records.Failure, ...] = ()
    usage: tuple[records.Usage, ...] = ()


class RollUpRequest(Form):
    """Judgements to combine into verdicts."""

    model_config = example(
        response=_RESPONSE,
        segments=[_SEGMENT],
        claims=[_CLAIM],
        documents=[_DOCUMENT],
        passages=[_PASSAGE],
        judgements=[_JUDGEMENT],
    )
    response: records.Response
    segments: tuple[records.Segment, ...]
    claims: tuple[records.Claim, ...]
    documents: tuple[records.Document, ...] = ()
    passages: tuple[records.Passage, ...] = ()
    judgements: tuple[records.Judgement, ...] = ()
    failures: tuple[records.Failure, ...] = ()
    rules: RollUp = RollUp()
    """The rules of the method."""
    judges: int = Field(default=1, ge=1, le=9)
    """Number of judges without an arbiter."""
    exclude: records.Exclusions = records.Exclusions()
    """Evidence that is left out."""


class RolledUpVerdicts(Form):
    """Verdicts on claims, segments and response, and the number of units by outcome."""

    verdicts: tuple[records.Verdict, ...]
    counts: dict[Outcome, int]
    unknown: tuple[str, ...] = ()
    """Messages about exclusions that leave out nothing, as no evidence has that name; likely mistyped."""


class ScoreRequest(Form):
    """A report to compute scores from, unchanged."""

    report: records.Report
    measures: Measures | None = None
    """Such as `credibility` or `hallucination(alpha=0.5)`; default: those of the report's method."""


class Scores(Form):
    """Numbers with their intervals and coverage."""

    scores: tuple[records.Score, ...]


class RescoreRequest(Form):
    """A report whose verdicts and scores are recomputed without some evidence."""

    report: records.Report
    exclude: records.Exclusions = records.Exclusions()
    """Evidence that is left out."""
    measures: Measures | None = None
    """Default: those of the report's method."""


def measures_of(measures: Measures | None) -> tuple[Measure, ...] | None:
    """Return measures from their names, if any are given. Raises UsageError for an invalid name."""
    try:
        return None if measures is None else tuple(map(Measure.parse, measures))
    except ValueError as error:
        raise UsageError(f"{error}.") from None
