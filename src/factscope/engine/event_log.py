"""The log behind every stored check, in an SQLite file or in PostgreSQL: entries are added and never changed.

    form     version of the tables
    runs     id, started, used, finished, method (JSON), searched (JSON), factscope, title, asked (JSON)
    events   id (in the order of writing), run, response, n (grows by 1 within the response), type, key, body (JSON)

The command line has a run for each command and a log for each of its responses; a server has a run for each check (its
table `checks`), with one log whose response has no name. Which entries count is decided by `core.attempts` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import NamedTuple

from factscope.core import Cursor, Database, Location, LogEntry, StoreError, open_database

VERSION = 3
"""Version of the tables; newer ones are refused, older ones are brought to it."""
_OF_SERVERS = -1  # the first tables of servers, which counted from 1 as those of the command line did
_RUNS = """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, started TEXT NOT NULL, used TEXT NOT NULL, finished TEXT, method TEXT NOT NULL,
        searched TEXT NOT NULL, factscope TEXT NOT NULL, title TEXT NOT NULL, asked TEXT NOT NULL
    )
    """
_EVENTS = (
    """
    CREATE TABLE events (
        id SERIAL, run TEXT NOT NULL, response TEXT NOT NULL, n INTEGER NOT NULL, type TEXT NOT NULL,
        key TEXT NOT NULL, body TEXT NOT NULL
    )
    """,
    # Type and key are included, so that the outcome of a response is read without its evidence, in a third of the time.
    "CREATE UNIQUE INDEX events_in_order ON events (run, response, n, type, key)",
)
_FORM = ("CREATE TABLE form (version INTEGER NOT NULL)", "INSERT INTO form VALUES (3)")
_STEPS: dict[int, tuple[str, ...]] = {
    0: (*_FORM, _RUNS, *_EVENTS),
    1: ("ALTER TABLE runs ADD COLUMN asked TEXT NOT NULL DEFAULT '{}'",),
    2: (
        *_FORM,
        *_EVENTS,
        "INSERT INTO events (run, response, n, type, key, body)"
        " SELECT run, response, rowid, type, key, body FROM records ORDER BY rowid",
        "DROP TABLE records",
    ),
    _OF_SERVERS: (
        "ALTER TABLE events RENAME TO old_events",
        _RUNS,
        *_EVENTS,
        "INSERT INTO events (run, response, n, type, key, body)"
        " SELECT check_id, '', n, type, '', body FROM old_events ORDER BY check_id, n",
        "DROP TABLE old_events",
        "UPDATE form SET version = 3",
    ),
}
"""Statements that migrate the tables from each version to the next."""
_EVENTS_OF_RECORDS = (
    "CREATE TEMP VIEW events AS SELECT rowid AS id, run, response, rowid AS n, type, key, body FROM records"
)
_VIEWS = {
    1: ("CREATE TEMP VIEW runs AS SELECT *, '{}' AS asked FROM main.runs", _EVENTS_OF_RECORDS),
    2: (_EVENTS_OF_RECORDS,),
    _OF_SERVERS: (
        "CREATE TEMP VIEW runs AS SELECT '' AS id, '' AS started, '' AS used, '' AS finished, '' AS method,"
        " '' AS searched, '' AS factscope, '' AS title, '' AS asked LIMIT 0",
    ),
}
"""Statements that present tables of an older version, opened read-only, like current ones."""
_AT_ONCE = 1_000  # entries that are given their key


class NumberedEntry(NamedTuple):
    """An entry with its number in its log."""

    n: int
    type: str
    body: str


def open_log(location: Location, *, read_only: bool = False) -> Database:
    """Open the database at a path or address, and bring its tables to the present form unless it is only read.

    Raises StoreError when it can't be, is of a newer Factscope, or belongs to another program; UsageError for an
    address that can't be used.
    """
    database = open_database(location, read_only=read_only)
    try:
        form = _form(database, database)
        if read_only and not database.shared:
            for view in _VIEWS.get(form, ()):
                database.rows(view)
        elif form != VERSION:
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
    form = _form(cursor, database)  # read again, since another process may have prepared it
    while form != VERSION:
        for statement in _STEPS[form]:
            cursor.execute(statement.replace("SERIAL", database.serial))
        if form == _OF_SERVERS:
            _write_keys(cursor)
        form = 2 if form == 1 else VERSION
    if not database.shared:
        cursor.execute(f"PRAGMA user_version = {VERSION}")  # where older versions look for it


def _form(cursor: Cursor | Database, database: Database) -> int:
    """Return the version of the tables; 0 when there are none. Raises StoreError for a newer one."""
    tables = {name for (name,) in cursor.rows(database.tables)}
    form = 0
    if "form" in tables:
        versions = cursor.rows("SELECT version FROM form")
        form = int(versions[0][0]) if versions else 0
        form = _OF_SERVERS if form == 1 else form
    elif not database.shared:
        form = int(cursor.rows("PRAGMA user_version")[0][0])
    if form > VERSION:
        raise StoreError(
            f"The store {database.name} was written by a newer Factscope (form {form}; this one knows {VERSION}).",
            "Update Factscope, or name another with --store.",
        )
    return form


def _write_keys(cursor: Cursor) -> None:
    """Give their key to entries that were written without one."""
    after = 0
    while rows := cursor.rows("SELECT id, type, body FROM events WHERE id > ? ORDER BY id LIMIT ?", (after, _AT_ONCE)):
        keys = []
        for number, kind, body in rows:
            with suppress(ValueError):  # a damaged record gets no key
                keys.append((LogEntry.of_json(kind, body).key, number))
        cursor.many("UPDATE events SET key = ? WHERE id = ?", keys)
        after = int(rows[-1][0])
