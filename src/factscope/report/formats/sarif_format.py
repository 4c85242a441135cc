"""The format `sarif`: problems with citations for code hosts and editors."""

from __future__ import annotations

from factscope.core.records import Report
from factscope.report.renderer import register_renderer


@register_renderer("sarif", endings=(".sarif", ".sarif.json"), media_type="application/sarif+json")
def sarif(report: Report) -> str:
    """Write the problems with the citations of a report for code hosts and editors."""
    from factscope.report.sarif import to_sarif

    return to_sarif(report)
