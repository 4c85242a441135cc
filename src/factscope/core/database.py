"""One interface to two databases: an SQLite file, or a PostgreSQL server that several machines share.

Statements are the same for both, with `?` for values; all work that writes runs in one transaction.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO, TypeVar
from urllib.parse import quote

from factscope.core.errors import StoreError, UsageError, system_reason
from factscope.core.sqlite_transaction import transaction, write_ahead
from factscope.core.store_location import Location, is_address, is_clear, printable

T = TypeVar("T")
Row = tuple[Any, ...]
APPLICATION = 0x46535745
"""Marks our SQLite files in their header, so that no other program's database is mistaken for a store."""
_PATIENCE = 30.0
"""Seconds to wait for a busy file."""
_WHILE_PREPARING = 0x46535745
"""Number of the PostgreSQL lock that is taken while tables are created or changed."""


class Cursor:
    """Statements that a transaction can execute."""

    def __init__(self, cursor: Any, spell: Callable[[str], str] = str) -> None:
        """Wrap a cursor of the database's library; `spell` rewrites statements into its dialect."""
        self._cursor, self._spell = cursor, spell

    def execute(self, statement: str, values: Sequence[object] = ()) -> int:
        """Execute one statement, and return the number of rows that it changed."""
        return int(self._cursor.execute(self._spell(statement), values).rowcount)

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows of a query."""
        return list(self._cursor.execute(self._spell(statement), values).fetchall())

    def many(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        """Execute one statement with many rows of values."""
        self._cursor.executemany(self._spell(statement), values)


def open_database(location: Location, *, read_only: bool = False) -> Database:
    """Return the database at a path, or at an address `postgresql://…`. Raises StoreError, UsageError."""
    if not is_address(location):
        return Sqlite(Path(location), read_only=read_only)
    scheme = str(location).partition("://")[0]
    if scheme in ("postgresql", "postgres"):
        return Postgres(str(location))
    raise UsageError(f"{scheme!r} is not a kind of store.", "Name a file, or postgresql://user@host/name.")


class Sqlite:
    """A store in one SQLite file, in WAL mode: committed data is on disk.

    Text that is invalid UTF-8 begins with U+FFFD.
    """

    shared = False
    """Whether other machines may write to it."""
    blob = "BLOB"
    """Its column type for bytes."""
    serial = "INTEGER PRIMARY KEY"
    """Its column type for a key that numbers the rows in the order of writing."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    """Query that returns the names of its tables."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.name, self._path, self._lock = str(path), path, threading.Lock()
        with self._failing("opened"):
            if read_only:
                self._db = open_read_only(path)
            else:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.touch(mode=0o600)  # it holds the texts of users
                self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(read_only=read_only)
            except BaseException:
                self._db.close()
                raise

    def do(self, work: Callable[[Cursor], T], *, exclusive: bool = False) -> T:
        """Run `work` in one transaction. Raises StoreError.

        With `exclusive`, for work that changes tables, all other transactions end first.
        """
        del exclusive  # an SQLite transaction that writes always is exclusive
        with self._lock, self._failing("written"), transaction(self._db):
            return work(Cursor(self._db.cursor()))

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows of a query, without waiting for writers. Raises StoreError."""
        with self._lock, self._failing("read"):
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                if hasattr(error, "sqlite_errorcode"):
                    raise
            # Python, not SQLite, can't decode a text. Reading again with our own decoder takes a third longer.
            self._db.text_factory = _text
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def hold(self, name: str) -> Iterator[bool]:
        """Lock a name for this process, by a file beside the database, and yield whether it got the lock.

        The lock ends with the process, however it ends. Raises StoreError.
        """
        with self._failing("locked"):
            file = _locked_file(self._path.with_name(f"{self._path.name}.{name}.lock"))
        if file is None:
            yield False
            return
        with closing(file):
            try:
                yield True
            finally:
                Path(file.name).unlink(missing_ok=True)

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._db.close()

    def _prepare(self, *, read_only: bool) -> None:
        tables = {name for (name,) in self._db.execute(self.tables)}
        application, version = (
            int(self._db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("application_id", "user_version")
        )
        of_old_checks = version in (1, 2) and tables >= {"runs", "records"}  # they did not name the application
        if tables and application != APPLICATION and not of_old_checks:
            raise StoreError(
                f"{self.name} is not a store of checks, but a database of another program.",
                "Name another with --store (in Python store=…).",
            )
        if read_only:
            return
        write_ahead(self._db, _PATIENCE)
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            self._db.execute(f"PRAGMA {pragma}")
        if application != APPLICATION:
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")

    @contextmanager
    def _failing(self, done: str) -> Iterator[None]:
        """Convert errors of SQLite and the file system to a StoreError."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if "closed database" in str(error):
                raise StoreError(f"The store {self.name} is closed.", "Read what you need before it closes.") from error
            name = getattr(error, "sqlite_errorname", "")
            hint = (
                "Make room or make it writable, or name another with --store. `factscope check` can also keep"
                " nothing: --no-store."
            )
            if name in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
                hint = (
                    "If it is damaged, `factscope store repair` saves what can be read of it. If that says the same,"
                    " move the file away, or name another with --store: the same checks are made again."
                )
            elif name.startswith("SQLITE_BUSY"):
                hint = "Another program uses it. Wait for that to end and repeat the command, or name another: --store."
            raise StoreError(f"The store {self.name} can't be {done}: {system_reason(error)}.", hint) from error


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a file that may be on a read-only medium. Raises OSError, sqlite3.Error."""
    path.open("rb").close()
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    db = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        # The log needs a file beside the database, which can't be created here; the main file can still be read.
        db = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return db


def _text(raw: bytes) -> str:
    """Decode text.

    Invalid UTF-8 is decoded with a mark in front, so that other rows stay readable and nobody takes it for the
    original.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "\ufffd" + raw.decode("utf-8", "replace")


def _locked_file(path: Path) -> TextIO | None:
    """Open and lock the file for this process; return None when another process holds the lock."""
    while True:
        file = path.open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
        except BlockingIOError:
            file.close()
            return None
        except FileNotFoundError:
            pass
        file.close()  # its last holder removed it between our opening and our locking it


def _in_percent(statement: str) -> str:
    return statement.replace("%", "%%").replace("?", "%s")


class Postgres:
    """A PostgreSQL server, over one connection that is reopened when it breaks."""

    shared = True
    blob = "BYTEA"
    serial = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise UsageError(
                "A store in PostgreSQL needs psycopg, which is not installed.", "pip install 'factscope[postgres]'"
            ) from None
        self.name, self._psycopg, self._address, self._lock = printable(address), psycopg, address, threading.Lock()
        if not is_clear(address):  # a part of a password could be taken for the host, which libpq's messages name
            raise _unreadable()
        with self._failing():
            self._db = self._connect()

    def do(self, work: Callable[[Cursor], T], *, exclusive: bool = False) -> T:
        """Run `work` in one transaction. Raises StoreError."""
        with self._cursor() as cursor, self._db.transaction():
            if exclusive:
                cursor.execute("SELECT pg_advisory_xact_lock(?)", (_WHILE_PREPARING,))
            return work(cursor)

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows of a query. Raises StoreError."""
        with self._cursor() as cursor:
            return cursor.rows(statement, values)

    @contextmanager
    def hold(self, name: str) -> Iterator[bool]:
        """Lock a name by an advisory lock on a separate connection. Raises StoreError."""
        number = int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
        with self._failing():
            holder = self._connect()
        with closing(holder):
            with self._failing():
                held = bool(holder.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()[0])
            try:
                yield held
            finally:
                with suppress(self._psycopg.Error):  # else it ends with the connection, a moment later
                    holder.execute("SELECT pg_advisory_unlock(%s)", (number,))

    def close(self) -> None:
        """Close it."""
        with self._lock, suppress(self._psycopg.Error):
            self._db.close()

    def _connect(self) -> Any:
        try:
            return self._psycopg.connect(self._address, connect_timeout=10, autocommit=True)
        except self._psycopg.ProgrammingError:  # its message quotes the address, which may hold a password
            raise _unreadable() from None

    @contextmanager
    def _cursor(self) -> Iterator[Cursor]:
        with self._lock, self._failing():
            if self._db.closed:
                self._db = self._connect()
            with self._db.cursor() as cursor:
                yield Cursor(cursor, _in_percent)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Convert errors of the server to a StoreError, without the address, which may contain a password."""
        try:
            yield
        except self._psycopg.Error as error:
            first_line = [*str(error).strip().splitlines(), type(error).__name__][0]
            raise StoreError(
                f"The PostgreSQL store can't be used: {first_line}.",
                "Check that the server is running, and that the address, user and password are right.",
            ) from None


Database = Sqlite | Postgres
"""An open database, for threads that take turns. Its methods block, and raise StoreError.

Its `name`, for messages, is its path, or its address without user and password.
"""


def _unreadable() -> UsageError:
    return UsageError(
        "The address of the PostgreSQL store can't be read.",
        "Write it as postgresql://user:password@host/name; in user and password write @ as %40, / as %2F, ? as %3F,"
        " : as %3A and % as %25.",
    )
