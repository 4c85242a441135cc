"""The frozen records that flow through Factscope: `flow` from text to verdict, `report` with their totals."""

from factscope.core.records.citing import (
    Citation,
    CitationForm,
    CitedSource,
    Difference,
    Quotation,
    QuotationOutcome,
    Repair,
    SourceState,
)
from factscope.core.records.flow import (
    Claim,
    ConfidenceFrom,
    Correction,
    Document,
    Judgement,
    JudgementFlag,
    Passage,
    Query,
    Quote,
    Record,
    Response,
    SearchHit,
    Segment,
    Span,
    Verdict,
)
from factscope.core.records.gold import Gold, Level, Sample, SampleHints
from factscope.core.records.grounding import Eligibility, Finding, FindingFlag
from factscope.core.records.report_record import Exclusions, Failure, Interval, Report, Score, Searched, Usage

__all__ = [
    "Citation", "CitationForm", "CitedSource", "Claim", "ConfidenceFrom", "Correction", "Difference", "Document",
    "Eligibility", "Exclusions", "Failure", "Finding", "FindingFlag", "Gold", "Interval", "Judgement",
    "JudgementFlag", "Level", "Passage", "Query", "Quotation", "QuotationOutcome", "Quote", "Record", "Repair",
    "Report", "Response", "Sample", "SampleHints", "Score", "SearchHit", "Searched", "Segment", "SourceState",
    "Span", "Usage", "Verdict",
]  # fmt: skip
