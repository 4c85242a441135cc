"""Results of the tools for assistants, with named fields from which clients read a schema."""

from __future__ import annotations

from pydantic import BaseModel

from factscope.integrations.python.report import Claim, Report
from factscope.report.terminal_short import brief_text


class ClaimResult(BaseModel):
    """One claim of the text."""

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

    @classmethod
    def of(cls, claim: Claim) -> ClaimResult:
        """Make the result of a claim."""
        start, end = (claim.span.start, claim.span.end) if claim.span else (None, None)
        fields = {"id", "text", "verdict", "confidence", "quote", "source", "reason"}
        return cls(**{name: getattr(claim, name) for name in fields}, start=start, end=end)


class CheckResult(BaseModel):
    """A checked text."""

    id: str
    resource: str
    summary: str
    score: float | None
    """Supported / judged claims; null when none was judged."""
    coverage: float
    counts: dict[str, int]
    claims: list[ClaimResult]

    @classmethod
    def of(cls, name: str, report: Report) -> CheckResult:
        """Make the result of the check of this id."""
        claims = [ClaimResult.of(claim) for claim in report.claims]
        figures = {"score": report.score, "coverage": report.coverage, "counts": report.counts}
        summary = brief_text(report.record)
        return cls(id=name, resource=f"factscope://checks/{name}", summary=summary, claims=claims, **figures)


class PassageResult(BaseModel):
    """One passage of the evidence."""

    text: str
    source: str
    url: str | None
    score: float
