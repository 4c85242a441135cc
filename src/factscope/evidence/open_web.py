"""A source of evidence from the web, opened: engine, fetcher, reader and categories with their caches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.evidence.fetch import Fetcher
from factscope.evidence.page import PageReader
from factscope.evidence.search import WebSearch
from factscope.evidence.sources import SourceClassifier, own_table
from factscope.evidence.web_source import WebRules, WebSource

if TYPE_CHECKING:
    from factscope.evidence.ranking import Encoders


_MOST_READERS = 8
"""Pages that are read at once, each in a process of its own."""


def open_web(
    search: WebSearch,
    cache: Path,
    rules: WebRules,
    categories: Path | None = None,
    encoders: Encoders | None = None,
) -> WebSource:
    """The web through a search engine; nothing is sent yet. Pages are kept for a day in `cache`.

    `own` is a file of categories of hosts; `encoders` opens the models of methods that rank by meaning. Raises
    StoreError.
    """
    sources = SourceClassifier(cache / "sources.db", own_table(categories) if categories else None)
    reader = PageReader(at_once=max(2, min(_MOST_READERS, os.cpu_count() or 1)))
    return WebSource(search, Fetcher(cache / "pages.db"), reader, sources, rules, encoders)
