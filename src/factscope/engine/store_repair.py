"""Repair of a damaged store file: its readable rows, and a new file with these.

Tables are copied unchanged, whatever their version and whether the command line or a server made them.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from factscope.core import STATE, BusyError, Event, StoreError, __version__, many, open_read_only
from factscope.engine.event_log import open_log
from factscope.engine.run_store import Damaged, Store, first_fault

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_KINDS = frozenset(re.findall(r'"const": "([a-z_]+)"', json.dumps(_EVENT.json_schema())))
_RUNS = ("runs", "checks")
"""Tables that have a row for each run."""
_LOGS = ("records", "events")
"""Tables that have a row for each record; the first in old files."""
_DERIVED = ("score", "usage")
"""Records that no verdict rests on."""
_LEAST_ROW = 16
"""Bytes: a row takes no fewer, so that a file of a size can't hold more rows than that."""
_STEP = 256  # rows read at once


class StoreCheck(NamedTuple):
    """Result of examining a store."""

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


def examine_store(path: Path) -> StoreCheck:
    """Read every record of a store and check the file, without changing it. Raises StoreError for another file."""
    with closing(_open(path)) as db:
        return _copied(db, path, None)


def repair_store(path: Path) -> tuple[StoreCheck, Path]:
    """Replace a store by everything readable in it; the damaged file is kept beside it, under the returned name.

    Raises BusyError when another process is writing to it, and StoreError when the file is not a store, nothing can be
    read, or the disk is full.
    """
    _refuse_while_written(path)
    old = _free_name(path)
    fresh = path.with_name(f"{path.name}.repairing")
    with closing(_open(path)) as db:
        try:
            fresh.unlink(missing_ok=True)
            fresh.touch(mode=0o600)  # it holds the texts that were checked
            with closing(sqlite3.connect(fresh)) as new, new:
                checked = _copied(db, path, new)
            derived = Counter((each.run, each.response) for each in checked.damaged if each.type in _DERIVED)
            _reopen_incomplete(fresh, derived)
            _refuse_while_written(path)  # by a process that began meanwhile
            path.rename(old)
            for more in ("-wal", "-shm"):
                old_path = path.with_name(path.name + more)
                if old_path.exists():
                    old_path.rename(old.with_name(old.name + more))
            fresh.rename(path)
        except (sqlite3.Error, OSError, StoreError) as error:
            with suppress(OSError):  # on a medium that can't be written to there is nothing to remove
                fresh.unlink()
            if isinstance(error, BusyError):
                raise
            raise StoreError(
                f"The store {path} can't be repaired: {error}.", "Make room, and keep a copy of it."
            ) from None
    return checked, old


def _reopen_incomplete(path: Path, derived: Mapping[tuple[str, str], int]) -> None:
    """Bring the tables to the present form, and reopen responses that lack records: the same run makes these again.

    Nothing would make them again in a run of another version, nor does a verdict rest on `derived` records. The entries
    of a response are numbered from 1 without gaps, unless an older form numbered them.
    """
    gaps = (
        "SELECT run, response, MAX(n) - COUNT(*) FROM events WHERE response <> ''"
        " AND run IN (SELECT id FROM runs WHERE factscope = ?)"
        " GROUP BY run, response HAVING MIN(n) = 1 AND COUNT(*) < MAX(n)"
    )
    with Store(path) as store:
        for run, response, n_lost in store.database.rows(gaps, (__version__,)):
            if n_lost > derived.get((run, response), 0):
                store.reopen(run, response, fresh=False)


def _refuse_while_written(path: Path) -> None:
    """Raise BusyError while another process holds a run of the store: its records would go to the old file."""
    before, after = f"{path.name}.", ".lock"
    # The locks, and not the rows of the runs: a damaged row does not tell its run.
    names = [file.name for file in path.parent.iterdir() if file.name.startswith(before) and file.suffix == after]
    with closing(open_log(path, read_only=True)) as database:
        for name in names:
            with database.hold(name.removeprefix(before).removesuffix(after)) as is_held:
                if not is_held:
                    raise BusyError(f"Another process is writing to the store {path}.", "Wait for it to end.")


def _open(path: Path) -> sqlite3.Connection:
    open_log(path, read_only=True).close()  # raises for a file that is not a store
    db = open_read_only(path)
    db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return db


def _copied(db: sqlite3.Connection, path: Path, new: sqlite3.Connection | None) -> StoreCheck:
    """Read all rows of a store, and write those that are not damaged into the new file, if there is one."""
    faults = _file_faults(db)
    damaged: list[Damaged] = []
    counts: Counter[str] = Counter()
    made = db.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        " ORDER BY type = 'index'"
    ).fetchall()
    if new:
        for name in ("application_id", "user_version"):
            new.execute(f"PRAGMA {name} = {db.execute(f'PRAGMA {name}').fetchone()[0]}")
        for _, _, statement in made:
            new.execute(statement)
    for table in (name for kind, name, _ in made if kind == "table"):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        insert = f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - names of ours
        for row in _rows(db, table, path, damaged):
            if fault := _fault(table, dict(zip(columns, row, strict=True))):
                damaged.append(fault)
                continue
            counts[table] += 1
            if new:
                new.execute(insert, row)
    return StoreCheck(sum(counts[name] for name in _RUNS), sum(counts[name] for name in _LOGS), tuple(damaged), faults)


def _file_faults(db: sqlite3.Connection) -> tuple[str, ...]:
    try:
        rows = [str(row[0]) for row in db.execute("PRAGMA integrity_check(20)")]
    except sqlite3.DatabaseError as error:
        return (str(error),)
    return tuple(row for row in rows if row != "ok")


def _rows(db: sqlite3.Connection, table: str, path: Path, damaged: list[Damaged]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a table in order, skipping pages that can't be read."""
    try:
        (last,) = db.execute(f"SELECT max(rowid) FROM {table}").fetchone()  # noqa: S608 - names of ours
    except sqlite3.DatabaseError:
        last = path.stat().st_size // _LEAST_ROW
    stretches = [(low, min(low + _STEP - 1, last or 0)) for low in range(1, (last or 0) + 1, _STEP)][::-1]
    lost = 0
    while stretches:
        low, high = stretches.pop()
        select = f"SELECT * FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608
        try:
            yield from db.execute(select, (low, high)).fetchall()
        except sqlite3.DatabaseError:
            if low == high:
                lost += 1
            else:
                middle = (low + high) // 2
                stretches += [(middle + 1, high), (low, middle)]
    if lost:
        damaged.append(
            Damaged("?", "?", table, "?", f"up to {many(lost, 'row stands', 'rows stand')} on pages that can't be read")
        )


def _fault(table: str, row: dict[str, object]) -> Damaged | None:
    """Describe the damage of a row; None if it has none."""
    try:
        for value in row.values():
            if isinstance(value, str):
                value.encode()
        if table in _LOGS and row["type"] != STATE and _is_of_a_known_kind(str(row["body"])):
            _EVENT.validate_json(str(row["body"]))
    except ValueError as error:
        texts = {name: str(value).encode("utf-8", "replace").decode() for name, value in row.items()}
        run, key = texts.get("run") or texts.get("id", "?"), texts.get("key") or texts.get("id", "?")
        kind = texts["type"] if table in _LOGS else table.removesuffix("s")
        return Damaged(run, texts.get("response", ""), kind, key, first_fault(error))
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
