"""F1@K: precision of the facts, and recall up to the number of facts that a reader expects."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.measure import MeasureParameter, MeasureResult, register_measure


@register_measure(
    "f1_at_k",
    cites="SAFE (Wei et al. 2024), section 6: recall is min(supported / K, 1), and F1 is 0 without support",
    parameters=(
        MeasureParameter("k", 64, 1, 1_000_000, "how many supported claims are wanted; the paper uses 64 and 178"),
    ),
)
def f1_at_k(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Harmonic mean of precision and of recall, where k supported claims are full recall."""
    supported, n = counts.units("supported"), counts.judged
    if not n:
        return MeasureResult(None, n, counts.failed)
    precision, recall = supported / n, min(supported / parameters["k"], 1)
    value = 2 * precision * recall / (precision + recall) if supported else 0.0
    return MeasureResult(value, n, counts.failed)
