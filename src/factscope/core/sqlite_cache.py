"""Caches in SQLite files: opened alike, used by several processes at once, with one way to say what is wrong."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from factscope.core.errors import StoreError

_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""


class CacheKind(NamedTuple):
    """Kind of a cache."""

    of: str
    """What it keeps, such as `searches`."""
    saves: str
    """What is to be done again without it."""
    schema: str
    """Its tables, as SQL that does nothing where they are there."""
    form: int = 1
    """Of the tables; raised when they change."""
    synchronous: Literal["NORMAL", "OFF"] = "NORMAL"
    """NORMAL survives a killed process, a power cut may cost the last rows; OFF is for what is quickly made anew."""


def open_cache(path: Path | None, kind: CacheKind) -> sqlite3.Connection:
    """Open or make the file, for threads that take turns; without one, a cache that lives as long as it is open.

    Raises StoreError when it can't be opened, or is of a newer Factscope.
    """
    with saying(kind, path, "opened"):
        if path:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite keeps a database without a name in memory, and what gets too large for that in a file of its own.
        database = sqlite3.connect(path or "", timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            form = int(database.execute("PRAGMA user_version").fetchone()[0])
            if form > kind.form:
                raise StoreError(
                    f"The cache of {kind.of} {path} was written by a newer Factscope (form {form}; this one knows"
                    f" {kind.form}).",
                    f"Update Factscope, or delete the file: it only saves {kind.saves}.",
                )
            _write_ahead(database)
            database.execute(f"PRAGMA synchronous = {kind.synchronous}")
            database.executescript(kind.schema)
            database.execute(f"PRAGMA user_version = {kind.form}")
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def saying(kind: CacheKind, path: Path | None, done: str) -> Iterator[None]:
    """Turn what goes wrong while the cache is `done` (opened, read, written) into a StoreError that says so."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        location = f" {path}" if path else ""
        raise StoreError(
            f"The cache of {kind.of}{location} can't be {done}: {reason}.",
            f"Make room or make it writable; if it is broken, delete it: it only saves {kind.saves}.",
        ) from error


def _write_ahead(database: sqlite3.Connection) -> None:
    """Let the database write to a log first, which takes no waiting for the disk: 0.3 ms a row, not 16.

    Raises sqlite3.Error.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait when two processes turn the same new file to WAL.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)
