"""A source of evidence from the web, opened: engine, fetcher, reader and categories with their caches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.evidence.fetch import Fetcher
from factscope.evidence.page import PageReader
from factscope.evidence.search import Search
from factscope.evidence.sources import Sources, own_table
from factscope.evidence.web_source import Rules, Web

if TYPE_CHECKING:
    from factscope.evidence.ranking import Encoders


_MOST_READERS = 8
"""Pages that are read at once, each in a process of its own."""


def open_web(
    search: Search,
    cache: Path,
    rules: Rules,
    own: Path | None = None,
    encoders: Encoders | None = None,
) -> Web:
    """The web through a search engine; nothing is sent yet. Pages are kept for a day in `cache`.

    `own` is a file of categories of hosts; `encoders` opens the models of methods that rank by meaning. Raises
    StoreError.
    """
    sources = Sources(cache / "sources.db", own_table(own) if own else None)
    reader = PageReader(at_once=max(2, min(_MOST_READERS, os.cpu_count() or 1)))
    return Web(search, Fetcher(cache / "pages.db"), reader, sources, rules, encoders)
