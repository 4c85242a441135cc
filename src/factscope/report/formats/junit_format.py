"""The format `junit`: test results for a CI server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.junit import many_to_junit

    return many_to_junit(reports)


@register_renderer("junit", endings=(".xml",), media_type="application/xml", many=_many)
def junit(report: Report) -> str:
    """Write a report as test results for a CI server."""
    from factscope.report.junit import to_junit

    return to_junit(report)
