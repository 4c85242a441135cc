"""Results kept by what was searched, where, and on which day: one SQLite file. Failures never come here.

searches  key, request (the engine, its address, the query, what was wanted and the day, as JSON), results (JSON),
          made (day and time, UTC)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from factscope.errors import StoreError

from .engine import Results, results_from_json, results_to_json

_FORM = 1
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS searches"
    " (key TEXT PRIMARY KEY, request TEXT NOT NULL, results TEXT NOT NULL, made TEXT NOT NULL)"
)


class SearchCache:
    """An open cache, safe to use from several threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, results are kept as long as the cache is open.

        Raises StoreError when it can't be opened, or is of a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        with self._saying("opened"):
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite keeps a database without a name in memory, and what gets too large for that in a file of its own.
            self._db = sqlite3.connect(path or "", timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        with suppress(sqlite3.OperationalError):  # another process is turning the same new file to WAL
            self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(
            "PRAGMA synchronous=NORMAL"
        )  # survives a killed process; a power cut may cost the last results
        form = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if form > _FORM:
            raise StoreError(
                f"The cache {self.path} was written by a newer Factscope (form {form}; this one knows {_FORM}).",
                "Update Factscope, or delete the file: it only saves searches.",
            )
        self._db.execute(_TABLE)
        self._db.execute(f"PRAGMA user_version = {_FORM}")

    def get(self, key: str) -> Results | None:
        """The results kept under a key, None when there are none. Raises StoreError."""
        with self._lock, self._saying("read"):
            row = self._db.execute("SELECT results FROM searches WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return results_from_json(row[0])
        except ValueError:
            return None  # a row that is none of ours is as good as missing

    def put(self, key: str, request: str, results: Results) -> None:
        """Keep results; they are on disk when this returns. Raises StoreError."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, self._saying("written"):
            values = (key, request, results_to_json(results), made)
            self._db.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?)", values)

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
                f"The cache of searches {self.path or ''} can't be {done}: {reason}.",
                "Make room or make it writable; if it is broken, delete it: it only saves searches.",
            ) from error
