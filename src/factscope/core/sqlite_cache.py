"""A typed cache in an SQLite file that several threads and processes can use at once.

A subclass declares in `kind` what it stores and how values are encoded. Its table is named after `kind.of`:

id, key, note (for people who read the table), value, made (seconds since 1970)
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
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from factscope.core.errors import StoreError, system_reason
from factscope.core.sqlite_transaction import transaction, write_ahead

K = TypeVar("K", str, bytes)
V = TypeVar("V")
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_AT_ONCE = 900
"""Keys in one query: SQLite takes 999 in its oldest builds."""
_FORM = 2
"""Version of the table layout; in version 1 every cache had a layout of its own."""
_DAY = 86_400.0


@dataclass(frozen=True)
class CacheKind(Generic[V]):
    """Kind of entries that a cache holds, and how they are stored."""

    of: str
    """Its contents in the plural, such as `searches`."""
    saves: str
    """The work that the cache saves, for messages."""
    encode: Callable[[V], str | bytes]
    decode: Callable[[Any], V]
    """Raises ValueError, KeyError or TypeError for data that `encode` did not write: such a row counts as missing."""
    synchronous: Literal["NORMAL", "OFF"] = "NORMAL"
    """NORMAL survives a killed process but may lose the last rows in a power cut; OFF is for values that are quick to
    recompute."""
    keep_first: bool = False
    """Whether `put` keeps an existing value instead of replacing it."""
    upgrade: str = ""
    """SQL that moves rows of version 1 into the table, if they are worth keeping; the old table is dropped in any case.
    """
    most: int | None = None
    """Number of rows that are kept when the file is opened: the newest."""
    days: int | None = None
    """Rows older than this many days are deleted when the file is opened."""


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
    """An open cache. All methods raise StoreError."""

    kind: ClassVar[CacheKind[Any]]

    def __init__(self, path: Path | None = None) -> None:
        """Open or create the file; without a path, rows last as long as the cache is open.

        Raises StoreError when it can't be opened, or was written by a newer Factscope.
        """
        self.path = path
        self._lock = Lock()
        self._db = self.connect()
        with suppress(sqlite3.OperationalError):  # old rows can be deleted another time
            if self.kind.most is not None:
                self._execute("DELETE FROM {table} WHERE id <= (SELECT max(id) FROM {table}) - ?", (self.kind.most,))
            if self.kind.days is not None:
                self._execute("DELETE FROM {table} WHERE made < ?", (time.time() - self.kind.days * _DAY,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def get(self, key: K) -> V | None:
        """Return the value of a key; None when there is none that can be read."""
        entry = self.entry(key)
        return entry.value if entry else None

    def entry(self, key: K) -> CacheEntry[V] | None:
        """Return the value of a key with its note and time; None when there is none that can be read."""
        with self._lock, self.failing("read"):
            row = self._execute("SELECT value, note, made FROM {table} WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return CacheEntry(self.kind.decode(row[0]), row[1], row[2])
        except (ValueError, KeyError, TypeError):
            return None

    def get_many(self, keys: Sequence[K]) -> dict[K, V]:
        """Return the values of those keys that have one."""
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
        """Store a value, replacing an earlier one; it is on disk when this returns."""
        self.put_many([CacheRow(key, value, note)])

    def put_many(self, rows: Iterable[CacheRow[K]]) -> int:
        """Store many values in one transaction; return their number."""
        with self._lock, self.failing("written"):
            return self.write(self._db, rows)

    def renew(self, keys: Iterable[K]) -> None:
        """Count entries as written now, so that they last longer."""
        with self._lock, self.failing("written"), transaction(self._db):
            values = [(time.time(), key) for key in keys]
            self._db.executemany(f"UPDATE {self.kind.of} SET made = ? WHERE key = ?", values)  # noqa: S608

    def rows(self) -> Iterator[CacheRow[K]]:
        """Yield all rows in the order of their keys, with encoded values."""
        with self.failing("read"):
            for key, note, value in self._execute("SELECT key, note, value FROM {table} ORDER BY key"):
                yield CacheRow(key, value, note)

    def write(self, database: sqlite3.Connection, rows: Iterable[CacheRow[K]]) -> int:
        """Write rows over the caller's connection. Raises sqlite3.Error."""
        created, verb = time.time(), "IGNORE" if self.kind.keep_first else "REPLACE"
        with transaction(database):
            values = [(row.key, row.note, self.kind.encode(row.value), created) for row in rows]
            database.executemany(
                f"INSERT OR {verb} INTO {self.kind.of} (key, note, value, made) VALUES (?, ?, ?, ?)",  # noqa: S608
                values,
            )
        return len(values)

    def connect(self) -> sqlite3.Connection:
        """Open or create the file, for threads that take turns. Raises StoreError."""
        with self.failing("opened"):
            if self.path:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite keeps an unnamed database in memory, and moves it to a temporary file when it gets too large.
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
        """Convert an error while the cache is `done` (opened, read, written) to a StoreError that says so."""
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
            database.execute("PRAGMA auto_vacuum = FULL")  # takes effect only if set before there are tables
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
    """Return the SQL that renames old tables, creates the new one and drops the old ones, in one transaction."""
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    aside = "".join(f"ALTER TABLE {name} RENAME TO old_{name};" for name in names)
    drops = "".join(f"DROP TABLE old_{name};" for name in names)
    return f"BEGIN IMMEDIATE; {aside} {make} {drops} PRAGMA user_version = {_FORM}; COMMIT;"
