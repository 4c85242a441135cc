"""A result as one self-contained page: no script, no request, all outside text escaped and inert."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.report.document import Block
from factscope.report.templates import Pages


def to_html(title: str, blocks: Iterable[Block]) -> str:
    """Write the page of a result."""
    return _PAGES.fill("document.html", title=title, blocks=blocks)


_PAGES = Pages("factscope.report", ["page.css", "tables.css"])
