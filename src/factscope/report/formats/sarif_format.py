"""The format `sarif`: SARIF 2.1.0, for tools that show findings beside lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.sarif import many_to_sarif

    return many_to_sarif(reports)


@register_renderer("sarif", endings=(".sarif", ".sarif.json"), media_type="application/sarif+json", many=_many)
def sarif(report: Report) -> str:
    """Write a report as SARIF 2.1.0."""
    from factscope.report.sarif import to_sarif

    return to_sarif(report)
