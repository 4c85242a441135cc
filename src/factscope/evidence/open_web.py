"""Opens the web as a source of evidence: engine, fetcher, reader and categories, with their caches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from factscope.evidence.page_access import PageAccess
from factscope.evidence.search.search import WebSearch
from factscope.evidence.sources import SourceClassifier, own_table
from factscope.evidence.web_source import WebRules, WebSource

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders


def open_web(
    search: WebSearch,
    cache: Path,
    rules: WebRules,
    categories: Path | None = None,
    encoders: Encoders | None = None,
    access: PageAccess | None = None,
) -> WebSource:
    """Return the web through a search engine; nothing is sent yet. Pages are cached for a day in `cache`.

    `categories` is a file of categories of hosts; `encoders` opens the models of methods that rank by meaning. With
    `access`, that and `search` are shared, and stay open when the source is closed. Raises StoreError.
    """
    sources = SourceClassifier(cache / "sources.db", own_table(categories) if categories else None)
    pages = access or PageAccess(cache)
    return WebSource(search, pages.fetcher, pages.reader, sources, rules, encoders, shared=access is not None)
