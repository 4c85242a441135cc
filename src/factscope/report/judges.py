"""Summaries of the judges of a whole response: their labels of its sentences, and whether it answers its request."""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.core import Eligibility, Finding, FindingFlag, Judgement, Report
from factscope.report.states import LABELS, State

FLAG_WORDS: dict[FindingFlag, str] = {
    "quote_missing": "no excerpt given",
    "quote_not_found": "an excerpt of the judge is not in the document",
    "downgraded": "asked again with its excerpt alone, the judge took its support back",
}
_WORST_FIRST: tuple[State, ...] = ("contradicted", "undecided", "supported", "not_checkable")


class LabelledSentence(NamedTuple):
    """One sentence with one judge's label."""

    state: State
    word: str
    text: str
    reason: str | None
    excerpts: tuple[str, ...]
    """Words of the document that were found there."""
    remarks: tuple[str, ...]


class JudgeSummary(NamedTuple):
    """All labels of one judge on a response."""

    judge: str
    state: State
    grounded: str
    """Result of phase A in words."""
    reason: str | None
    sentences: tuple[LabelledSentence, ...]
    """Those that are not grounded first."""
    eligible: bool | None
    """Result of phase B; `None` without it, or when it failed."""

    @property
    def eligible_words(self) -> str:
        """Result of phase B in words."""
        if self.eligible is None:
            return "nothing on whether it does what was asked"
        return "it does what was asked" if self.eligible else "it does not do what was asked"

    @property
    def n_bad(self) -> int:
        """Sentences that are not grounded."""
        return sum(sentence.state in ("contradicted", "undecided") for sentence in self.sentences)


def judges_say(report: Report) -> tuple[JudgeSummary, ...]:
    """Summarise each judge, in order; empty for a method that asks no judge about sentences."""
    if not (report.findings or report.eligibility):
        return ()
    eligible = {number_of(answer.id): answer for answer in report.eligibility}
    judged = {number_of(judgement.id): judgement for judgement in report.judgements}
    return tuple(
        _judge(report, judged.get(number), eligible.get(number)) for number in sorted(judged.keys() | eligible.keys())
    )


def _judge(report: Report, judgement: Judgement | None, eligible: Eligibility | None) -> JudgeSummary:
    label = judgement.label if judgement else None
    findings = [finding for finding in report.findings if judgement and finding.judgement_id == judgement.id]
    labelled = sorted(
        (_labelled(finding) for finding in findings), key=lambda sentence: _WORST_FIRST.index(sentence.state)
    )
    grounded = "no verdict" if label is None else "grounded" if label == "supported" else "not grounded"
    reason = (judgement.failure or judgement.rationale) if judgement else None
    name = judgement.judge if judgement else eligible.judge if eligible else ""
    state = LABELS[label].state if label else "failed"
    return JudgeSummary(name, state, grounded, reason, tuple(labelled), eligible.eligible if eligible else None)


def _labelled(finding: Finding) -> LabelledSentence:
    return LabelledSentence(
        LABELS[finding.label].state,
        LABELS[finding.label].grounding,
        finding.text,
        finding.rationale,
        tuple(quote.text for quote in finding.quotes),
        tuple(FLAG_WORDS[flag] for flag in finding.flags),
    )


def number_of(name: str) -> int:
    """Return the number of a judge from the id of its judgement, which ends in it: `s1.c1.j2`, `r1.e2`."""
    return int(re.findall(r"\d+$", name)[0])
