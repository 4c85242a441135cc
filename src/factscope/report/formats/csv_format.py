"""The format `csv`: a table with a row per claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.claim_table import many_to_csv

    return many_to_csv(reports)


@register_renderer("csv", endings=(".csv",), media_type="text/csv; charset=utf-8", many=_many)
def csv(report: Report) -> str:
    """Write a report as a table with a row per claim."""
    from factscope.report.claim_table import to_csv

    return to_csv(report)
