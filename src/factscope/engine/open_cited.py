"""The sources that texts cite, as the settings give them: local sources, and access to the web."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core.errors import UsageError
from factscope.core.records import Document
from factscope.methods import Method, cited

if TYPE_CHECKING:
    from factscope.engine.settings import Settings
    from factscope.evidence.citations import Library
    from factscope.evidence.page_access import PageAccess


def with_citations(method: Method, settings: Settings) -> Method:
    """Return the method, for the citations of a text where the settings ask for these. Raises UsageError."""
    if not settings.cited:
        return method
    try:
        return cited(method, repair=settings.repair)
    except ValueError as error:
        raise UsageError(f"{str(error)[:1].upper()}{str(error)[1:]}.", "Use builtin or standard.") from None


def open_library(
    settings: Settings,
    urls: Sequence[str] = (),
    documents: Sequence[Document] = (),
    access: PageAccess | None = None,
) -> Library:
    """Open the local sources, read now, and a guarded fetcher for the others unless the settings say offline.

    With `access` that is shared, and stays open when the library is closed.

    Raises UsageError for a path that is not there, and StoreError when the cache of pages can't be used.
    """
    from factscope.evidence.citations import Library, open_at_hand
    from factscope.evidence.loose_documents import fetch_pages
    from factscope.evidence.page_access import PageAccess

    pages = [*(passage for passage in settings.evidence if isinstance(passage, str)), *urls]
    read, problems = fetch_pages(pages, settings.cache) if pages else ([], [])
    fetched = [document.model_copy(update={"text": text}) for document, text in read]
    paths = [passage for passage in settings.evidence if isinstance(passage, Path)]
    held = open_at_hand(paths, [*documents, *fetched])
    held.problems += problems
    settings.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if settings.offline:
        return Library(held)
    way = access or PageAccess(settings.cache)
    return Library(held, way.fetcher, way.reader, shared=access is not None)
