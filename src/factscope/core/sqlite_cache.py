"""One typed cache in an SQLite file, used by several threads and processes at once.

A cache is a subclass whose `kind` declares what it stores and how a value is written. Its table, named after that:

    id, key, note (what a person may want to know of a row), value, made (seconds since 1970)
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from factscope.core.errors import StoreError, system_reason
from factscope.core.sqlite_transaction import transaction, write_ahead

K = TypeVar("K", str, bytes)
V = TypeVar("V")
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_AT_ONCE = 900
"""Keys in one query: SQLite takes 999 in its oldest builds."""
_FORM = 2
"""Version of the table; in form 1 every cache had one of its own."""
_DAY = 86_400.0


@dataclass(frozen=True)
class CacheKind(Generic[V]):
    """Kind of entries that a cache holds."""

    of: str
    """Its contents, such as `searches`."""
    saves: str
    """The work that would be done again without it."""
    encode: Callable[[V], str | bytes]
    decode: Callable[[Any], V]
    """Raises ValueError, KeyError or TypeError for data that `encode` did not write: such a row counts as missing."""
    synchronous: Literal["NORMAL", "OFF"] = "NORMAL"
    """NORMAL survives a killed process, a power cut may cost the last rows; OFF is for quickly recomputed values."""
    keep_first: bool = False
    """Whether a value under a key that has one is passed over, instead of taking its place."""
    upgrade: str = ""
    """SQL that moves rows of form 1 into the table, where they are worth it; the old table is dropped in any case."""
    most: int | None = None
    """Rows that are left when the file is opened, the latest."""
    days: int | None = None
    """Rows older than this go when the file is opened."""


class CacheEntry(NamedTuple, Generic[V]):
    """A value with its note, and when it was written (seconds since 1970)."""

    value: V
    note: str
    made: float


class CacheRow(NamedTuple, Generic[K]):
    """A row to write."""

    key: K
    value: Any
    note: str = ""


class SqliteCache(Generic[K, V]):
    """An open cache. Every method raises StoreError."""

    kind: ClassVar[CacheKind[Any]]

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file; without one, rows are kept as long as the cache is open.

        Raises StoreError when it can't be opened, or is of a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        self._db = self.connect()
        with suppress(sqlite3.OperationalError):  # what is old can go another time
            if self.kind.most is not None:
                self._execute("DELETE FROM {table} WHERE id <= (SELECT max(id) FROM {table}) - ?", (self.kind.most,))
            if self.kind.days is not None:
                self._execute("DELETE FROM {table} WHERE made < ?", (time.time() - self.kind.days * _DAY,))

    def __enter__(self) -> SqliteCache[K, V]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def get(self, key: K) -> V | None:
        """Return the value under a key, None when there is none that can be read."""
        entry = self.entry(key)
        return entry.value if entry else None

    def entry(self, key: K) -> CacheEntry[V] | None:
        """Return the value under a key with its note and time, None when there is none that can be read."""
        with self._lock, self.failing("read"):
            row = self._execute("SELECT value, note, made FROM {table} WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return CacheEntry(self.kind.decode(row[0]), row[1], row[2])
        except (ValueError, KeyError, TypeError):
            return None

    def get_many(self, keys: Sequence[K]) -> dict[K, V]:
        """Return the values under those of the keys that have one."""
        entries: dict[K, V] = {}
        remaining = iter(keys)
        while batch := tuple(islice(remaining, _AT_ONCE)):
            marks = ", ".join("?" * len(batch))
            with self._lock, self.failing("read"):
                rows = self._execute(f"SELECT key, value FROM {{table}} WHERE key IN ({marks})", batch).fetchall()  # noqa: S608
            for key, value in rows:
                with suppress(ValueError, KeyError, TypeError):
                    entries[key] = self.kind.decode(value)
        return entries

    def put(self, key: K, value: V, note: str = "") -> None:
        """Keep a value in the place of an earlier one; it is on disk when this returns."""
        self.put_many([CacheRow(key, value, note)])

    def put_many(self, rows: Iterable[CacheRow[K]]) -> int:
        """Keep many values in one transaction; return how many."""
        with self._lock, self.failing("written"):
            return self.write(self._db, rows)

    def rows(self) -> Iterator[CacheRow[K]]:
        """Yield all rows in the order of their keys, values as they are written."""
        with self.failing("read"):
            for key, note, value in self._execute("SELECT key, note, value FROM {table} ORDER BY key"):
                yield CacheRow(key, value, note)

    def write(self, database: sqlite3.Connection, rows: Iterable[CacheRow[K]]) -> int:
        """Write rows by a connection of the caller's. Raises sqlite3.Error."""
        created, verb = time.time(), "IGNORE" if self.kind.keep_first else "REPLACE"
        with transaction(database):
            values = [(row.key, row.note, self.kind.encode(row.value), created) for row in rows]
            database.executemany(
                f"INSERT OR {verb} INTO {self.kind.of} (key, note, value, made) VALUES (?, ?, ?, ?)",  # noqa: S608
                values,
            )
        return len(values)

    def connect(self) -> sqlite3.Connection:
        """Open or make the file, for threads that take turns. Raises StoreError."""
        with self.failing("opened"):
            if self.path:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite keeps a database without a name in memory, and what gets too large for that in a file of its own.
            location = self.path or ""
            database = sqlite3.connect(location, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(database)
            except BaseException:
                database.close()
                raise
        return database

    @contextmanager
    def failing(self, done: str) -> Iterator[None]:
        """Turn an error while the cache is `done` (opened, read, written) into a StoreError that says so."""
        kind = self.kind
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = system_reason(error)
            location = f" {self.path}" if self.path else ""
            raise StoreError(
                f"The cache of {kind.of}{location} can't be {done}: {reason}.",
                f"Make room or make it writable; if it is broken, delete it: it only saves {kind.saves}.",
            ) from error

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._db.execute(statement.replace("{table}", self.kind.of), values)

    def _prepare(self, database: sqlite3.Connection) -> None:
        kind = self.kind
        form = int(database.execute("PRAGMA user_version").fetchone()[0])
        if form > _FORM:
            raise StoreError(
                f"The cache of {kind.of} {self.path} was written by a newer Factscope (form {form}; this one knows"
                f" {_FORM}).",
                f"Update Factscope, or delete the file: it only saves {kind.saves}.",
            )
        if form == 0:
            database.execute("PRAGMA auto_vacuum = FULL")  # holds only if set before there are tables
        write_ahead(database, _PATIENCE)
        database.execute(f"PRAGMA synchronous = {kind.synchronous}")
        table = (
            f"CREATE TABLE IF NOT EXISTS {kind.of} (id INTEGER PRIMARY KEY, key UNIQUE NOT NULL, note TEXT NOT NULL,"
            " value NOT NULL, made REAL NOT NULL);"
        )
        if form == 1:
            database.executescript(_from_form_1(database, table + kind.upgrade))
        database.executescript(f"{table} PRAGMA user_version = {_FORM};")


def unpacked(value: bytes) -> bytes:
    """Decompress data that zlib compressed. Raises ValueError for damaged bytes."""
    try:
        return zlib.decompress(value)
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _from_form_1(database: sqlite3.Connection, make: str) -> str:
    """Return the SQL that puts old tables aside, makes the new one and drops them, all or nothing."""
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    aside = "".join(f"ALTER TABLE {name} RENAME TO old_{name};" for name in names)
    drops = "".join(f"DROP TABLE old_{name};" for name in names)
    return f"BEGIN IMMEDIATE; {aside} {make} {drops} PRAGMA user_version = {_FORM}; COMMIT;"
