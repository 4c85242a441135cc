"""The format `md`: Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.markdown import many_to_markdown

    return many_to_markdown(reports, scores)


@register_renderer("md", endings=(".md",), media_type="text/markdown; charset=utf-8", many=_many)
def md(report: Report) -> str:
    """Write a report as Markdown."""
    from factscope.report.markdown import to_markdown

    return to_markdown(report)
