"""Results kept by what was searched, where, and on which day: one SQLite file. Failures never come here.

searches  key, request (the engine, its address, the query, what was wanted and the day, as JSON), results (JSON),
          made (day and time, UTC)
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from factscope.core.sqlite_cache import CacheKind, open_cache, saying
from factscope.evidence.search.engine import SearchResults, results_from_json, results_to_json

_KIND = CacheKind(
    of="searches",
    saves="searches",
    schema="CREATE TABLE IF NOT EXISTS searches"
    " (key TEXT PRIMARY KEY, request TEXT NOT NULL, results TEXT NOT NULL, made TEXT NOT NULL)",
)


class SearchCache:
    """An open cache, safe to use from several threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, results are kept as long as the cache is open.

        Raises StoreError when it can't be opened, or is of a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        self._db = open_cache(path, _KIND)

    def get(self, key: str) -> SearchResults | None:
        """The results kept under a key, None when there are none. Raises StoreError."""
        with self._lock, saying(_KIND, self.path, "read"):
            row = self._db.execute("SELECT results FROM searches WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return results_from_json(row[0])
        except ValueError:
            return None  # a row that is none of ours is as good as missing

    def put(self, key: str, request: str, results: SearchResults) -> None:
        """Keep results; they are on disk when this returns. Raises StoreError."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, saying(_KIND, self.path, "written"):
            values = (key, request, results_to_json(results), created)
            self._db.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?)", values)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
