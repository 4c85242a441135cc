"""One report, or many, in the terminal, as a page, or as data, with the same states, words and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.errors import UsageError
from factscope.core.records import Report, Score
from factscope.report.renderer import (
    RENDERERS,
    OverAll,
    Reports,
    endings_of_many,
    format_of,
    formats_of_many,
    register_renderer,
)

__all__ = [
    "RENDERERS",
    "Reports",
    "endings_of_many",
    "format_of",
    "formats_of_many",
    "register_renderer",
    "render",
    "render_many",
]


def render(report: Report, format: str) -> str | bytes:  # noqa: A002 - people call it so
    """Write a report in a registered format: text with a line end at its end, or bytes.

    Raises UsageError for a format that is not registered, and for one that needs a package which is not installed.
    """
    return RENDERERS.get(format).one(report)


def render_many(
    reports: Reports,
    scores: Sequence[Score],
    format: str,  # noqa: A002 - as in `render`
    left_out: Sequence[str] = (),
) -> Iterator[str] | Iterator[bytes]:
    """Write many reports piece by piece. `scores` are those over all of them (see `summarise_all`).

    `left_out` are rows that could not be checked, such as `Row 3: it has no text`. Every format names them but csv,
    parquet and claimreview, in which each row is a claim.
    Raises UsageError, at once, for a format that is not registered or does not hold many reports.
    """
    renderer = RENDERERS.get(format)
    if renderer.many is None:
        formats = ", ".join(formats_of_many())
        raise UsageError(f"{format!r} is not a format of many reports.", f"Choose one of: {formats}, text.")
    return renderer.many(reports, OverAll(scores, left_out))
