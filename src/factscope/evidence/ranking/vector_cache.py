"""Vectors of texts, kept by a hash of model and text: one SQLite file that several processes may use at once.

vectors  id, key (hash), vector (float16, little-endian)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from threading import Lock

from factscope.core.sqlite_cache import CacheKind, open_cache, saying

KEPT = 500_000
"""Vectors that are left when the file is opened, the latest; with 384 numbers each they take 0.4 GB."""
_AT_ONCE = 900
_KIND = CacheKind(
    of="vectors",
    saves="time",
    schema="""
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, vector BLOB NOT NULL);
""",
    synchronous="OFF",
)


class VectorCache:
    """An open file of vectors, safe to use from several threads. Every method raises StoreError."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, vectors are kept as long as this is open."""
        self.path = path
        self._lock = Lock()
        self._db = open_cache(path, _KIND)
        with saying(_KIND, path, "written"):
            self._db.execute("DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?", (KEPT,))

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Those of the vectors that are kept."""
        vectors_found: dict[bytes, bytes] = {}
        remaining = iter(keys)
        while batch := tuple(islice(remaining, _AT_ONCE)):
            marks = ", ".join("?" * len(batch))
            with self._lock, saying(_KIND, self.path, "read"):
                rows = self._db.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", batch)  # noqa: S608 - marks
                vectors_found.update(rows.fetchall())
        return vectors_found

    def put(self, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep vectors under their keys."""
        with self._lock, saying(_KIND, self.path, "written"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR IGNORE INTO vectors (key, vector) VALUES (?, ?)", vectors)
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
