"""The format `parquet`: a typed table with a row per claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[bytes]:
    from factscope.report.claim_table import many_to_parquet

    return many_to_parquet(reports)


@register_renderer("parquet", endings=(".parquet",), media_type="application/vnd.apache.parquet", many=_many)
def parquet(report: Report) -> bytes:
    """Write a report as a typed table with a row per claim."""
    from factscope.report.claim_table import to_parquet

    return to_parquet(report)
