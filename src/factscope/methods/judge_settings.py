"""Settings of judges: a model, a verifier, or several of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag, field_validator, model_validator

from factscope.core import Label
from factscope.methods.base import Ask, MethodPart, Role
from factscope.methods.reply_format import REPLY_FORMATS, ReplyFormat, forms_with


class VerifierJudge(MethodPart):
    """A judge that is not a language model: it labels one claim against one passage."""

    name: str = "builtin"
    """Name of the verifier among the tools."""
    spans: bool = False
    """Whether to find the words of an unsupported claim that the evidence does not support. Costs at most twelve more
    pairs for each such claim."""
    together: int = Field(default=0, ge=0, le=8)
    """Number of passages, the best first, that are read as one where none alone supports or plainly contradicts a
    claim; 0 or 1: none. Costs one more pair for each such claim, and if that settles it, one for each two of them."""


class Judge(Ask):
    """A language model that labels claims against passages."""

    role: Role = "judge"
    form: str
    """Format of the reply: a last line `[Label]` (VERIFY); a line `marker: label` (Facts&Evidence); JSON with a label
    and a quote for each pair; for a whole response (FACTS Grounding) a label on the last line (`worded`), a JSON object
    for each sentence (`sentences`), or a call for each sentence (`spans`); or the numbers of wrong claims, `Answer:
    1,3` (FELM)."""
    marker: str = "Final Verdict"
    """For `marked`: the text before the label."""
    labels: dict[Label, str]
    """Labels that the judge may give, and the word for each in its reply."""
    claims_per_call: int = Field(default=1, ge=0, le=200)
    """Claims per call; for `wrong_ids`, 0 puts all claims that are extracted together into one call."""
    without: str | None = None
    """For `wrong_ids`: the prompt for claims without evidence; when it is not set, these are not judged. A method that
    never has evidence uses `prompt`."""
    if_unreadable: Literal["fail", "published"] = "fail"
    """For `wrong_ids`: a reply that can't be read fails, or is read as FELM's code does, which takes it to mean all
    correct."""
    own_knowledge: Literal["refused", "marked", "counted"] = "refused"
    """For `bracketed`: whether the judge may add `own knowledge` to its label where the evidence is silent. `marked`:
    such a label does not count, so the claim has no evidence; `counted`: it counts like one from evidence
    (Factcheck-GPT)."""
    passages_per_call: Literal["one", "all"] = "all"
    """Whether each passage is judged by itself, or all passages of a claim together; `json` judges each by itself, in
    one call."""
    samples: int = Field(default=1, ge=1, le=50)
    """Number of samples; the most frequent label counts, and its share is the confidence."""
    logprobs: bool = False
    """Whether to read the confidence from the probabilities of the label's tokens, where the server returns them."""
    double_check: Ask | None = None
    """For `sentences`: a question whether each supported sentence follows from its excerpt alone; after a no, it is not
    supported."""
    window: int = Field(default=0, ge=0, le=10_000_000)
    """Context size of the judge in tokens, including its reply. Longer documents are judged in pieces, sentence by
    sentence; 0 always shows them whole."""
    in_pieces: Judge | None = None
    """Judge that replaces this one when documents are read in pieces; required where the form labels the whole response
    in one call."""

    @property
    def reply(self) -> ReplyFormat:
        """The registered form of its reply."""
        return REPLY_FORMATS.get(self.form)

    @field_validator("form")
    @classmethod
    def _known_format(cls, form: str) -> str:
        if form not in REPLY_FORMATS:
            raise ValueError(f"there is no form of reply {form!r}. {REPLY_FORMATS.hint(form)}")
        return form

    @model_validator(mode="after")
    def _can_read_in_pieces(self) -> Judge:
        if self.in_pieces and not self.window:
            raise ValueError("in_pieces needs a window, beyond which it is asked")
        if self.window and ((self.in_pieces or self).reply.sentences == "no" or self.samples > 1):
            forms = forms_with(lambda reply: reply.sentences != "no")
            raise ValueError(f"a window needs one sample and the form {forms}, else an in_pieces of it")
        return self

    @model_validator(mode="after")
    def _form_allows_settings(self) -> Judge:
        reply = self.reply
        if self.double_check and not reply.excerpts:
            forms = forms_with(lambda reply: reply.excerpts)
            raise ValueError(f"double_check needs the form {forms}: only there each has an excerpt")
        if self.samples > 1 and reply.sentences != "no":
            raise ValueError(f"the form {self.form!r} is asked for once: leave samples at 1")
        if (self.claims_per_call > 1 and reply.claims == "one") or (
            self.claims_per_call == 0 and reply.claims != "all"
        ):
            several = forms_with(lambda reply: reply.claims != "one")
            every = forms_with(lambda reply: reply.claims == "all")
            raise ValueError(f"claims_per_call above 1 needs the form {several}; 0 needs {every}")
        if self.logprobs and not reply.logprobs:
            raise ValueError(f"the form {self.form!r} has no logprobs")
        if self.without and not reply.without_evidence:
            forms = forms_with(lambda reply: reply.without_evidence)
            raise ValueError(f"without is for the form {forms}; with {self.form!r} it would not be sent")
        if self.own_knowledge != "refused" and not (reply.own_knowledge and self.passages_per_call == "all"):
            forms = forms_with(lambda reply: reply.own_knowledge)
            raise ValueError(f"own_knowledge is for the form {forms} with all passages in a call")
        return self

    @model_validator(mode="after")
    def _can_give_different_labels(self) -> Judge:
        if self.reply.labels and self.reply.labels != set(self.labels):
            required = " and ".join(sorted(self.reply.labels, reverse=True))
            raise ValueError(f"the form {self.form!r} has the labels {required}")
        if len({word.casefold() for word in self.labels.values()}) < max(2, len(self.labels)):
            raise ValueError("labels need two or more words, all different")
        if self.samples > 1 and self.temperature == 0:
            raise ValueError("samples above 1 need a temperature above 0, else they are all the same")
        return self


class Panel(MethodPart):
    """Several judges of the same claims; `RollUp.panel` combines their labels."""

    judges: tuple[OneJudge, ...] = Field(min_length=2, max_length=9)
    """They all judge every claim. Use different roles to call different models."""
    arbiter: OneJudge | None = None
    """Called only for claims on which the others disagree; its vote then counts like theirs."""

    @model_validator(mode="after")
    def _distinct_roles(self) -> Panel:
        names = [judge.role if isinstance(judge, Judge) else judge.name for judge in judges_of(self)]
        if len(set(names)) < len(names):
            raise ValueError("each judge of a panel needs its own role, to distinguish them")
        return self


class Cascade(MethodPart):
    """A verifier, and a language model only for claims of which it is unsure or that it calls contradicted."""

    verifier: VerifierJudge = VerifierJudge()
    """Judges every claim first."""
    judge: Judge
    """Judges the claims that are passed on."""
    by: Literal["confidence", "agreement", "share"] = "confidence"
    """Unit of `at`. `confidence`: the verifier's label is final from this confidence on; `agreement`: the share of
    final labels that people agree with, by the labels that it was calibrated on; `share`: the share of claims that the
    language model may be asked about, by the same labels."""
    at: float = Field(default=0.85, ge=0, le=1)
    """Threshold, in the unit that `by` names."""

    @model_validator(mode="after")
    def _possible(self) -> Cascade:
        reply = self.judge.reply
        if reply.sentences != "no" or reply.claims == "all" or self.judge.window:
            raise ValueError("the judge of a cascade labels single claims: it needs another form, and no window")
        return self


def _kind_of_judge(value: Any) -> str:
    fields = value if isinstance(value, dict) else dict(value) if isinstance(value, BaseModel) else {}
    if "judges" in fields:
        return "panel"
    if "prompt" in fields:
        return "model"
    return "cascade" if "judge" in fields else "verifier"


OneJudge = Annotated[
    Annotated[Judge, Tag("model")] | Annotated[VerifierJudge, Tag("verifier")], Discriminator(_kind_of_judge)
]
AnyJudge = Annotated[
    Annotated[Judge, Tag("model")]
    | Annotated[VerifierJudge, Tag("verifier")]
    | Annotated[Panel, Tag("panel")]
    | Annotated[Cascade, Tag("cascade")],
    Discriminator(_kind_of_judge),
]


class Rubric(Ask):
    """A language model that decides whether a response does what it was asked, by comparing it with its own answer."""

    role: Role = "judge"
    max_tokens: int = Field(default=4096, ge=1, le=200_000)
    """Longest reply, and longest answer of its own, in tokens."""
    window: int = Field(default=0, ge=0, le=10_000_000)
    """Context size in tokens, including the reply. Of longer documents it sees only the parts that share most words
    with the request; 0 always shows them whole."""


class Eligible(MethodPart):
    """Whether the response answers its request at all; it is ruled out only when all judges agree on that."""

    judges: tuple[Rubric, ...] = Field(min_length=2, max_length=9)
    """Each with its own role, such as the roles of the panel."""

    @model_validator(mode="after")
    def _distinct_roles(self) -> Eligible:
        if len({judge.role for judge in self.judges}) < len(self.judges):
            raise ValueError("each judge of eligibility needs its own role, to distinguish them")
        return self


def judges_of(judge: AnyJudge) -> list[OneJudge]:
    """Return the judges of a method in order of their numbers, an arbiter last."""
    if isinstance(judge, Cascade):
        return [judge.verifier, judge.judge]
    if not isinstance(judge, Panel):
        return [judge]
    return [*judge.judges, judge.arbiter] if judge.arbiter else list(judge.judges)


def n_judges(judge: AnyJudge) -> int:
    """Count the judges that label every claim; an arbiter labels only some and does not count."""
    return len(judge.judges) if isinstance(judge, Panel) else 1
