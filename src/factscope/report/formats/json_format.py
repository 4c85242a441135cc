"""The format `json`: one JSON object."""

from __future__ import annotations

from factscope.core.records import Report
from factscope.report.renderer import register_renderer


@register_renderer("json", endings=(".json",), media_type="application/json")
def json(report: Report) -> str:
    """Write a report as one JSON object."""
    from factscope.report.json_export import to_json

    return to_json(report)
