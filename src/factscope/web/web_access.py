"""Shared access to the web for all checks of this server: search engines, connections, and readers of pages."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING

from factscope.engine.open_tools import open_web_source
from factscope.engine.settings import Settings
from factscope.evidence.page_access import PageAccess

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.search.search import WebSearch
    from factscope.evidence.web_source import WebSource


class WebAccess:
    """Search engines, fetcher and reader, opened with the first check that needs them. Belongs to one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._pages: PageAccess | None = None
        self._searches: dict[str, WebSearch] = {}

    def pages(self) -> PageAccess:
        """Return the fetcher and the reader. Raises StoreError."""
        with self._lock:  # checks open their tools in threads
            if self._pages is None:
                self._settings.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._pages = PageAccess(self._settings.cache)
            return self._pages

    def source(self, settings: Settings, encoders: Encoders) -> WebSource | None:
        """Return the web with the rules of one check; None when it has no search engine.

        Raises UsageError, StoreError.
        """
        if not settings.search:
            return None
        return open_web_source(settings, self._search(settings.search), encoders, self.pages())

    def _search(self, name: str) -> WebSearch:
        from factscope.evidence.search.engine_registry import open_search

        with self._lock:
            if name not in self._searches:
                self._searches[name] = open_search(name, os.environ, self._settings.cache / "searches.db")
            return self._searches[name]

    async def close(self) -> None:
        """Close everything."""
        for search in self._searches.values():
            await search.close()
        if self._pages:
            await self._pages.close()
