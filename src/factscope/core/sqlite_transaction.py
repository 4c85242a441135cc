"""One transaction of an SQLite file, all or nothing, and the log that makes it cheap."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Begin to write, waiting for other processes that do; commit at the end, or roll back. Raises sqlite3.Error."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    finally:
        if database.in_transaction:  # after some errors, such as a full disk, SQLite has already rolled back
            database.execute("ROLLBACK")


def write_ahead(database: sqlite3.Connection, patience: float) -> None:
    """Let the database write to a log first, which takes no waiting for the disk: 0.3 ms a row, not 16.

    Raises sqlite3.Error, when it is busy after `patience` seconds.
    """
    until = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait when two processes turn the same new file to WAL.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)
