"""A result as one self-contained page: no script, no request, all outside text escaped and inert."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.report.document import Block
from factscope.report.templates import Pages


def to_html(title: str, blocks: Iterable[Block]) -> str:
    """Write the page of a result."""
    return _PAGES.fill("document.html", title=title, blocks=document_blocks(blocks))


def document_blocks(blocks: Iterable[Block]) -> list[tuple[str, Block]]:
    """Return the blocks as the macro `document` takes them, each with its kind."""
    return [(type(block).__name__, block) for block in blocks]


_PAGES = Pages("factscope.report", ["page.css", "tables.css"])
