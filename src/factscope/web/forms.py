"""Forms of checks: requests to the server and its replies. Existing records are used where possible."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WrapValidator, model_validator

from factscope.core import Category, Outcome
from factscope.core.records import Exclusions, Report, Score
from factscope.methods.strictness import Strictness

MAX_DOCUMENTS = 20
"""Documents of one check."""
MAX_CONTEXTS = 200
"""Contexts of one check."""
MAX_DOCUMENT_BYTES = 10_000_000
"""Bytes of one of them."""
MAX_DOCUMENTS_BYTES = 25_000_000
"""Bytes of all of them."""
_LONGEST_NAME = 200  # characters of a name

State = Literal["queued", "running", "done", "stopped", "failed"]
"""State of a check: `stopped` by its user, `failed` as a whole because of an error that would affect every unit."""
LIVE: tuple[State, ...] = ("queued", "running")
Ranker = Literal["bm25", "dense", "hybrid"]
Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)]


class Form(BaseModel):
    """Base of all forms: immutable, no extra fields, each field described in the schema by the docstring under it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def example(**values: Any) -> ConfigDict:
    """Return the configuration of a form with an example of it in the schema."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class FieldError(Form):
    """A field of a request that can't be used."""

    field: str
    """Its path, such as `documents.0.name`."""
    message: str
    """The problem with it."""


class Problem(Form):
    """An error in the format of RFC 9457, with its fix."""

    type: str = "about:blank"
    """Kind of problem; `about:blank` when the status is specific enough."""
    title: str
    """Kind of problem, in words."""
    status: int
    """The HTTP status."""
    detail: str
    """The failure, with the item that it concerns."""
    hint: str | None = None
    """The fix."""
    errors: tuple[FieldError, ...] | None = None
    """The invalid fields, if the problem is in these."""


class DroppedDocument(Form):
    """A document that is evidence of one check: its text, or a file's content."""

    name: Name
    """Name of the file; its extension determines its kind (txt, md, html, pdf, csv, jsonl, …)."""
    text: str | None = Field(default=None, max_length=MAX_DOCUMENT_BYTES)
    """Its text, when it is plain text."""
    base64: str | None = Field(default=None, max_length=MAX_DOCUMENT_BYTES * 4 // 3 + 4)
    """Its bytes in Base64, otherwise."""

    @model_validator(mode="after")
    def _one_of(self) -> DroppedDocument:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("a document has a text or base64, and not both")
        return self


class ContextText(Form):
    """A text that the answer was written from."""

    text: str = Field(min_length=1, max_length=MAX_DOCUMENT_BYTES)
    """Its words."""
    id: Name | None = None
    """Its own name, different from the others'."""
    title: Name | None = None
    """Title to show."""
    url: str | None = Field(default=None, max_length=2_000)
    """Its address on the web."""


class NamedDocument(Form):
    """A document of a check, without its content."""

    name: str
    """Name of the file."""
    bytes: int = Field(ge=0)
    """Size in bytes."""


class CheckParameters(Form):
    """Parameters of a check, besides text and documents; those not given have the method's defaults."""

    method: Name | None = None
    """Method by name; `GET /api/v1/setup` lists them. Default: `standard` with a model, otherwise `builtin`."""
    model: Name | None = None
    """The model for all roles, as `provider/model`; default: the server's setting."""
    search: Name | None = None
    """Search engine of the web; without it only the documents are searched."""
    results: int | None = Field(default=None, ge=1, le=50)
    """Web results that are used for one query."""
    pages: bool | None = None
    """Whether the pages of web results are read, or only the search engine's snippets."""
    passages: int | None = Field(default=None, ge=1, le=100)
    """Passages per query."""
    window: int | None = Field(default=None, ge=0, le=50)
    """Sentences of context on each side of the best sentence."""
    ranker: Ranker | None = None
    """Ranking of passages: keywords, semantic similarity, or both."""
    strictness: Strictness | None = None
    """How readily a claim is called contradicted; default: the server's setting, otherwise the method's."""
    deny_categories: tuple[Category, ...] = ()
    """Categories of sources that are not evidence."""
    allow_sites: tuple[Name, ...] = Field(default=(), max_length=100)
    """Only these sites and their subdomains are evidence from the web."""
    deny_sites: tuple[Name, ...] = Field(default=(), max_length=100)
    """Sites that are not evidence."""
    published_after: date | None = None
    """Earliest date of publication of search results."""
    published_before: date | None = None
    """Latest date of publication."""
    language: str | None = Field(default=None, max_length=35)
    """Language of the search, such as en or pt-BR."""
    region: str | None = Field(default=None, max_length=2)
    """Country of the search, such as US."""
    max_cost: float | None = Field(default=None, gt=0, le=1_000_000)
    """US dollars that models may cost in one run of the check; further calls fail, and a retry is a new run. Only for
    models whose price is known."""
    cited: bool = False
    """Whether the text is checked against the sources that it cites; `documents` are then local copies of sources."""
    repair: bool = False
    """With `cited`, whether another source is proposed for each claim that its own sources do not support."""
    offline: bool = False
    """With `cited`, whether only the documents are used, and nothing is fetched from the web."""


class CheckedText(CheckParameters):
    """A text to check, with the parameters of the check."""

    text: str
    """The text to check."""
    question: str | None = None
    """The question that the text answers."""
    contexts: Annotated[tuple[str | ContextText, ...], Field(max_length=MAX_CONTEXTS)] = ()
    """The texts that it was written from and is checked against: strings, or objects with `text`."""


class CheckRequest(CheckedText):
    """A check to make."""

    model_config = example(
        text="The Marlow bridge was opened in 1931. It has six arches.",
        documents=[{"name": "bridge.txt", "text": "The Marlow bridge was opened in 1931. It has four arches."}],
        method="builtin",
    )

    documents: tuple[DroppedDocument, ...] = Field(default=(), max_length=MAX_DOCUMENTS)
    """Documents to search, in addition to the web if there is a search engine."""


class StoredRequest(CheckedText):
    """The request of a check, with its documents by name."""

    documents: tuple[NamedDocument, ...] = ()
    """The documents searched."""


class Progress(Form):
    """Progress of a check."""

    segments: int = Field(default=0, ge=0)
    """Segments cut."""
    claims: int = Field(default=0, ge=0)
    """Claims extracted, including those that are not checked."""
    judged: int = Field(default=0, ge=0)
    """Claims with a verdict."""
    failed: int = Field(default=0, ge=0)
    """Of these, claims that failed."""


class Override(Form):
    """A person's own verdict on a unit, stored separately from the check's."""

    unit_id: Name
    """The claim or segment."""
    outcome: Outcome
    """The person's verdict."""
    who: Name
    """The person's name."""
    why: str = Field(max_length=2_000)
    """Reason for it."""
    at: str = Field(max_length=40)
    """When, ISO 8601."""


class Choices(Form):
    """Choices that a person made about a result, which do not change the result itself."""

    exclude: Exclusions = Exclusions()
    """Evidence that is left out."""
    bands: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]] = (0.3, 0.6)
    """Shares of supporting evidence from which the colour is orange, and green (Facts&Evidence, section 3)."""
    overrides: tuple[Override, ...] = Field(default=(), max_length=500)
    """Verdicts of a person."""
    reason: str | None = Field(default=None, max_length=2_000)
    """Reason why evidence was excluded."""
    accepted: tuple[Name, ...] = Field(default=(), max_length=10_000)
    """Claims whose correction was accepted: the text is shown and exported with these."""


class CheckSummary(Form):
    """A check in a list."""

    id: str
    """Unguessable."""
    state: State
    created: str
    """When it was requested, ISO 8601 in UTC."""
    ended: str | None = None
    """When it ended, ISO 8601 in UTC."""
    title: str
    """The beginning of the text."""
    method: str
    """Name of the method."""
    counts: dict[Outcome, int] | None = None
    """Number of units by outcome; none before the end. In a list, without the evidence that you left out."""
    scores: tuple[Score, ...] = ()
    """The scores; empty before the end. In a list, without the evidence that you left out."""
    progress: Progress = Progress()
    problem: Problem | None = None
    """Error that made it fail as a whole."""
    previous: str | None = None
    """The check of an earlier version of this text."""
    revision: int = Field(ge=0)
    """Revision of the choices, for `If-Match`."""
    last_event: int = Field(ge=0)
    """Id of its last event so far; 0 before the first."""


class Check(CheckSummary):
    """A check."""

    request: StoredRequest
    """The request."""
    choices: Choices = Choices()


class ChosenCheck(Check):
    """A check with choices that were just saved."""

    unknown: tuple[str, ...] = ()
    """Messages about exclusions that leave out nothing, as no evidence of the report has that name; likely mistyped."""


def _or_part_of_it(value: Any, validate: Callable[[Any], Any]) -> Any:
    """Return a report, or an unfinished one, which is read without validating its totals."""
    try:
        return validate(value)
    except ValidationError:
        if not isinstance(value, dict):
            raise
        kinds: dict[str, Any] = {name: field.annotation for name, field in Report.model_fields.items() if name in value}
        alternatives = {name: TypeAdapter[Any](kind).validate_python(value[name]) for name, kind in kinds.items()}
        return Report.model_construct(**alternatives)


class WholeCheck(Check):
    """A check with its results so far."""

    report: Annotated[Report | None, WrapValidator(_or_part_of_it)] = None
    """The report. Before the end of the check it has no scores, units may lack a verdict, and `counts` does not add up
    to them yet. None before the first record."""


class CheckDocuments(Form):
    """The documents that were given with a check."""

    documents: tuple[DroppedDocument, ...]
    """The documents as they were given, so that the check can be repeated with other settings."""


class ModelTurn(Form):
    """One message of a call to a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ModelCall(Form):
    """A call to a model as it was made, with the reply."""

    model: str
    """As `provider/model`."""
    messages: tuple[ModelTurn, ...]
    """The prompt."""
    reply: str
    """The reply, word for word."""
    temperature: float | None
    max_tokens: int | None
    """Longest reply that was allowed."""
    finish_reason: str
    """Why the reply ended, in the server's words."""
    tokens_in: int | None
    """Tokens sent; none when the server does not say."""
    tokens_out: int | None
    """Tokens received; none when the server does not say."""
    made: str
    """When the reply was made, ISO 8601 in UTC."""
    cached: bool
    """Whether the reply came from the cache, so that it is older than the check and cost nothing."""


class CheckList(Form):
    """Checks of one user, newest first."""

    checks: tuple[CheckSummary, ...]
    next: str | None = None
    """Value of `after` for the next checks; none when there are no more."""


class Range(Form):
    """From `low` to `high`, both included."""

    low: float
    high: float


class Estimate(Form):
    """Expected usage of a check; nothing was called."""

    calls: Range
    """Calls to models."""
    tokens_in: Range | None
    """Tokens sent."""
    tokens_out: Range | None
    """Tokens received."""
    cost: Range | None
    """US dollars; none when a price is unknown, never 0 for an unknown cost."""
    seconds: Range | None
    """Seconds that it takes; none when that depends on the web."""
    notes: tuple[str, ...]
    """Assumptions."""
    unread_language: str | None = None
    """Language of the text, as in ISO 639-1, if the method's verifier can't read it."""
    command: str
    """The same check on the command line."""
    body: CheckRequest
    """The same check as a request, with every value given."""


class EditedClaim(Form):
    """A claim in a person's own words."""

    id: Name
    """The claim."""
    text: str = Field(min_length=1, max_length=10_000)
    """The standalone wording."""


class RecheckRequest(Form):
    """A changed text to check; unchanged sentences are not checked again."""

    text: str
    """The whole text as it is now."""
    claims: tuple[EditedClaim, ...] = Field(default=(), max_length=100)
    """Claims that are to be checked in these words."""


class RecheckPlan(Form):
    """Plan of a recheck."""

    changed: tuple[str, ...]
    """Sentences of the new text that are new or changed."""
    depending: tuple[str, ...]
    """Sentences that did not change but are checked again."""
    because: tuple[str, ...]
    """Reason for each of these."""
    kept: int = Field(ge=0)
    """Claims that keep their verdicts."""
    estimate: Estimate | None = None
    """Upper limit of the expected usage. Its command checks the whole text, claims in their own words."""
