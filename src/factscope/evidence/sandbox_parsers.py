"""Parsers that run in the child process of `sandbox`, by name; hostile content is never parsed elsewhere."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

BATCH_CHARACTERS = 1_000_000
"""Rows of a file are sent once they hold this many characters together."""
_PDF_SHARE = 0.7
"""Share of the time limit for the pages of a PDF: pages read by then are used, and the rest is skipped."""
_HTML_MODULES = ("lxml.html", "trafilatura", "factscope.evidence.page.page", "factscope.evidence.page.markup")
_PDF_MODULES = ("pypdf", "factscope.evidence.page.pdf")
_FIRST_PAGE = b"<!doctype html><title>First</title><main><h1>First</h1><p>A page of our own, read in 2026.</p></main>"
"""Parsed before any other page: on its first page trafilatura compiles expressions and loads tables, which takes 0.3 s.
Children forked afterwards inherit the result."""

_READERS = {
    "html": ("trafilatura",), "pdf": ("pypdf",), "epub": ("trafilatura",),
    "docx": ("docx",), "pptx": ("pptx",), "xlsx": ("openpyxl",),
}  # fmt: skip
"""Modules that read a kind of file."""

Job = dict[str, Any]


def _parse_file(job: Job, content: bytes) -> Iterator[list[Any]]:
    """Yield the texts of a file of evidence, and its unusable parts."""
    from factscope.evidence.formats import TextRow, parse, to_json

    batch: list[Any] = []
    size = 0
    for item in parse(content, job["kind"], _PDF_SHARE * job["cpu_seconds"], job["characters"]):
        batch.append(to_json(item))
        size += len(item.text) if isinstance(item, TextRow) else 0
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    yield batch


def _parse_page(job: Job, content: bytes) -> Iterator[list[Any]]:
    """Yield the fields of one fetched page."""
    from factscope.evidence.page.page import read_page

    yield [read_page(content, job["content_type"], job["charset"], job["url"])]


class Parser(NamedTuple):
    """Parser of one kind of content."""

    parse: Callable[[Job, bytes], Iterator[list[Any]]]
    """Yields lists of items that can be written as JSON. Raises NotTextError, MemoryError."""
    modules: tuple[str, ...] = ()
    """Modules that every job needs."""

    def prepare(self, job: Job) -> None:
        """Import the modules that a job needs, before the limits apply. Raises ImportError."""
        csv.field_size_limit(1 << 30)
        for name in (*self.modules, *_READERS.get(job.get("kind", ""), ())):
            import_module(name)

    def begin(self) -> None:
        """Prepare everything that each job needs, while the first one is on its way. Raises ImportError."""
        if self.modules:
            self.prepare({})
            list(self.parse({"content_type": "text/html", "charset": None, "url": "http://localhost/"}, _FIRST_PAGE))


PARSERS = {
    "file": Parser(_parse_file),
    "page": Parser(_parse_page, _HTML_MODULES),
    "pdf": Parser(_parse_page, (*_HTML_MODULES, *_PDF_MODULES)),
}
"""`page` reads fetched pages of all kinds; `pdf` too, but has the PDF parser loaded in advance, which takes half as
long again."""
