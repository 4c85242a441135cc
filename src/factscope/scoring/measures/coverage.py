"""Coverage: the share of the units to judge that were judged."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.measure import MeasureResult, register_measure


@register_measure("coverage", cites="Factscope")
def coverage(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Units with a verdict out of the units to judge. No score should be read without it."""
    return MeasureResult(counts.coverage, counts.judged, counts.failed)
