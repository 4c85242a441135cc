"""Fetched pages as documents, with ids from their address and text."""

from __future__ import annotations

from hashlib import sha256

from factscope.core.records import Document
from factscope.evidence.fetch import FetchedPage
from factscope.evidence.page.page import ReadPage


def page_document(page: ReadPage, fetched: FetchedPage) -> Document:
    """Return the record of a page, without its text. The same text at two addresses gives two documents."""
    digest = sha256(page.text.encode("utf-8", "replace")).hexdigest()
    name = sha256(f"{fetched.url}\n{digest}".encode()).hexdigest()
    return Document(
        id=f"d-{name[:16]}",
        text=None,
        url=fetched.url,
        title=page.title,
        author=page.author,
        publisher=page.publisher,
        language=page.language,
        published=page.published,
        fetched_at=fetched.fetched_at,
        sha256=digest,
        flags=page.flags,
    )
