"""Vectors of texts, kept by a hash of model and text: one SQLite file that several processes may use at once.

vectors  id, key (hash), vector (float16, little-endian)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Lock

from factscope.errors import StoreError

KEPT = 500_000
"""Vectors that are left when the file is opened, the latest; with 384 numbers each they take 0.4 GB."""
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_AT_ONCE = 900
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, vector BLOB NOT NULL)"


class Vectors:
    """An open file of vectors, safe to use from several threads. Every method raises StoreError."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, vectors are kept as long as this is open."""
        self.path = path
        self._lock = Lock()
        with self._saying("opened"):
            if path:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._db = sqlite3.connect(path or "", timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                with suppress(sqlite3.OperationalError):  # another process is turning the same new file to WAL
                    self._db.execute("PRAGMA journal_mode=WAL")
                # No waiting for the disk: what a power cut takes is computed anew.
                self._db.execute("PRAGMA synchronous=OFF")
                self._db.execute(_TABLE)
                self._db.execute("DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?", (KEPT,))
            except BaseException:
                self._db.close()
                raise

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Those of the vectors that are kept."""
        found: dict[bytes, bytes] = {}
        rest = iter(keys)
        while some := tuple(islice(rest, _AT_ONCE)):
            marks = ", ".join("?" * len(some))
            with self._lock, self._saying("read"):
                rows = self._db.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608 - marks
                found.update(rows.fetchall())
        return found

    def put(self, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep vectors under their keys."""
        with self._lock, self._saying("written"):
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

    @contextmanager
    def _saying(self, done: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
            raise StoreError(
                f"The cache of vectors {self.path or ''} can't be {done}: {reason}.",
                "Make room or make it writable; if it is broken, delete it: it only saves time.",
            ) from error
