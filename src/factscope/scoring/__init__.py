"""Verdicts → numbers: pure functions of a report. One file per measure; intervals and means are shared by all."""

from factscope.scoring.counts import ReportCounts, count_units
from factscope.scoring.credibility import Share, band, shares
from factscope.scoring.measure import MEASURES, MeasureDefinition, MeasureParameter, MeasureResult, register_measure
from factscope.scoring.measure_registry import find, measure, signature
from factscope.scoring.summary import summarise, summarise_all

__all__ = [
    "MEASURES",
    "MeasureDefinition",
    "MeasureParameter",
    "MeasureResult",
    "ReportCounts",
    "Share",
    "band",
    "count_units",
    "find",
    "measure",
    "register_measure",
    "shares",
    "signature",
    "summarise",
    "summarise_all",
]
