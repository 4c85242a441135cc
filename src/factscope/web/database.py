"""One small door to two databases: an SQLite file, or PostgreSQL for several servers side by side.

Statements are written once, with `?` for values; every piece of work is one transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from factscope.core.errors import FactscopeError, StoreError, UsageError, system_reason
from factscope.core.sqlite_transaction import transaction

T = TypeVar("T")
Row = tuple[Any, ...]
APPLICATION = 0x46535745
"""Stands in the head of an SQLite file of ours, so that no other file is taken for one."""


class Cursor(Protocol):
    """Statements that a transaction can execute."""

    def execute(self, statement: str, values: Sequence[object] = ()) -> int:
        """Do one statement; how many rows it touched."""

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows of a query."""

    def many(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        """Execute one statement with many rows of values."""


class Database(Protocol):
    """An open database. Its methods block; use them in threads."""

    shared: bool
    """Whether other servers may write to it."""
    blob: str
    """Its type for bytes."""

    def do(self, work: Callable[[Cursor], T]) -> T:
        """Run work in one transaction, all or nothing. Raises StoreError."""

    def close(self) -> None:
        """Close it."""


def open_database(location: str) -> Database:
    """Return the database at a path, or at an address `postgresql://…`. Raises StoreError, UsageError."""
    if location.startswith(("postgresql://", "postgres://")):
        return Postgres(location)
    if "://" in location:
        raise UsageError(
            f"{location.partition('://')[0]!r} is not a store of a server.",
            "Name a file, or postgresql://user@host/name.",
        )
    return Sqlite(Path(location))


class _SqliteCursor:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def execute(self, statement: str, values: Sequence[object] = ()) -> int:
        return self._db.execute(statement, values).rowcount

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        return self._db.execute(statement, values).fetchall()

    def many(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        self._db.executemany(statement, values)


class Sqlite:
    """A file, written ahead: what is committed is on disk."""

    shared = False
    blob = "BLOB"

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)  # it holds the texts of users
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            (application_id,) = self._db.execute("PRAGMA application_id").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and application_id != APPLICATION:
                self._db.close()
                raise StoreError(
                    f"{path} is not a store of a server, but another database.", "Name another with --store."
                )
            for pragma in (
                f"application_id={APPLICATION}",
                "journal_mode=WAL",
                "synchronous=FULL",
                "foreign_keys=ON",
                "secure_delete=ON",
            ):
                self._db.execute(f"PRAGMA {pragma}")
        except (sqlite3.Error, OSError) as error:
            raise self._failed("opened", error) from error

    def do(self, work: Callable[[Cursor], T]) -> T:
        """Run work in one transaction, all or nothing. Raises StoreError."""
        with self._lock:
            try:
                with transaction(self._db):
                    return work(_SqliteCursor(self._db))
            except sqlite3.Error as error:
                raise self._failed("used", error) from error

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._db.close()

    def _failed(self, done: str, error: Exception) -> StoreError:
        reason = system_reason(error)
        return StoreError(
            f"The store {self.path} can't be {done}: {reason}.",
            "Make room or make it writable, or name another with --store.",
        )


class _PostgresCursor:
    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def execute(self, statement: str, values: Sequence[object] = ()) -> int:
        return int(self._cursor.execute(_in_percent(statement), values).rowcount)

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        return list(self._cursor.execute(_in_percent(statement), values).fetchall())

    def many(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        self._cursor.executemany(_in_percent(statement), values)


def _in_percent(statement: str) -> str:
    return statement.replace("%", "%%").replace("?", "%s")


class Postgres:
    """A PostgreSQL server, over one connection that is opened again when it breaks."""

    shared = True
    blob = "BYTEA"

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise UsageError(
                "A store in PostgreSQL needs psycopg, which is not installed.", "pip install 'factscope[postgres]'"
            ) from None
        self._psycopg, self._address, self._lock = psycopg, address, threading.Lock()
        try:
            self._db = psycopg.connect(address, connect_timeout=10, autocommit=True)
        except psycopg.Error as error:
            raise self._failed(error) from None

    def do(self, work: Callable[[Cursor], T]) -> T:
        """Run work in one transaction, all or nothing. Raises StoreError."""
        with self._lock:
            try:
                if self._db.closed:
                    self._db = self._psycopg.connect(self._address, connect_timeout=10, autocommit=True)
                with self._db.transaction(), self._db.cursor() as cursor:
                    return work(_PostgresCursor(cursor))
            except FactscopeError:
                raise
            except self._psycopg.Error as error:
                if self._db.broken:
                    with suppress(self._psycopg.Error):
                        self._db.close()
                raise self._failed(error) from None

    def close(self) -> None:
        """Close it."""
        with self._lock, suppress(self._psycopg.Error):
            self._db.close()

    def _failed(self, error: Exception) -> StoreError:
        first_line = str(error).strip().splitlines()[:1]  # the address, which may hold a password, is not repeated
        return StoreError(
            f"The PostgreSQL store can't be used: {first_line[0] if first_line else type(error).__name__}.",
            "Look whether the server runs, and whether the address, user and password are right.",
        )
