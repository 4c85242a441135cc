"""The formats of reports, by name. Other packages add theirs as entry points of the group `factscope.renderers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from factscope.core import Registry, Report, Score, UsageError, must_be

Reports = Callable[[], Iterable[Report]]
"""Returns a new iterator over many reports at each call, so that none is kept in memory longer than needed."""
RenderOne = Callable[[Report], str | bytes]


class OverAll(NamedTuple):
    """Scores over many responses, and the rows that are in none of them."""

    scores: Sequence[Score] = ()
    left_out: Sequence[str] = ()
    """Rows of the data that could not be checked and are in no score, such as `Row 3: it has no text`."""


RenderMany = Callable[[Reports, OverAll], Iterator[str] | Iterator[bytes]]


class Renderer(NamedTuple):
    """A registered format."""

    name: str
    endings: tuple[str, ...]
    """File extensions. An extension of another format may end in one of these, if it is longer."""
    media_type: str
    one: RenderOne
    """Write one report: text with a line end at its end, or bytes."""
    many: RenderMany | None = None
    """Write many reports with the scores over them, piece by piece; None for a format that holds only one."""


RENDERERS: Registry[Renderer] = Registry("format", "factscope.renderers", "factscope.report.formats", must_be(Renderer))


def register_renderer(
    name: str, *, endings: tuple[str, ...], media_type: str, many: RenderMany | None = None
) -> Callable[[RenderOne], RenderOne]:
    """Register the function below as a format. Raises ValueError for a name that is taken."""

    def register(render_one: RenderOne) -> RenderOne:
        """Register the renderer under the name."""
        RENDERERS.add(name, Renderer(name, endings, media_type, render_one, many))
        return render_one

    return register


def format_of(file_name: str) -> str | None:
    """Return the format of a file extension, including `text`; None for an unknown extension."""
    endings = {".txt": "text", **{ending: renderer.name for renderer in RENDERERS for ending in renderer.endings}}
    longest_first = sorted(endings, key=len, reverse=True)  # .claimreview.json before .json
    return next((endings[ending] for ending in longest_first if file_name.lower().endswith(ending)), None)


def endings_of_many() -> tuple[str, ...]:
    """Return the file extensions of the formats that hold many reports."""
    return tuple(ending for renderer in RENDERERS if renderer.many for ending in renderer.endings)


def formats_of_many() -> tuple[str, ...]:
    """Return the names of the formats that hold many reports."""
    return tuple(renderer.name for renderer in RENDERERS if renderer.many)


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
