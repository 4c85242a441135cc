"""Runs on disk: an SQLite file to which records are appended as they are made.

Every append is one transaction, on disk before it returns (write-ahead log, `synchronous=FULL`): a process killed at
any moment loses at most what it had not appended yet. A record is known by its run, response, type and key, so that
the same record appended again takes the place of the first. The file opens with any SQLite tool. A record that is
damaged is skipped and listed in `Store.damaged`; the others stay readable (`factscope store check` and `repair`).

    runs     id, started, used, finished, method (JSON), searched (JSON), factscope, title, asked (JSON)
    records  run, response, type, key, body (the record as JSON)
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TextIO
from urllib.parse import quote

from pydantic import Field, TypeAdapter, ValidationError

from factscope.core.errors import BusyError, StoreError, system_reason
from factscope.core.events import Event, record_key
from factscope.core.records import Claim, Record, Searched
from factscope.core.sqlite_transaction import transaction

VERSION = 2  # of the tables; a newer store is refused, an older one is migrated
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_SEARCHED: TypeAdapter[Searched | None] = TypeAdapter(Searched | None)

# Numbered steps from an empty file to the current form: step n brings `user_version` from n - 1 to n.
_MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, started TEXT NOT NULL, used TEXT NOT NULL, finished TEXT,
        method TEXT NOT NULL, searched TEXT NOT NULL, factscope TEXT NOT NULL, title TEXT NOT NULL
    );
    CREATE TABLE records (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, response TEXT NOT NULL, type TEXT NOT NULL,
        key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, response, type, key)
    );
    """,
    "ALTER TABLE runs ADD COLUMN asked TEXT NOT NULL DEFAULT '{}'",
)


class ModelsAndPrompts(Record):
    """The models and prompts of a run."""

    models: dict[str, str] = Field(default={})
    """`provider/model` by role."""
    prompts: dict[str, str] = Field(default={})
    """Hash by name."""


class RunRow(NamedTuple):
    """One run as the store lists it."""

    id: str
    started: str
    used: str
    finished: str | None
    method: dict[str, object]
    searched: Searched | None
    factscope: str
    title: str
    asked: ModelsAndPrompts


class Damaged(NamedTuple):
    """A record that can't be read."""

    run: str
    response: str
    type: str
    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.type} {self.key} of response {self.response} in run {self.run}: {self.reason}"


class Store:
    """An open store. Use as a context manager, or call `close`."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the file, making or migrating it unless it is only read.

        Raises StoreError when it can't be, is of a newer Factscope, or belongs to another program.
        """
        self.path = path
        self.damaged: list[Damaged] = []
        """Records that were passed over because they can't be read."""
        self._lock = threading.Lock()
        with self._store_errors("opened"):
            if read_only:
                self._db = open_read_only(path)
                self._examine()
                return
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)  # it holds the texts that were checked
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            with _alone_in(path.parent):  # SQLite does not wait when two processes turn the same new file to WAL
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("PRAGMA foreign_keys=ON")
                self._migrate()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def begin(
        self, run: str, *, method: str, searched: str, models_and_prompts: str, factscope: str, title: str
    ) -> None:
        """Note a run, or that it is worked on again. The first three are JSON. Raises StoreError."""
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        with self._store_errors("written"), self._lock:
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET used = excluded.used, searched = excluded.searched",
                (run, now, now, method, searched, factscope, title, models_and_prompts),
            )

    def reopen(self, run: str, response: str, *, fresh: bool) -> None:
        """Note that a response is worked on again: what was concluded from all of its claims no longer stands.

        With `fresh` all that the run has of it is forgotten. Raises StoreError.
        """
        with self._store_errors("written"), self._lock, transaction(self._db):
            self._db.execute("UPDATE runs SET finished = NULL WHERE id = ?", (run,))
            self._db.execute(
                "DELETE FROM records WHERE run = ? AND response = ?"
                " AND (? OR type = 'score' OR (type = 'verdict' AND key NOT LIKE '%.claim')"
                " OR (type = 'failure' AND key NOT GLOB 's[0-9]*.c[0-9]*.*'))",
                (run, response, fresh),
            )

    def append(self, run: str, response: str, events: Sequence[Event]) -> None:
        """Write records, all or none; they are on disk when this returns. Raises StoreError.

        A claim begins again with its own record: what an earlier attempt left of it goes, but for its verdict, which
        stays until there is a new one.
        """
        self.append_all(run, [(response, events)])

    def append_all(self, run: str, groups: Sequence[tuple[str, Sequence[Event]]]) -> None:
        """Append the records of several responses, all or none. Raises StoreError."""
        with self._store_errors("written"), self._lock, transaction(self._db):
            for response, events in groups:
                changed = [(run, response, f"{e.id}.%", e.id) for e in events if isinstance(e, Claim)]
                rows = [(run, response, e.type, record_key(e), e.model_dump_json()) for e in events]
                self._db.executemany(
                    "DELETE FROM records WHERE run = ? AND response = ?"
                    " AND type IN ('query', 'hit', 'passage', 'judgement', 'finding', 'failure', 'correction',"
                    " 'repair')"
                    " AND (key LIKE ? OR key = ?)",
                    changed,
                )
                self._db.executemany(
                    # In place, so that responses keep the order of their beginning.
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (run, response, type, key) DO UPDATE SET body = excluded.body",
                    rows,
                )

    def finish(self, run: str) -> None:
        """Note that a run is complete, once. Raises StoreError."""
        with self._store_errors("written"), self._lock:
            self._db.execute(
                "UPDATE runs SET finished = ? WHERE id = ? AND finished IS NULL",
                (datetime.now(UTC).isoformat(timespec="seconds"), run),
            )

    def events(self, run: str, response: str, *, only_outcome: bool = False) -> list[Event]:
        """Read the records of one response in the order of their writing, without damaged ones.

        With `only_outcome` its own record, verdicts and failures: few and short beside its evidence. Raises StoreError.
        """
        with self._store_errors("read"), self._lock:
            # As bytes: what is not UTF-8 any more must not end the reading of the others.
            rows = self._db.execute(
                "SELECT type, key, CAST(body AS BLOB) FROM records WHERE run = ? AND response = ?"
                " AND (NOT ? OR type IN ('response', 'verdict', 'failure')) ORDER BY rowid",
                (run, response, only_outcome),
            ).fetchall()
        events = []
        for kind, key, body in rows:
            try:
                events.append(_EVENT.validate_json(body))
            except ValidationError as error:
                self._pass_over(Damaged(run, response, str(kind), str(key), first_fault(error)))
        return events

    def responses(self, run: str) -> list[str]:
        """Return ids of the responses of a run, in the order of their beginning. Raises StoreError."""
        with self._store_errors("read"), self._lock:
            rows = self._db.execute(
                "SELECT key FROM records WHERE run = ? AND type = 'response' ORDER BY rowid", (run,)
            )
            return [key for (key,) in rows]

    def ended(self, run: str) -> list[str]:
        """Return ids of the responses of a run that have their verdict, in the order of their beginning.

        Raises StoreError.
        """
        with self._store_errors("read"), self._lock:
            rows = self._db.execute(
                "SELECT key FROM records AS r WHERE run = ? AND type = 'response' AND EXISTS ("
                "SELECT 1 FROM records WHERE run = r.run AND response = r.key AND type = 'verdict'"
                " AND key = r.key || '.response') ORDER BY rowid",
                (run,),
            )
            return [key for (key,) in rows]

    def runs(self) -> list[RunRow]:
        """List all runs that can be read, the one worked on last first. Raises StoreError."""
        with self._store_errors("read"), self._lock:
            rows = self._db.execute(
                "SELECT id, started, used, finished, method, searched, factscope, title, asked FROM runs"
                " ORDER BY used DESC, rowid DESC"
            )
            listed = rows.fetchall()
        rows_found = []
        for row in listed:
            try:
                method, searched, models_and_prompts = (
                    json.loads(row[4]),
                    _SEARCHED.validate_json(row[5]),
                    ModelsAndPrompts.model_validate_json(row[8]),
                )
                rows_found.append(RunRow(*row)._replace(method=method, searched=searched, asked=models_and_prompts))
            except ValueError as error:
                self._pass_over(Damaged(str(row[0]), "", "run", str(row[0]), first_fault(error)))
        return rows_found

    @contextmanager
    def owned(self, run: str) -> Iterator[None]:
        """Hold a run for this process; the hold ends with the process, however it ends.

        Raises BusyError when another process holds it.
        """
        with self._store_errors("locked"):
            file = _locked_file(self.path.parent / f"{self.path.name}.{run}.lock")
        if file is None:
            raise BusyError(
                f"Another process is working on the same check ({run}).",
                "Wait for it to end; the same command then shows its result at once.",
            )
        with closing(file):
            try:
                yield
            finally:
                Path(file.name).unlink(missing_ok=True)

    def _pass_over(self, record: Damaged) -> None:
        if record not in self.damaged:
            self.damaged.append(record)

    def _examine(self) -> int:
        """Return the version of the file. Raises StoreError when it is not a store that can be read."""
        self._db.text_factory = lambda text: text.decode("utf-8", "replace")
        version = self._version()
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if version > VERSION:
            raise StoreError(
                f"The store {self.path} was written by a newer Factscope (form {version}; this one knows {VERSION}).",
                "Update Factscope, or name another file with --store.",
            )
        if version < 0 or (version == 0 and tables) or (version > 0 and not {"runs", "records"} <= tables):
            raise StoreError(
                f"{self.path} is not a store of checks, but a database of another program.",
                "Name another file with --store (in Python store=…).",
            )
        return version

    def _migrate(self) -> None:
        if self._examine() == VERSION:
            return
        with self._lock, transaction(self._db):
            version = self._version()
            for step in _MIGRATIONS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def _store_errors(self, done: str) -> Iterator[None]:
        """Turn what the system says of the file into a StoreError."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"The store {self.path} can't be {done}: {system_reason(error)}.",
                "If it is damaged, `factscope store repair` saves what can be read of it."
                if isinstance(error, sqlite3.DatabaseError) and _is_damage(error)
                else "Make room or make it writable, name another file with --store, or keep nothing with --no-store.",
            ) from error


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a file that may lie on a medium which can't be written to. Raises OSError, sqlite3.Error."""
    path.open("rb").close()
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    db = sqlite3.connect(address, uri=True, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        # Its log needs a file beside it, which can't be made here; what is in the file itself can be read.
        db = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return db


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorname", "") in ("SQLITE_CORRUPT", "SQLITE_NOTADB")


def first_fault(error: ValueError) -> str:
    """Word the first thing that is wrong with a record."""
    if not isinstance(error, ValidationError):
        return str(error)[:200]
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}".removeprefix(": ")[:200]


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, waiting for it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _locked_file(path: Path) -> TextIO | None:
    """Return the file, opened and locked for this process; None when another holds it."""
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
        file.close()  # its last holder removed it between our opening and our locking
