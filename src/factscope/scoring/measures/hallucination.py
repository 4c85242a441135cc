"""Hallucination score: errors, and a part of what can't be decided, against the square root of the length."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from factscope.scoring.counts import ReportCounts
from factscope.scoring.measure import MeasureParameter, MeasureResult, register_measure


@register_measure(
    "hallucination",
    cites="FactBench (Bayat et al. 2024), equation 1; the root keeps long answers sensitive to errors",
    most=lambda counts: sqrt(counts.judged),
    parameters=(MeasureParameter("alpha", 0.5, 0, 1, "how much an undecided claim weighs against a contradicted one"),),
)
def hallucination(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Contradicted claims plus alpha times undecided ones, over the root of their number; lower is better."""
    n = counts.judged
    weight = counts.units("contradicted") + parameters["alpha"] * counts.units("undecided", "no_evidence")
    return MeasureResult(weight / sqrt(n) if n else None, n, counts.failed)
