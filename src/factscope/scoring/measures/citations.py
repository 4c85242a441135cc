"""Scores of citations, as in ALCE (Gao et al. 2023), and the shares of faulty ones."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import ReportCounts
from factscope.scoring.intervals import wilson
from factscope.scoring.measure import MeasureResult, register_measure

_ALCE = "ALCE (Gao et al. 2023), section 3"
_OURS = "our own"


def _share(counts: ReportCounts, name: str) -> MeasureResult:
    k, n, failed = counts.citations.get(name, (0, 0, 0))
    return MeasureResult(k / n if n else None, n, failed, wilson(k, n))


@register_measure("citation_recall", cites=_ALCE)
def citation_recall(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the sentences that need a source, or cite one, that their sources support in full."""
    return _share(counts, "citation_recall")


@register_measure("citation_precision", cites=_ALCE)
def citation_precision(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the citations whose sentence is supported in full, and which are not irrelevant to that."""
    return _share(counts, "citation_precision")


@register_measure("dead_sources", cites=_OURS)
def dead_sources(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the cited sources that are not there: dead, paywalled, unreadable, or never named."""
    return _share(counts, "dead_sources")


@register_measure("altered_quotes", cites=_OURS)
def altered_quotes(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the quotations that do not stand in their source word for word."""
    return _share(counts, "altered_quotes")


@register_measure("uncited_claims", cites=_OURS)
def uncited_claims(counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    """Share of the claims that need a source and cite none."""
    return _share(counts, "uncited_claims")
