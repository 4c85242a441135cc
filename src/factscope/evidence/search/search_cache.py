"""Results cached by query, engine and day. Failures are never cached."""

from __future__ import annotations

from factscope.core.sqlite_cache import CacheKind, SqliteCache
from factscope.evidence.search.engine import SearchResults, results_from_json, results_to_json


class SearchCache(SqliteCache[str, SearchResults]):
    """An open cache of searches; the note of a row is the request as JSON."""

    kind = CacheKind(of="searches", saves="searches", encode=results_to_json, decode=results_from_json)
