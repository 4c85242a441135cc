"""Shared access to pages for several sources: one fetcher, so that its limits hold for all of them, and one reader."""

from __future__ import annotations

from pathlib import Path

from factscope.evidence.fetch import Fetcher
from factscope.evidence.page.reader import open_reader


class PageAccess:
    """A fetcher and a reader that stay open. Belongs to one event loop; close it when done."""

    def __init__(self, cache: Path) -> None:
        """Open the caches in a folder. Raises StoreError."""
        self.fetcher = Fetcher(cache / "pages.db")
        self.reader = open_reader(cache)

    async def close(self) -> None:
        """Stop requests in flight, and close connections, child processes and caches."""
        await self.fetcher.close()
        await self.reader.__aexit__(None, None, None)
