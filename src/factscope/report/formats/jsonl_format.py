"""The format `jsonl`: one JSON record per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Report, Score
from factscope.report.renderer import Reports, register_renderer


def _many(reports: Reports, scores: Sequence[Score]) -> Iterator[str]:
    from factscope.report.json_export import many_to_jsonl

    return many_to_jsonl(reports)


@register_renderer("jsonl", endings=(".jsonl",), media_type="application/jsonl", many=_many)
def jsonl(report: Report) -> str:
    """Write a report as one JSON record per line."""
    from factscope.report.json_export import to_jsonl

    return to_jsonl(report)
