"""What models said of hosts, kept by host and prompt: one SQLite file. Failures never come here.

hosts  host (as `plain_host` makes it), prompt (its hash), category, model, made (day and time, UTC)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from factscope.errors import StoreError
from factscope.labels import CATEGORIES

from .assign import Assigned

_FORM = 1
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS hosts (host TEXT, prompt TEXT, category TEXT NOT NULL, model TEXT NOT NULL,"
    " made TEXT NOT NULL, PRIMARY KEY (host, prompt))"
)


class Kept:
    """An open file of answers, safe to use from several threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, answers are kept as long as this is open.

        Raises StoreError when it can't be opened, or is of a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        with self._saying("opened"):
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path or "", timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def get(self, host: str, prompt: str) -> Assigned | None:
        """What is kept of a host, None when that is nothing. Raises StoreError."""
        with self._lock, self._saying("read"):
            row = self._db.execute(
                "SELECT category, model FROM hosts WHERE host = ? AND prompt = ?", (host, prompt)
            ).fetchone()
        return Assigned(*row) if row and row[0] in CATEGORIES else None  # any other row is none of ours

    def put(self, host: str, prompt: str, said: Assigned) -> None:
        """Keep an answer; it is on disk when this returns. Raises StoreError."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, self._saying("written"):
            self._db.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?)", (host, prompt, *said, made))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _prepare(self) -> None:
        form = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if form > _FORM:
            raise StoreError(
                f"The cache of sources {self.path} was written by a newer Factscope (form {form}; this one knows"
                f" {_FORM}).",
                "Update Factscope, or delete the file: it only saves calls.",
            )
        self._db.execute(_TABLE)
        self._db.execute(f"PRAGMA user_version = {_FORM}")

    @contextmanager
    def _saying(self, done: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
            raise StoreError(
                f"The cache of sources {self.path or ''} can't be {done}: {reason}.",
                "Make room or make it writable; if it is broken, delete it: it only saves calls.",
            ) from error
