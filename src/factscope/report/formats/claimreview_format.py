"""The format `claimreview`: schema.org ClaimReview as JSON-LD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.claimreview import many_to_claimreview

    return many_to_claimreview(reports)


@register_renderer("claimreview", endings=(".claimreview.json",), media_type="application/ld+json", many=_many)
def claimreview(report: Report) -> str:
    """Write a report as ClaimReview of schema.org, in JSON-LD."""
    from factscope.report.claimreview import to_claimreview

    return to_claimreview(report)
