"""One transaction of an SQLite file, and its write-ahead log, which makes transactions cheap."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Begin a write transaction, waiting for other writers; commit at the end, or roll back. Raises sqlite3.Error."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    finally:
        if database.in_transaction:  # after some errors, such as a full disk, SQLite has already rolled back
            database.execute("ROLLBACK")


def write_ahead(database: sqlite3.Connection, patience: float) -> None:
    """Switch the database to write-ahead logging, which does not wait for the disk: 0.3 ms a row instead of 16.

    Raises sqlite3.Error when it is busy for longer than `patience` seconds.
    """
    until = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait when two processes switch the same new file to WAL.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)
