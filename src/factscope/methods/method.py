"""The method itself, made of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from typing import Any, Literal

from pydantic import Field, model_validator

from factscope.methods.base import Ask, MethodPart
from factscope.methods.claim_settings import Correct, Extract
from factscope.methods.evidence_settings import Evidence
from factscope.methods.judge_settings import AnyJudge, Cascade, Eligible, Judge, OneJudge, Panel, VerifierJudge
from factscope.methods.rule_settings import LEAST_COVERAGE, MeasureText, RollUp

Segmenting = Literal["whole", "sentences", "paragraphs", "given"]
Changes = Mapping[str, Any]
"""Values of settings, by their paths in a method, such as `evidence.queries.rounds`."""


class Domain(MethodPart):
    """Changes to a method for responses of one domain; the data set names the domain."""

    prompts: dict[str, str] = Field(default={})
    """Replacement prompts, by the names of the prompts that they replace."""
    plain: bool = False
    """Whether its segments are judged unchanged, without claims and without evidence."""
    cut: Ask | None = None
    """Model that splits the text where the data set does not."""


class Method(MethodPart):
    """All settings of one way to check a text."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_/\-]*$")
    """Short name, as given to `--method`."""
    title: str
    """One line for a person."""
    cites: str | None = None
    """The paper that the method is from, if any."""
    segment: Segmenting = "sentences"
    """Units that the text is split into; `given`: those of the data set, otherwise sentences."""
    cut: Ask | None = None
    """Model that splits the text by meaning instead of by rules; segments that the data set gives take precedence
    (FELM, section 3.2)."""
    units: Literal["stated", "all"] = "stated"
    """Without `extract`: whether only segments that state something are judged, or all of them (FELM)."""
    extract: Extract | None = None
    """Model that extracts claims from segments; without it, rules make one of each checkable segment, or of each
    clause that is a statement of its own."""
    evidence: Evidence = Evidence()
    """Where evidence comes from."""
    judge: AnyJudge = VerifierJudge()
    """The judge."""
    eligible: Eligible | None = None
    """Judges that decide whether the response answers its request (FACTS Grounding, phase B)."""
    correct: Correct | None = None
    """Model that corrects contradicted claims."""
    roll_up: RollUp = RollUp()
    """How labels become verdicts."""
    scores: tuple[MeasureText, ...] = ()
    """Scores to compute at the end."""
    least_coverage: float = Field(default=LEAST_COVERAGE, ge=0, le=1)
    """Below this share of judged units, scores are withheld: their value is `None`."""
    domains: dict[str, Domain] = Field(default={})
    """Changes for responses of some domains, by the domains' names."""

    @model_validator(mode="after")
    def _fits(self) -> Method:
        judges = self.judge.judges if isinstance(self.judge, Panel) else (self.judge,)
        if self.evidence.per == "response" and (self.evidence.queries or self.evidence.about_request):
            raise ValueError("evidence per 'response' has no queries and no about_request")
        by_response = [
            judge for judge in judges if isinstance(judge, Judge) and (judge.reply.sentences != "no" or judge.window)
        ]
        if by_response and (self.segment != "whole" or self.extract):
            setting = "a window" if by_response[0].window else f"the form {by_response[0].form!r}"
            raise ValueError(f"{setting} is for a whole response: it needs segment 'whole' and no extract")
        if self.evidence.source == "none" and (unsent := [name for judge in judges for name in _unsent(judge)]):
            raise ValueError(f"the prompt {unsent[0]!r} would not be sent, as there is no evidence: {_UNSENT}")
        return self


_UNSENT = "leave out `without`, which is sent instead, or take the form 'wrong_ids', which needs no evidence"


def _unsent(judge: OneJudge | Cascade) -> list[str]:
    """Return the prompts of a judge that are not sent when no claim has evidence."""
    if isinstance(judge, Cascade):
        return [judge.judge.prompt]
    if not isinstance(judge, Judge):
        return []
    return [judge.prompt] if not judge.reply.without_evidence or judge.without not in (None, judge.prompt) else []


def with_settings(method: Method, changes: Changes) -> Method:
    """Return the method with these settings, validated as a whole: a value must be possible beside all others.

    Raises ValidationError.
    """
    values = method.model_dump(warnings=False)
    for path, value in changes.items():
        *steps, name = path.split(".")
        reduce(getitem, steps, values)[name] = value
    return Method.model_validate(values)
