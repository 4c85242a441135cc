"""Factual precision: the supported share of the judged units."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.intervals import wilson
from factscope.scoring.measure import MeasureResult, register_measure


@register_measure(
    "factual_precision",
    cites="FactBench (Bayat et al. 2024), section 3: supported / (supported + unsupported + undecidable)",
)
def factual_precision(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the judged claims that are supported; undecided ones count against it."""
    supported, n = counts.units("supported"), counts.judged
    return MeasureResult(supported / n if n else None, n, counts.failed, wilson(supported, n))
