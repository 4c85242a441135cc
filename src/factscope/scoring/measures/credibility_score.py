"""Credibility: how much of the evidence supports the text, pooled over all pieces of evidence."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.credibility import Share
from factscope.scoring.intervals import wilson
from factscope.scoring.measure import MeasureResult, register_measure


@register_measure(
    "credibility",
    cites="Facts&Evidence (2025), section 3: supported evidence / total evidence, equal weights, pooled",
    over="judgements",
)
def credibility(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the pieces of evidence that support the text; irrelevant ones count against it."""
    share = Share(counts.labels.get("supported", 0), sum(counts.labels.values()))
    return MeasureResult(share.value, share.total, counts.judgements_failed, wilson(*share))
