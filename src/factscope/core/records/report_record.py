"""The result of a check: scores, failures, usage, and the report that contains everything."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, model_validator

from factscope.core.errors import Boundary
from factscope.core.ids import id_key
from factscope.core.labels import Category, Outcome, Stage
from factscope.core.records.citing import Citation, CitedSource, Quotation, Repair
from factscope.core.records.flow import (
    Claim,
    Correction,
    Document,
    Judgement,
    Passage,
    Query,
    Record,
    Response,
    SearchHit,
    Segment,
    Verdict,
)
from factscope.core.records.grounding import Eligibility, Finding


class Interval(Record):
    """A confidence interval from `low` to `high`."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""
    level: float = 0.95
    """Confidence level."""
    method: Literal["wilson", "wald", "bootstrap", "bayesian"]
    """Method of computation."""


class Score(Record):
    """A number with everything that is needed to interpret it."""

    type: Literal["score"] = "score"
    name: str
    """The measure with its parameters, such as `hallucination(alpha=0.5)`."""
    value: float | None
    """The number; `None` when there is nothing to count, or too little was judged (`least_coverage`)."""
    n: int = Field(ge=0)
    """Number of items counted: units, judgements or responses, see `over`."""
    over: Literal["units", "judgements", "responses"] = "units"
    """Kind of the items that `n` counts."""
    n_failed: int = Field(ge=0)
    """Number of items that failed and are left out."""
    coverage: float | None = Field(ge=0, le=1)
    """Units with a verdict / units to judge; `None` when there is nothing to judge."""
    interval: Interval | None = None
    """Uncertainty of `value`."""
    signature: str
    """All settings that the number depends on, and the version of Factscope."""


class Failure(Record):
    """A failure for one unit. Counted, shown, never a label."""

    type: Literal["failure"] = "failure"
    unit_id: str
    """The response, segment or claim that it belongs to."""
    stage: Stage
    """Stage of the flow."""
    boundary: Boundary
    """The service that failed; `internal` is an error of ours."""
    message: str
    """Description of the failure, and how to fix it."""
    about: str | None = None
    """Address of the one source that it affected; `None` when the whole stage failed."""


class Usage(Record):
    """Calls, tokens, cost and time of one role with one model."""

    type: Literal["usage"] = "usage"
    role: str
    """Role of the call: `judge`, `extract` …"""
    model: str
    """The model or service that was called."""
    calls: int = Field(ge=0)
    """Calls made."""
    cached_calls: int = Field(default=0, ge=0)
    """Calls answered from the cache."""
    tokens_in: int | None = None
    """Tokens sent; `None` when unknown or not applicable."""
    tokens_out: int | None = None
    """Tokens received."""
    cost: float | None = None
    """US dollars; `None` when unknown, never 0 for an unknown cost."""
    seconds: float | None = None
    """Time waited; `None` when not measured."""


class Exclusions(Record):
    """Evidence that a person ruled out. A passage is excluded if any of these lists names it."""

    passages: tuple[str, ...] = ()
    """Passage ids."""
    documents: tuple[str, ...] = ()
    """Document ids, or their addresses or paths."""
    domains: tuple[str, ...] = ()
    """Host names, with their subdomains."""
    categories: tuple[Category, ...] = ()
    """Source categories."""
    copies: bool = False
    """Whether only the first of several passages that are copies of each other counts."""


class Searched(Record):
    """The documents and search engines that were searched."""

    id: str
    """Hash of the documents and of how they are indexed; the same for the same content."""
    n_documents: int = Field(ge=0)
    """Documents in it; equal texts count once, and all rows of one file are one."""
    n_passages: int = Field(ge=0)
    """Index units that they are cut into."""
    engines: tuple[str, ...] = ()
    """Web search engines that were asked."""
    problems: tuple[str, ...] = ()
    """Problems with files that could not be used, or not in full; one line each."""


class Report(Record):
    """Everything about one checked response: enough to show it, and to score it again without any call."""

    type: Literal["report"] = "report"
    schema_version: Literal[1] = 1
    """Version of this schema."""
    factscope: str
    """Version of Factscope that made it."""
    response: Response
    """The response that was checked."""
    method: dict[str, JsonValue]
    """The whole method, as values."""
    models: dict[str, str] = Field(default={})
    """The model of each role that the method asks, as `provider/model`."""
    prompts: dict[str, str] = Field(default={})
    """The prompts of the method and the first 12 hexadecimal digits of the SHA-256 of each."""
    searched: Searched | None = None
    """The documents and search engines that were used; `None` when nothing could be searched."""
    segments: tuple[Segment, ...] = ()
    claims: tuple[Claim, ...] = ()
    queries: tuple[Query, ...] = ()
    hits: tuple[SearchHit, ...] = ()
    documents: tuple[Document, ...] = ()
    passages: tuple[Passage, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    findings: tuple[Finding, ...] = ()
    eligibility: tuple[Eligibility, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    corrections: tuple[Correction, ...] = ()
    citations: tuple[Citation, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    quotations: tuple[Quotation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    failures: tuple[Failure, ...] = ()
    usage: tuple[Usage, ...] = ()
    counts: dict[Outcome, int] = Field(default={})
    """Number of units by outcome.

    A unit is a claim, or a segment from which no claim came.
    """
    scores: tuple[Score, ...] = ()
    excluded: Exclusions = Exclusions()
    """Evidence that was excluded when the verdicts and scores were computed."""
    warnings: tuple[str, ...] = ()
    """Notes for a reader of the numbers, such as a judge of the same family as the text's writer."""

    @model_validator(mode="after")
    def _adds_up(self) -> Report:
        decided = [v.unit_id for v in self.verdicts if v.level != "response"]
        names = self.unit_ids()
        units = set(names)
        if len(names) != len(units):
            raise ValueError("a unit is listed more than once")
        if len(decided) != len(set(decided)):
            raise ValueError("a unit has more than one verdict")
        if missing := units - set(decided):
            raise ValueError(f"units without a verdict: {', '.join(sorted(missing, key=id_key)[:5])}")
        if sum(self.counts.values()) != len(units):
            raise ValueError(f"counts add up to {sum(self.counts.values())}, not to the {len(units)} units cut")
        return self

    def unit_ids(self) -> tuple[str, ...]:
        """Return the ids of all units: every claim, and every segment without one."""
        with_claims = {claim.segment_id for claim in self.claims}
        without_claims = [segment.id for segment in self.segments if segment.id not in with_claims]
        return tuple(sorted([*without_claims, *(claim.id for claim in self.claims)], key=id_key))

    def failure_reasons(self) -> frozenset[str]:
        """Return why steps and single judgements failed, each reason once; unreadable sources are not failed steps."""
        steps = (failure.message for failure in self.failures if failure.about is None)
        return frozenset([*steps, *(judgement.failure for judgement in self.judgements if judgement.failure)])

    def verdict(self, unit_id: str | None = None) -> Verdict:
        """Return the verdict on a unit, or without an id on the whole response. Raises KeyError when there is none."""
        owner_id = self.response.id if unit_id is None else unit_id
        for verdict in self.verdicts:
            if verdict.unit_id == owner_id and (unit_id is not None or verdict.level == "response"):
                return verdict
        raise KeyError(f"no verdict on {owner_id!r}")

    def score(self, name: str) -> Score:
        """Return the score with this name, with or without its parameters. Raises KeyError when there is none."""
        for score in self.scores:
            if name in (score.name, score.name.partition("(")[0]):
                return score
        raise KeyError(f"no score {name!r}; there are: {', '.join(s.name for s in self.scores)}")
