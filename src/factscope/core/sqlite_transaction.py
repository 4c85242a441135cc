"""One transaction of an SQLite file, all or nothing."""

from __future__ import annotations

import sqlite3
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
