"""The log behind every stored check, in an SQLite file or in PostgreSQL: entries are added and never changed.

    form     version of the tables
    runs     id, started, used, finished, method (JSON), searched (JSON), factscope, title, asked (JSON)
    events   id (in the order of writing), run, response, n (grows by 1 within the response), type, key, body (JSON)

The command line has a run for each command and a log for each of its responses; a server has a run for each check (its
table `checks`), with one log whose response has no name. Which entries count is decided by `core.attempts` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from factscope.core.attempts import LogEntry
from factscope.core.database import Cursor, Database, open_database
from factscope.core.errors import StoreError
from factscope.core.store_location import Location

VERSION = 3
"""Version of the tables; others are refused."""
_TABLES = (
    "CREATE TABLE form (version INTEGER NOT NULL)",
    "INSERT INTO form VALUES (3)",
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, started TEXT NOT NULL, used TEXT NOT NULL, finished TEXT, method TEXT NOT NULL,
        searched TEXT NOT NULL, factscope TEXT NOT NULL, title TEXT NOT NULL, asked TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE events (
        id SERIAL, run TEXT NOT NULL, response TEXT NOT NULL, n INTEGER NOT NULL, type TEXT NOT NULL,
        key TEXT NOT NULL, body TEXT NOT NULL
    )
    """,
    # Type and key are included, so that the outcome of a response is read without its evidence, in a third of the time.
    "CREATE UNIQUE INDEX events_in_order ON events (run, response, n, type, key)",
)


class NumberedEntry(NamedTuple):
    """An entry with its number in its log."""

    n: int
    type: str
    body: str


def open_log(location: Location, *, read_only: bool = False) -> Database:
    """Open the database at a path or address, and make its tables unless it is only read.

    Raises StoreError when it can't be, is of another version of Factscope, or belongs to another program; UsageError
    for an address that can't be used.
    """
    database = open_database(location, read_only=read_only)
    try:
        if not _has_tables(database, database) and (database.shared or not read_only):
            database.do(lambda cursor: _prepare(cursor, database), exclusive=True)
    except BaseException:
        database.close()
        raise
    return database


def append(cursor: Cursor, run: str, response: str, entries: Iterable[LogEntry]) -> None:
    """Append entries to the log of a response. No other process may be appending to it."""
    ((last,),) = cursor.rows("SELECT COALESCE(MAX(n), 0) FROM events WHERE run = ? AND response = ?", (run, response))
    cursor.many(
        "INSERT INTO events (run, response, n, type, key, body) VALUES (?, ?, ?, ?, ?, ?)",
        [(run, response, n, *entry) for n, entry in enumerate(entries, int(last) + 1)],
    )


def read(database: Database, run: str, response: str, types: Collection[str] = ()) -> list[LogEntry]:
    """Return the entries of a log in order, those of some types or all. Raises StoreError."""
    some = f" AND type IN ({', '.join('?' * len(types))})" if types else ""
    rows = database.rows(
        f"SELECT type, key, body FROM events WHERE run = ? AND response = ?{some} ORDER BY n",  # noqa: S608
        (run, response, *types),
    )
    return [LogEntry(*row) for row in rows]


def read_after(database: Database, run: str, response: str, n: int, most: int) -> list[NumberedEntry]:
    """Return the entries of a log after number `n`, at most `most`. Raises StoreError."""
    rows = database.rows(
        "SELECT n, type, body FROM events WHERE run = ? AND response = ? AND n > ? ORDER BY n LIMIT ?",
        (run, response, n, most),
    )
    return [NumberedEntry(*row) for row in rows]


def _prepare(cursor: Cursor, database: Database) -> None:
    if _has_tables(cursor, database):  # asked again, since another process may have prepared it
        return
    for statement in _TABLES:
        cursor.execute(statement.replace("SERIAL", database.serial))


def _has_tables(cursor: Cursor | Database, database: Database) -> bool:
    """Return whether our tables are there. Raises StoreError for those of another version."""
    versions = cursor.rows("SELECT version FROM form") if ("form",) in cursor.rows(database.tables) else []
    if not versions:
        return False
    if (form := int(versions[0][0])) != VERSION:
        age, action = ("a newer", "Update Factscope, or") if form > VERSION else ("an older", "It is left as it is:")
        raise StoreError(
            f"The store {database.name} was written by {age} Factscope (form {form}; this one knows {VERSION}).",
            f"{action} name another with --store.",
        )
    return True
