"""Coverage: how much of what should have been judged was."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.measure import MeasureDefinition, MeasureResult


def _read(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    return MeasureResult(counts.coverage, counts.judged, counts.failed)


COVERAGE = MeasureDefinition(
    name="coverage",
    sentence="Units with a verdict out of the units to judge. No score should be read without it.",
    cites="Factscope",
    read=_read,
)
