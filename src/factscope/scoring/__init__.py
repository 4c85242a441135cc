"""Verdicts → numbers: pure functions of a report. Intervals and means are shared by all measures."""

from factscope.scoring.counts import ReportCounts, count_units
from factscope.scoring.credibility import band, shares
from factscope.scoring.measure import MEASURES, MeasureParameter, MeasureResult, register_measure
from factscope.scoring.measure_registry import find, measure, scored
from factscope.scoring.summary import summarise, summarise_all

__all__ = [
    "MEASURES", "MeasureParameter", "MeasureResult", "ReportCounts", "band", "count_units", "find", "measure",
    "register_measure", "scored", "shares", "summarise", "summarise_all",
]  # fmt: skip
