"""A source of evidence from the web, opened: engine, fetcher, reader and categories with their caches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.evidence.fetch import Fetcher
from factscope.evidence.page import PageReader
from factscope.evidence.search import open_search
from factscope.evidence.sources import Sources, own_table
from factscope.evidence.web import Rules, Web

if TYPE_CHECKING:
    from factscope.evidence.ranking import Encoders


_MOST_READERS = 8
"""Pages that are read at once, each in a process of its own."""


def open_web(
    engine: str,
    cache: Path,
    environment: Mapping[str, str],
    rules: Rules,
    own: Path | None = None,
    encoders: Encoders | None = None,
) -> Web:
    """The web through a search engine by name; nothing is sent yet. Searches and pages are kept for a day in `cache`.

    `own` is a file of categories of hosts; `encoders` opens the models of methods that rank by meaning. Raises
    UsageError for an unknown engine or a missing key, and StoreError.
    """
    search = open_search(engine, environment, cache / "searches.db")
    sources = Sources(cache / "sources.db", own_table(own) if own else None)
    reader = PageReader(at_once=max(2, min(_MOST_READERS, os.cpu_count() or 1)))
    return Web(search, Fetcher(cache / "pages.db"), reader, sources, rules, encoders)
