"""Measures of a text's claims: how many of them hold, in the counts of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt

from factscope.scoring.counts import ReportCounts
from factscope.scoring.credibility import Share
from factscope.scoring.intervals import wilson
from factscope.scoring.measure_definition import MeasureParameter, MeasureResult, register_measure


@register_measure("coverage", cites="Factscope")
def coverage(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Units with a verdict out of the units to judge. No score should be read without it."""
    return MeasureResult(counts.coverage, counts.judged, counts.failed)


@register_measure(
    "factual_precision",
    cites="FactBench (Bayat et al. 2024), section 3: supported / (supported + unsupported + undecidable)",
)
def factual_precision(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the judged claims that are supported; undecided ones count against it."""
    supported, n = counts.units("supported"), counts.judged
    return MeasureResult(supported / n if n else None, n, counts.failed, wilson(supported, n))


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


@register_measure(
    "credibility",
    cites="Facts&Evidence (2025), section 3: supported evidence / total evidence, equal weights, pooled",
    over="judgements",
)
def credibility(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the pieces of evidence that support the text; irrelevant ones count against it."""
    share = Share(counts.labels.get("supported", 0), sum(counts.labels.values()))
    return MeasureResult(share.value, share.total, counts.judgements_failed, wilson(*share))
