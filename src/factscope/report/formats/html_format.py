"""The format `html`: a page in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.html import many_to_html

    return many_to_html(reports, scores)


@register_renderer("html", endings=(".html", ".htm"), media_type="text/html; charset=utf-8", many=_many)
def html(report: Report) -> str:
    """Write a report as a page in one file."""
    from factscope.report.html import to_html

    return to_html(report)
