"""Measures of a text's citations, as in ALCE (Gao et al. 2023), and the shares of faulty ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from factscope.scoring.counts import ReportCounts
from factscope.scoring.intervals import wilson
from factscope.scoring.measure_definition import MEASURES, MeasureDefinition, MeasureResult

_ALCE = "ALCE (Gao et al. 2023), section 3"
_OURS = "our own"
_SHARES = {
    "citation_recall": (
        "Share of the sentences that need a source, or cite one, that their sources support in full.", _ALCE,
    ),
    "citation_precision": (
        "Share of the citations whose sentence is supported in full, and which are not irrelevant to that.", _ALCE,
    ),
    "dead_sources": (
        "Share of the cited sources that are not there: dead, paywalled, unreadable, or never named.", _OURS,
    ),
    "altered_quotes": ("Share of the quotations that do not stand in their source word for word.", _OURS),
    "uncited_claims": ("Share of the claims that need a source and cite none.", _OURS),
}  # fmt: skip
"""Meaning and citation of each."""


def _share(name: str, counts: ReportCounts, parameters: Mapping[str, float]) -> MeasureResult:
    k, n, failed = counts.citations.get(name, (0, 0, 0))
    return MeasureResult(k / n if n else None, n, failed, wilson(k, n))


for _name, (_sentence, _cites) in _SHARES.items():
    MEASURES.add(
        _name, MeasureDefinition(_name, _sentence, _cites, partial(_share, _name), (), "units", lambda counts: 1.0)
    )
