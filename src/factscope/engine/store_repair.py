"""A damaged store: what of it can still be read, and a new file with that."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from factscope.core.errors import StoreError
from factscope.core.events import Event
from factscope.engine.run_store import Damaged, Store, first_fault, open_read_only

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_KINDS = frozenset(re.findall(r'"const": "([a-z_]+)"', json.dumps(_EVENT.json_schema())))
_COLUMNS = {
    "runs": "id, started, used, finished, method, searched, factscope, title, asked",
    "records": "run, response, type, key, body",
}
_LEAST_ROW = 16
"""Bytes: a row takes no fewer, so that a file of a size can't hold more rows than that."""
_STEP = 256  # rows read at once


class Look(NamedTuple):
    """Findings of an examination of a store."""

    runs: int
    records: int
    """Those that can be read."""
    damaged: tuple[Damaged, ...]
    file_faults: tuple[str, ...]
    """Faults that SQLite finds in the file itself."""

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not (self.damaged or self.file_faults)


def examine_store(path: Path) -> Look:
    """Read every record of a store and check the file, without changing it. Raises StoreError for another file."""
    with closing(_open(path)) as db:
        faults = _file_faults(db)
        damaged: list[Damaged] = []
        counts = {"runs": 0, "records": 0}
        for table in _COLUMNS:
            for row in _rows(db, table, path, damaged):
                if fault := _fault(table, row):
                    damaged.append(fault)
                else:
                    counts[table] += 1
    return Look(counts["runs"], counts["records"], tuple(damaged), faults)


def repair_store(path: Path) -> tuple[Look, Path]:
    """Put all that can be read of a store in its place; the damaged file is kept beside it, under the name returned.

    Raises StoreError when the file is not a store, nothing can be read of it, or there is no room.
    """
    old = _free_name(path)
    fresh = path.with_name(f"{path.name}.repairing")
    damaged: list[Damaged] = []
    counts = {"runs": 0, "records": 0}
    try:
        fresh.unlink(missing_ok=True)
        Store(fresh).close()  # its tables
        with closing(_open(path)) as db, closing(sqlite3.connect(fresh)) as new, new:
            faults = _file_faults(db)
            for table, columns in _COLUMNS.items():
                placeholders = ", ".join("?" for _ in columns.split(","))
                for row in _rows(db, table, path, damaged):
                    if fault := _fault(table, row):
                        damaged.append(fault)
                        continue
                    texts = [value.decode() if isinstance(value, bytes) else value for value in row]
                    new.execute(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({placeholders})", texts)  # noqa: S608
                    counts[table] += 1
        path.rename(old)
        for more in ("-wal", "-shm"):
            old_path = path.with_name(path.name + more)
            if old_path.exists():
                old_path.rename(old.with_name(old.name + more))
        fresh.rename(path)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):  # on a medium that can't be written to there is nothing to remove
            fresh.unlink()
        raise StoreError(f"The store {path} can't be repaired: {error}.", "Make room, and keep a copy of it.") from None
    return Look(counts["runs"], counts["records"], tuple(damaged), faults), old


def _open(path: Path) -> sqlite3.Connection:
    Store(path, read_only=True).close()  # raises for a file that is not a store
    db = open_read_only(path)
    db.text_factory = bytes
    return db


def _file_faults(db: sqlite3.Connection) -> tuple[str, ...]:
    try:
        rows = [bytes(row[0]).decode("utf-8", "replace") for row in db.execute("PRAGMA integrity_check(20)")]
    except sqlite3.DatabaseError as error:
        return (str(error),)
    return tuple(row for row in rows if row != "ok")


def _rows(db: sqlite3.Connection, table: str, path: Path, damaged: list[Damaged]) -> Iterator[tuple[object, ...]]:
    """Read the rows of a table in their order, around pages that can't be read."""
    try:
        (last,) = db.execute(f"SELECT max(rowid) FROM {table}").fetchone()  # noqa: S608 - names of ours
    except sqlite3.DatabaseError:
        last = path.stat().st_size // _LEAST_ROW
    stretches = [(low, min(low + _STEP - 1, last or 0)) for low in range(1, (last or 0) + 1, _STEP)][::-1]
    lost = 0
    while stretches:
        low, high = stretches.pop()
        select = f"SELECT {_COLUMNS[table]} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608
        try:
            yield from db.execute(select, (low, high)).fetchall()
        except sqlite3.DatabaseError:
            if low == high:
                lost += 1
            else:
                middle = (low + high) // 2
                stretches += [(middle + 1, high), (low, middle)]
    if lost:
        damaged.append(Damaged("?", "?", table, "?", f"up to {lost:,} rows stand on pages that can't be read"))


def _fault(table: str, row: tuple[object, ...]) -> Damaged | None:
    """Say what is wrong with a row, if anything is."""
    names = [bytes(value).decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in row]
    try:
        for value in row:
            if isinstance(value, bytes):
                value.decode()
        if table == "records" and _is_of_a_known_kind(names[4]):
            _EVENT.validate_json(names[4])
    except ValueError as error:
        run, response, kind, key = names[:4] if table == "records" else (names[0], "", "run", names[0])
        return Damaged(run, response, kind, key, first_fault(error))
    return None


def _is_of_a_known_kind(body: str) -> bool:
    """Return whether this version knows the kind of a record; those of another version are kept as they are."""
    values = json.loads(body)
    return not isinstance(values, dict) or not isinstance(values.get("type"), str) or values["type"] in _KINDS


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return name
