"""Shared access to pages for several sources: one fetcher, so that its limits hold for all of them, and one reader.

Fetched pages are documents with ids from their address and text.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from factscope.core.records import Document
from factscope.evidence.fetch import FetchedPage, Fetcher
from factscope.evidence.page.page import ReadPage
from factscope.evidence.page.reader import open_reader


class PageAccess:
    """A fetcher and a reader that stay open: an async context manager, for one event loop."""

    def __init__(self, cache: Path) -> None:
        """Open the caches in a folder. Raises StoreError."""
        self.fetcher = Fetcher(cache / "pages.db")
        self.reader = open_reader(cache)

    async def __aenter__(self) -> PageAccess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def read(self, url: str) -> tuple[FetchedPage, ReadPage]:
        """Fetch a page and read it. Raises BoundaryError when there is nothing to read."""
        fetched = await self.fetcher.fetch(url)
        return fetched, await self.reader.read(fetched.content, fetched.content_type, fetched.charset, fetched.url)

    async def close(self) -> None:
        """Stop requests in flight, and close connections, child processes and caches."""
        await self.fetcher.close()
        await self.reader.close()


def page_document(page: ReadPage, fetched: FetchedPage) -> Document:
    """Return the record of a page, without its text."""
    return web_document(
        page.text,
        fetched.url,
        title=page.title,
        author=page.author,
        publisher=page.publisher,
        language=page.language,
        published=page.published,
        fetched_at=fetched.fetched_at,
        flags=page.flags,
    )


def web_document(text: str, address: str | None, **fields: Any) -> Document:
    """Return the record of a text at an address, without the text. The same text at two addresses is two documents."""
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()
    name = sha256(f"{address}\n{digest}".encode()).hexdigest()
    return Document(**{"id": f"d-{name[:16]}", "text": None, "url": address, "sha256": digest, **fields})
