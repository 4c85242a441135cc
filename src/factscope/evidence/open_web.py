"""A source of evidence from the web, opened: engine, fetcher, reader and categories with their caches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from factscope.evidence.fetch import Fetcher
from factscope.evidence.read_page import PageReader
from factscope.evidence.search import open_search
from factscope.evidence.sources import Sources, own_table
from factscope.evidence.web import Rules, Web


def open_web(engine: str, cache: Path, environment: Mapping[str, str], rules: Rules, own: Path | None = None) -> Web:
    """The web through a search engine by name; nothing is sent yet. Searches and pages are kept for a day in `cache`.

    `own` is a file of categories of hosts. Raises UsageError for an unknown engine or a missing key, and StoreError.
    """
    search = open_search(engine, environment, cache / "searches.db")
    sources = Sources(cache / "sources.db", own_table(own) if own else None)
    return Web(search, Fetcher(cache / "pages.db"), PageReader(), sources, rules)
