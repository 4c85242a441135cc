"""A result in every format: built once, as values and as a document, and written by that format's writer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from factscope.report.document import Block

_PLAIN_WIDTH = 120
"""Columns of a table that is not for a terminal."""


@dataclass(frozen=True)
class Result:
    """A result, built only when the requested format is known."""

    title: str
    values: Callable[[], Any]
    """The whole result as plain values, for JSON."""
    document: Callable[[], Iterable[Block]] = tuple
    """Its tables and notes."""
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Texts by format, for formats with a form of their own. CSV is written from these alone."""
    indent: int = 2
    """Indentation of the JSON, in spaces."""

    def text(self, name: str) -> str:
        """Write it in a format; the table without colours."""
        if name in self.texts or name == "csv":  # the cells of a document are for people: see `figure_lines`
            return self.texts[name]()
        match name:
            case "table":
                from factscope.report.console import plain_text, print_document

                shown = plain_text(lambda console: print_document(self.document(), console), _PLAIN_WIDTH)
                return shown.rstrip("\n") + "\n"
            case "json":
                return json.dumps(self.values(), ensure_ascii=False, indent=self.indent) + "\n"
            case "latex":
                from factscope.report.latex import document_to_latex

                return document_to_latex(self.document())
            case "html":
                from factscope.report.templates import Pages

                pages = Pages("factscope.report", ["page.css", "tables.css"])
                return pages.fill("document.html", title=self.title, blocks=self.document())
        from factscope.report.markdown_text import blocks_to_markdown

        return blocks_to_markdown(self.document())
