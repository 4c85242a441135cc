"""A result as one self-contained page: no script, no request, all outside text escaped and inert."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import jinja2

from factscope.core.version import __version__
from factscope.report.document import Block
from factscope.report.templates import templates


def to_html(title: str, blocks: Iterable[Block]) -> str:
    """Write the page of a result."""
    page = _templates().get_template("document.html")
    return page.render(title=title, blocks=document_blocks(blocks), version=__version__).strip() + "\n"


def document_blocks(blocks: Iterable[Block]) -> list[tuple[str, Block]]:
    """Return the blocks as the macro `document` takes them, each with its kind."""
    return [(type(block).__name__, block) for block in blocks]


@cache
def _templates() -> jinja2.Environment:
    return templates("factscope.report", ["page.css", "tables.css"])
