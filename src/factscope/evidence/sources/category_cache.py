"""Cache of the categories that models gave to hosts, by host and prompt: one SQLite file. Failures never come here.

hosts  host (as `plain_host` makes it), prompt (its hash), category, model, made (day and time, UTC)
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from factscope.core.labels import CATEGORIES
from factscope.core.sqlite_cache import CacheKind, open_cache, saying
from factscope.evidence.sources.assign import AssignedCategory

_KIND = CacheKind(
    of="sources",
    saves="calls",
    schema="CREATE TABLE IF NOT EXISTS hosts (host TEXT, prompt TEXT, category TEXT NOT NULL, model TEXT NOT NULL,"
    " made TEXT NOT NULL, PRIMARY KEY (host, prompt))",
)


class CategoryCache:
    """An open file of answers, safe to use from several threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, answers are kept as long as this is open.

        Raises StoreError when it can't be opened, or is of a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        self._db = open_cache(path, _KIND)

    def get(self, host: str, prompt: str) -> AssignedCategory | None:
        """Return the cached category of a host, None when there is none. Raises StoreError."""
        with self._lock, saying(_KIND, self.path, "read"):
            row = self._db.execute(
                "SELECT category, model FROM hosts WHERE host = ? AND prompt = ?", (host, prompt)
            ).fetchone()
        return AssignedCategory(*row) if row and row[0] in CATEGORIES else None  # any other row is none of ours

    def put(self, host: str, prompt: str, assigned_category: AssignedCategory) -> None:
        """Keep an answer; it is on disk when this returns. Raises StoreError."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, saying(_KIND, self.path, "written"):
            self._db.execute(
                "INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?)", (host, prompt, *assigned_category, created)
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
