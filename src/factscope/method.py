"""A method is a frozen value that names its settings; a paper is one such value, a user's TOML file another.

    segment → extract → evidence → judge → correct → roll_up → scores

Without `extract` each checkable segment is one claim. The engine reads a `Method` and nothing else about a paper. A
file validates into the same type: values only, no code.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    model_validator,
)

from factscope.labels import ClaimKind, Label

Segmenting = Literal["whole", "sentences", "paragraphs", "given"]
UnitRule = Literal["strongest", "share", "only"]
GroupRule = Literal["worst"]
PanelRule = Literal["majority", "consensus", "mean"]


class Part(BaseModel):
    """Base of a method and its parts: immutable, closed, documented field by field."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


ROLES = ("cut", "extract", "rewrite", "relevance", "query", "judge", "correct", "source")
"""Whom the shipped methods ask. A method file may name others, for the judges of a panel."""


class Ask(Part):
    """A question to a language model."""

    prompt: str
    """A shipped prompt such as `verify/extract`, or the path of a file (see `factscope.prompts`)."""
    role: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Which of the configured models is asked, and where its usage is counted."""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    """Sent as it is, 0 too. For models that take none, leave it out with the setting `temperature`."""
    max_tokens: int = Field(default=2048, ge=1, le=200_000)
    """Longest reply."""
    if_cut_off: Literal["fail", "read"] = "fail"
    """What becomes of a longer one: it fails, or what came of it is read, as in FELM's published code."""


class Extract(Ask):
    """How a model cuts segments into claims."""

    role: str = "extract"
    form: Literal["typed_lines", "claim_lines", "segment_blocks", "json"]
    """The reply: `- unit: type` lines (VERIFY), `Claim_1: text` lines (Facts&Evidence), claims below lines
    `Segment s1:` (FELM), or JSON with spans."""
    segments_per_call: int = Field(default=1, ge=0, le=200)
    """Segments cut in one call; 0 puts the whole response into one."""
    before: int = Field(default=0, ge=0)
    """Segments before these that the model sees too, as place `context` of its prompt."""
    after: int = Field(default=0, ge=0)
    """Segments after these that it sees."""
    keep: tuple[ClaimKind, ...] = ("fact", "claim")
    """Unit types that are checked; the others are skipped, and say so."""
    rewrite: Rewrite | None = None
    """A call per claim that makes it stand alone (VERIFY, SAFE)."""
    relevant: Relevance | None = None
    """A call per claim that asks whether it bears on the request (SAFE)."""


class Rewrite(Ask):
    """How a claim is made to stand alone."""

    role: str = "rewrite"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """What happens to a claim whose rewriting can't be read. VERIFY keeps it as it was."""


class Relevance(Ask):
    """Whether a claim bears on the request that the response answers (SAFE, section 3)."""

    role: str = "relevance"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """What happens to a claim when the reply can't be read. SAFE keeps it as relevant."""


class Passages(Part):
    """How documents become the passages that a judge reads (Facts&Evidence, section 3.3)."""

    ranker: Literal["bm25", "dense", "hybrid"] = "bm25"
    """What orders them: the words that they share with the query, nearness of meaning (`dense`), or both, fused by
    reciprocal rank (`hybrid`)."""
    model: str | None = Field(default=None, min_length=1)
    """Who knows the meaning: a sentence-embedding model in ONNX form, by its folder or its name on a model hub."""
    query_prefix: str | None = None
    """What the model wants ahead of a query. Default: what its own files say, or nothing."""
    passage_prefix: str | None = None
    """What it wants ahead of a passage."""
    top_k: int = Field(default=5, ge=1, le=100)
    """Passages per query."""
    window: int = Field(default=1, ge=0, le=50)
    """Sentences of context kept on each side of the best sentence."""
    chunk_tokens: int = Field(default=0, ge=0, le=2_000)
    """With a number, passages are pieces of so many words into which documents are cut (FELM: 512), and `window` says
    nothing; with 0 they are sentences in their window."""
    per_document: int = Field(default=2, ge=1, le=100)
    """Most passages from one document."""

    @model_validator(mode="after")
    def _possible(self) -> Passages:
        if self.ranker != "bm25" and self.model is None:
            raise ValueError(f"ranker {self.ranker!r} needs a model, such as sentence-transformers/all-MiniLM-L6-v2")
        return self


class Queries(Ask):
    """How a model writes the searches for a claim, round by round."""

    role: str = "query"
    form: Literal["fenced", "json"]
    """The reply: one query in a code block (VERIFY, SAFE), or JSON with a decision for each claim."""
    rounds: int = Field(default=5, ge=1, le=20)
    """Most rounds, the first with the claim itself included."""
    claims_per_call: int = Field(default=1, ge=1, le=50)
    """Claims that one call plans for; more than one needs the form `json`."""
    queries_per_round: int = Field(default=1, ge=1, le=10)
    """Most queries for a claim in one round."""
    begin_with: Literal["query", "claim"] = "query"
    """What the first round searches for: a query that the model writes, or the claim itself, which costs no call."""
    stop: Literal["never", "enough"] = "never"  # a reply in a code block has no place for a decision
    """`never`: all rounds are made (VERIFY's published code, whose stop word its prompt never mentions); `enough`: they
    end when the model says that the evidence suffices or that more searching is idle, and why."""
    say_empty: bool = False
    """Whether a round without results is shown to the judge as a sentence that says so, as in VERIFY's published code.
    It looks like evidence."""

    @model_validator(mode="after")
    def _possible(self) -> Queries:
        if (self.form == "json") != (self.stop == "enough"):
            raise ValueError("stop 'enough' and the form 'json' go together: only there a reply can say so")
        if self.claims_per_call > 1 and self.form != "json":
            raise ValueError("claims_per_call above 1 needs the form 'json'")
        return self


class Evidence(Part):
    """Where evidence comes from, and how much of it a judge sees."""

    source: str = Field(default="given", min_length=1)
    """What of the tools is searched: `local` documents, the `web`, or whatever is `given`, both if both are. With
    `context` nothing is: the documents that came with the request are shown to the judge, each whole; with `references`
    the best piece of each, with `links` their addresses, with `none` nothing."""
    results: int = Field(default=3, ge=1, le=50)
    """Web results that are looked at for one query."""
    read: Literal["pages", "snippets"] = "pages"
    """What of a web result is evidence: the page itself, or the words that the search engine shows of it."""
    passages: Passages = Passages()
    """How passages are cut and ranked."""
    per: Literal["claim", "response"] = "claim"
    """Whether each claim is searched for, or the request and the response once, and all claims share what is found."""
    about_request: bool = False
    """Whether a claim is searched for together with the request, as FActScore does with its topic."""
    queries: Queries | None = None
    """Who writes the queries; without it each claim is searched for as it stands, once."""
    most: int = Field(default=10, ge=1, le=1000)
    """Most passages for one claim, over all rounds."""


class Verifier(Part):
    """A judge that is no language model: it labels one claim against one passage."""

    name: str = "builtin"
    """Which verifier of the tools judges."""


class Judge(Ask):
    """A language model that labels claims against passages."""

    role: str = "judge"
    form: Literal["bracketed", "marked", "json", "worded", "sentences", "spans", "wrong_ids"]
    """The reply: a last line `[Label]` (VERIFY); a line `marker: label` (Facts&Evidence); JSON with a label and a quote
    for each pair; of a whole response (FACTS Grounding) the last line that holds a label (`worded`), a JSON object for
    each sentence (`sentences`), or the same asked for each (`spans`); or wrong claims as `Answer: 1,3` (FELM)."""
    marker: str = "Final Verdict"
    """For `marked`: what stands before the label."""
    labels: dict[Label, str]
    """Which labels the judge may give, and its words for them."""
    claims_per_call: int = Field(default=1, ge=0, le=200)
    """Claims in one call; for `wrong_ids` 0 puts all that are cut together into one."""
    without: str | None = None
    """The prompt in place of `prompt` for claims without evidence; without one they are not judged."""
    if_unreadable: Literal["fail", "published"] = "fail"
    """For `wrong_ids`: a reply that can't be read fails, or is read as in FELM's code, where none means all correct."""
    passages_per_call: Literal["one", "all"] = "all"
    """Whether each passage is judged by itself or all of a claim's together; `json` judges by itself, in one call."""
    samples: int = Field(default=1, ge=1, le=50)
    """How often the same is asked; the most frequent label counts, and its share is the confidence."""
    logprobs: bool = False
    """Read the confidence from the probabilities of the label's tokens, where the server gives them."""
    double_check: Ask | None = None
    """For `sentences`: asks of each supported one whether it follows from its excerpt alone; a no takes that away."""

    @model_validator(mode="after")
    def _possible(self) -> Judge:
        if self.double_check and self.form != "sentences":
            raise ValueError("double_check needs the form 'sentences': only there each has an excerpt")
        if self.samples > 1 and self.form in ("sentences", "spans"):
            raise ValueError(f"the form {self.form!r} is asked for once: leave samples at 1")
        if self.claims_per_call != 1 and self.form != "wrong_ids" and (self.form != "json" or not self.claims_per_call):
            raise ValueError("claims_per_call above 1 needs the form 'json' or 'wrong_ids'; 0 needs 'wrong_ids'")
        if self.form == "wrong_ids" and (set(self.labels) != {"supported", "contradicted"} or self.logprobs):
            raise ValueError("the form 'wrong_ids' has the labels supported and contradicted, and no logprobs")
        if self.samples > 1 and self.temperature == 0:
            raise ValueError("samples above 1 need a temperature above 0, else they are all the same")
        if len({word.casefold() for word in self.labels.values()}) < max(2, len(self.labels)):
            raise ValueError("labels need two or more words, all different")
        return self


class Panel(Part):
    """Several judges on the same claims; how their answers become one is `RollUp.panel`."""

    judges: tuple[OneJudge, ...] = Field(min_length=2, max_length=9)
    """They all judge all claims. Give each a role of its own to ask different models."""
    arbiter: OneJudge | None = None
    """Is asked only about claims on which the others disagree, and then has a vote like theirs."""

    @model_validator(mode="after")
    def _told_apart(self) -> Panel:
        seats = [*self.judges, *([self.arbiter] if self.arbiter else [])]
        names = [seat.role if isinstance(seat, Judge) else seat.name for seat in seats]
        if len(set(names)) < len(names):
            raise ValueError("each judge of a panel needs a role of its own, so that they can be told apart")
        return self


def _kind_of_judge(value: Any) -> str:
    fields = value if isinstance(value, dict) else dict(value)
    return "panel" if "judges" in fields else "model" if "prompt" in fields else "verifier"


OneJudge = Annotated[
    Annotated[Judge, Tag("model")] | Annotated[Verifier, Tag("verifier")], Discriminator(_kind_of_judge)
]
AnyJudge = Annotated[
    Annotated[Judge, Tag("model")] | Annotated[Verifier, Tag("verifier")] | Annotated[Panel, Tag("panel")],
    Discriminator(_kind_of_judge),
]


class Rubric(Ask):
    """A language model that says whether a response does what it was asked, beside its own answer to the same."""

    role: str = "judge"
    max_tokens: int = Field(default=4096, ge=1, le=200_000)
    """Longest reply, and longest answer of its own."""


class Eligible(Part):
    """Whether the response answers its request at all; only when all who say it agree is it ruled out."""

    judges: tuple[Rubric, ...] = Field(min_length=2, max_length=9)
    """Each with a role of its own, such as those of the panel."""

    @model_validator(mode="after")
    def _told_apart(self) -> Eligible:
        if len({one.role for one in self.judges}) < len(self.judges):
            raise ValueError("each judge of eligibility needs a role of its own, so that they can be told apart")
        return self


class Correct(Ask):
    """Asks, for a contradicted claim, what is wrong with it and what the text should say."""

    role: str = "correct"


class RollUp(Part):
    """Rules by which judgements become verdicts."""

    unit: UnitRule = "strongest"
    """Judgements → claim. `strongest`: the surest label decides; `share`: supported when the share of supporting
    judgements reaches `threshold` (Facts&Evidence, section 4); `only`: the one judgement decides."""
    threshold: float = Field(default=0.3, ge=0, le=1)
    """For `share`: the smallest share that counts as supported."""
    tie: Literal["undecided", "contradicted"] = "undecided"
    """What several samples of the same question come to when none of their labels is the most frequent."""
    margin: float = Field(default=0.1, ge=0, le=1)
    """For `strongest`: support and contradiction closer than this in confidence are a conflict, hence undecided."""
    panel: PanelRule = "majority"
    """Several judges → claim. `majority`: what more than half of them say, else undecided; `consensus`: what all say,
    else undecided; `mean`: the sign of the mean of their confidences, with `margin`."""
    segment: GroupRule = "worst"
    """Claims → segment. `worst`: contradicted if any is, else failed, undecided or without evidence if any is."""
    response: GroupRule = "worst"
    """Segments → response."""


class Domain(Part):
    """What is different for responses of one domain; they are told by the data set that they come from."""

    prompts: dict[str, str] = {}
    """Prompts by the names of those in whose place they are."""
    plain: bool = False
    """Whether its segments are judged as they are, without claims and without evidence."""
    cut: Ask | None = None
    """Who cuts the text where the data set does not."""


class Measure(Part):
    """A score by name with its parameters. `Measure.parse(str(m)) == m`."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in the registry of scores."""
    parameters: tuple[tuple[str, float], ...] = ()
    """Parameters in order of name."""

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `name` or `name(key=number, …)`. Raises ValueError on anything else."""
        match = re.fullmatch(r"\s*([a-z][a-z0-9_]*)\s*(?:\(([^()]*)\))?\s*", text)
        if not match:
            raise ValueError(f"{text!r} is not a score; write it like hallucination(alpha=0.5)")
        parameters = {}
        for item in filter(None, (part.strip() for part in (match[2] or "").split(","))):
            key, _, value = item.partition("=")
            try:
                parameters[key.strip()] = float(value)
            except ValueError:
                raise ValueError(f"{item!r} in {text!r} is not a parameter like alpha=0.5") from None
        return cls(name=match[1], parameters=tuple(sorted(parameters.items())))


def _read_measure(value: Any) -> Any:
    return Measure.parse(value) if isinstance(value, str) else value


MeasureText = Annotated[Measure, BeforeValidator(_read_measure), PlainSerializer(str, return_type=str)]


def n_judges(judge: AnyJudge) -> int:
    """How many judges label every claim; an arbiter labels only some."""
    return len(judge.judges) if isinstance(judge, Panel) else 1


class Method(Part):
    """All settings of one way to check a text."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_/\-]*$")
    """Short name, as given to `--method`."""
    title: str
    """One line for a person."""
    cites: str | None = None
    """The paper, if it is one's method."""
    segment: Segmenting = "sentences"
    """What the text is cut into; `given`: what the data set cuts it into, else sentences."""
    cut: Ask | None = None
    """Who cuts the text by meaning, in the place of rules; what is given goes before (FELM, section 3.2)."""
    units: Literal["stated", "all"] = "stated"
    """Without `extract`: whether segments that state something are judged, or all, as they stand (FELM)."""
    extract: Extract | None = None
    """Who cuts segments into claims; without it each checkable segment is one."""
    evidence: Evidence = Evidence()
    """Where evidence comes from."""
    judge: AnyJudge = Verifier()
    """Who labels."""
    eligible: Eligible | None = None
    """Who says whether the response answers its request (FACTS Grounding, phase B)."""
    correct: Correct | None = None
    """Who corrects what is contradicted."""
    roll_up: RollUp = RollUp()
    """How labels become verdicts."""
    scores: tuple[MeasureText, ...] = ()
    """What is computed at the end."""
    domains: dict[str, Domain] = {}
    """What is different for responses of some domains, by their names."""

    @model_validator(mode="after")
    def _fits(self) -> Method:
        judges = self.judge.judges if isinstance(self.judge, Panel) else (self.judge,)
        if self.evidence.per == "response" and (self.evidence.queries or self.evidence.about_request):
            raise ValueError("evidence per 'response' has no queries and no about_request")
        by_response = [one for one in judges if isinstance(one, Judge) and one.form in ("sentences", "spans")]
        if by_response and (self.segment != "whole" or self.extract):
            raise ValueError(
                f"the form {by_response[0].form!r} judges the whole response: it needs segment 'whole' and no extract"
            )
        return self
