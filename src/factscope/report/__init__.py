"""One report, shown: in the terminal, as a page, as data; and many of them.

The same states, words and numbers in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, overload

from factscope.core.errors import UsageError
from factscope.core.records import Report, Score

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("json", "jsonl", "md", "html", "csv", "junit", "claimreview", "parquet")
"""What `render` can write."""

FORMATS_OF_MANY = ("jsonl", "md", "html", "csv", "junit", "claimreview", "parquet")
"""What `render_many` can write."""

_ENDINGS = {
    ".claimreview.json": "claimreview",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".xml": "junit",
    ".parquet": "parquet",
    ".txt": "text",
}


def format_of(name: str) -> str | None:
    """The format that the ending of a file's name stands for, `text` among them; `None` when it stands for none."""
    return next((form for ending, form in _ENDINGS.items() if name.lower().endswith(ending)), None)


if TYPE_CHECKING:

    @overload
    def render(report: Report, format: Literal["parquet"]) -> bytes: ...
    @overload
    def render(
        report: Report, format: Literal["json", "jsonl", "md", "html", "csv", "junit", "claimreview"]
    ) -> str: ...
    @overload
    def render(report: Report, format: str) -> str | bytes: ...


def render(report: Report, format: str) -> str | bytes:  # noqa: A002 - people call it so
    """The report in one of `FORMATS`: text with a line end at its end, or bytes for `parquet`.

    Raises UsageError on another format, and for `parquet` when DuckDB is not installed.
    """
    match format:
        case "json":
            from factscope.report.json_export import to_json

            return to_json(report)
        case "jsonl":
            from factscope.report.json_export import to_jsonl

            return to_jsonl(report)
        case "md":
            from factscope.report.markdown import to_markdown

            return to_markdown(report)
        case "csv":
            from factscope.report.claim_table import to_csv

            return to_csv(report)
        case "html":
            from factscope.report.html import to_html

            return to_html(report)
        case "junit":
            from factscope.report.junit import to_junit

            return to_junit(report)
        case "claimreview":
            from factscope.report.claimreview import to_claimreview

            return to_claimreview(report)
        case "parquet":
            from factscope.report.claim_table import to_parquet

            return to_parquet(report)
    raise UsageError(f"{format!r} is not a format of a report.", f"Choose one of: {', '.join(FORMATS)}.")


def render_many(
    reports: Callable[[], Iterable[Report]],
    scores: Sequence[Score],
    format: str,  # noqa: A002 - as in `render`
) -> Iterator[str] | Iterator[bytes]:
    """Many reports in one of `FORMATS_OF_MANY`, piece by piece: text, or bytes for `parquet`.

    `reports` opens them anew at each call, once for data and twice for `md` and `html`, which begin with totals; none
    is held longer than it takes. `scores` are those over all of them (see `summarise_all`), for `md` and `html`.
    Raises UsageError, at once, on another format.
    """
    match format:
        case "jsonl":
            from factscope.report.json_export import many_to_jsonl

            return many_to_jsonl(reports)
        case "csv":
            from factscope.report.claim_table import many_to_csv

            return many_to_csv(reports)
        case "parquet":
            from factscope.report.claim_table import many_to_parquet

            return many_to_parquet(reports)
        case "junit":
            from factscope.report.junit import many_to_junit

            return many_to_junit(reports)
        case "claimreview":
            from factscope.report.claimreview import many_to_claimreview

            return many_to_claimreview(reports)
        case "md":
            from factscope.report.markdown import many_to_markdown

            return many_to_markdown(reports, scores)
        case "html":
            from factscope.report.html import many_to_html

            return many_to_html(reports, scores)
    raise UsageError(
        f"{format!r} is not a format of many reports.", f"Choose one of: {', '.join(FORMATS_OF_MANY)}, text."
    )


def print_report(report: Report, console: Console) -> None:
    """Print the report for a person, as wide and as colourful as `console` is. Outside text is shown inert."""
    from factscope.report.terminal import print_report as print_to

    print_to(report, console)


def print_reports(reports: Callable[[], Iterable[Report]], scores: Sequence[Score], console: Console) -> None:
    """Print the scores over all responses and a line for each. `reports` opens them anew at each of two calls."""
    from factscope.report.terminal import print_reports as print_to

    print_to(reports, scores, console)
