"""FActScore: precision with a penalty on answers that say little."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from factscope.scoring.counts import ReportCounts
from factscope.scoring.measure import MeasureParameter, MeasureResult, register_measure


@register_measure(
    "factscore",
    cites="FActScore (Min et al. 2023): times exp(1 - gamma / facts) unless there are more than gamma facts",
    parameters=(
        MeasureParameter("gamma", 10, 0, 1_000_000, "how many claims an answer should exceed; 0 for no penalty"),
    ),
)
def factscore(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Factual precision, lowered for answers with no more than gamma claims."""
    n, gamma = counts.judged, parameters["gamma"]
    if not n:
        return MeasureResult(None, n, counts.failed)
    # The penalty counts judged claims: a failed one must not make the answer look longer.
    penalty = exp(min(1 - gamma / n, 0))
    return MeasureResult(penalty * counts.units("supported") / n, n, counts.failed)
