"""One report, shown: in the terminal, as a page, as data. The same states, words and numbers in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from factscope.errors import UsageError
from factscope.records import Report

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("json", "jsonl", "md", "html", "csv")
"""What `render` can write."""


def render(report: Report, format: str) -> str:  # noqa: A002 - the word that people use for it
    """The report as text in one of `FORMATS`, with a line end at its end. Raises UsageError on another format."""
    match format:
        case "json":
            from factscope.report.data import to_json

            return to_json(report)
        case "jsonl":
            from factscope.report.data import to_jsonl

            return to_jsonl(report)
        case "md":
            from factscope.report.markdown import to_markdown

            return to_markdown(report)
        case "csv":
            from factscope.report.tables import to_csv

            return to_csv(report)
        case "html":
            from factscope.report.html import to_html

            return to_html(report)
    raise UsageError(f"{format!r} is not a format of a report.", f"Choose one of: {', '.join(FORMATS)}.")


def print_report(report: Report, console: Console) -> None:
    """Print the report for a person, as wide and as colourful as `console` is. Outside text is shown inert."""
    from factscope.report.terminal import print_report as print_to

    print_to(report, console)
