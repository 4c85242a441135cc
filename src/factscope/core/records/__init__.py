"""The frozen records that flow through Factscope: `flow` from text to verdict, `report` what they add up to."""

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
from factscope.core.records.gold import Gold, Level, Sample
from factscope.core.records.grounding import Eligibility, Finding, FindingFlag
from factscope.core.records.report import Exclusions, Failure, Interval, Report, Score, Searched, Usage

__all__ = [
    "Claim",
    "ConfidenceFrom",
    "Correction",
    "Document",
    "Eligibility",
    "Exclusions",
    "Failure",
    "Finding",
    "FindingFlag",
    "Gold",
    "Interval",
    "Judgement",
    "JudgementFlag",
    "Level",
    "Passage",
    "Query",
    "Quote",
    "Record",
    "Report",
    "Response",
    "Sample",
    "Score",
    "SearchHit",
    "Searched",
    "Segment",
    "Span",
    "Usage",
    "Verdict",
]
