"""The web, which checks of this server share, and the names that users gave their documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from factscope.engine.open_tools import open_web_source
from factscope.engine.settings import Settings
from factscope.evidence.citations import AtHand
from factscope.evidence.page_access import PageAccess

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.results import HeldText
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


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with documents called by the names that their user gave them."""
    for file_name, name in names.items():
        text = text.replace(file_name, name)
    return text


def written(documents: Sequence[tuple[str, bytes]], folder: Path) -> dict[str, str]:
    """Write the documents to files in `folder`; return their paths, and the names that their user gave them."""
    names = {}
    for number, (name, data) in enumerate(documents, 1):
        path = folder / f"dropped-{number}" / name  # a folder called 1 would match the citation [1]
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        names[path.as_posix()] = name
    return names


def rename(held: AtHand, names: Mapping[str, str]) -> None:
    """Give local sources the names that their user gave them."""

    def with_name(item: HeldText) -> HeldText:
        url = renamed(item.document.url or "", names) or None
        return item._replace(document=item.document.model_copy(update={"url": url}))

    held.texts = [with_name(item) for item in held.texts]
    held.names = {key: with_name(item) for key, item in held.names.items()}
    held.problems = [
        problem._replace(path=renamed(problem.path, names), message=renamed(problem.message, names))
        for problem in held.problems
    ]
