"""Limits and results of the tools for assistants: fields by name, from which clients read a schema."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from factscope.api.report import Claim, Report
from factscope.report.terminal_short import brief_text


@dataclass(frozen=True)
class ToolLimits:
    """Limits of an assistant's input; money and calls are the checker's limits."""

    characters: int = 20_000
    """Of one text."""
    context_characters: int = 200_000
    """Of all contexts of one text together."""


class ClaimResult(BaseModel):
    """One statement of the text."""

    id: str
    text: str
    verdict: str
    """supported, contradicted, undecided, no_evidence, not_checkable, excluded or failed."""
    confidence: float | None
    quote: str | None
    source: str | None
    reason: str | None
    start: int | None
    end: int | None


class CheckResult(BaseModel):
    """A checked text."""

    id: str
    resource: str
    summary: str
    score: float | None
    """Supported / judged statements; null when none was judged."""
    coverage: float
    counts: dict[str, int]
    claims: list[ClaimResult]


class PassageResult(BaseModel):
    """One passage of the evidence."""

    text: str
    source: str
    url: str | None
    score: float


def check_result(name: str, report: Report) -> CheckResult:
    """The result for a check of this id."""
    return CheckResult(
        id=name,
        resource=f"factscope://checks/{name}",
        summary=brief_text(report.record),
        score=report.score,
        coverage=report.coverage,
        counts=report.counts,
        claims=[claim_result(claim) for claim in report.claims],
    )


def claim_result(claim: Claim) -> ClaimResult:
    """The result for one statement."""
    start, end = (claim.span.start, claim.span.end) if claim.span else (None, None)
    fields = {"id", "text", "verdict", "confidence", "quote", "source", "reason"}
    return ClaimResult(**{name: getattr(claim, name) for name in fields}, start=start, end=end)
