"""The tables of a server beside the log of `engine.event_log`, and the parts of its transactions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from factscope.core import Cursor, Database, LogEntry, Row, many
from factscope.engine.event_log import append
from factscope.web.forms import LIVE, Problem, Progress, State, StoredRequest
from factscope.web.problems import ProblemError, not_found

LOG = ""
"""Name of the one log of a check."""
COLUMNS = (
    "id, owner, state, created, ended, title, request, basis, previous, revision, choices, progress, counts, scores,"
    " problem, (SELECT COALESCE(MAX(n), 0) FROM events WHERE run = checks.id AND response = ''), attempt, stop"
)


class StoredCheck(NamedTuple):
    """A check as it is stored. JSON fields stay text until they are needed."""

    id: str
    owner: str
    state: State
    created: str
    ended: str | None
    title: str
    request: str
    basis: str | None
    previous: str | None
    revision: int
    choices: str
    progress: str
    counts: str
    scores: str
    problem: str | None
    last_event: int
    attempt: int
    stop: int

    @property
    def live(self) -> bool:
        """Return whether more events will follow."""
        return self.state in LIVE


class JobLimits(NamedTuple):
    """Limits on running and waiting checks."""

    running: int = 4
    """Checks that run at once on this server."""
    waiting: int = 200
    """Checks that may wait, of all users together."""
    waiting_of_one: int = 20
    """Checks of one user that may wait."""


@dataclass(frozen=True)
class NewCheck:
    """A check to store."""

    id: str
    owner: str
    title: str
    request: StoredRequest
    documents: Sequence[tuple[str, bytes]] = ()
    key: str | None = None
    """The user's own key for the request, so that sending it again makes no second check."""
    hash: str = ""
    """Hash of the request, to recognise a repeated one."""
    previous: str | None = None
    basis: str | None = None
    events: Sequence[LogEntry] = ()
    """Records that it starts with."""
    state: State = "queued"
    progress: Progress = field(default_factory=Progress)
    choices: str = "{}"
    counts: str = "null"
    scores: str = "[]"


def now() -> str:
    """Return the time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def state_entry(state: State, problem: Problem | None = None) -> LogEntry:
    """Return the entry of a check's new state."""
    more = {"problem": problem.model_dump(mode="json", exclude_none=True)} if problem else {}
    return LogEntry.of_state(state, **more)


def make_tables(database: Database, statements: Iterable[str]) -> None:
    """Make those of a server's tables that are missing. Raises StoreError."""

    def execute_all(cursor: Cursor) -> None:
        for statement in statements:
            cursor.execute(statement.replace("BYTES", database.blob))

    database.do(execute_all, exclusive=True)


TABLES = (
    """
    CREATE TABLE IF NOT EXISTS checks (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, key TEXT, hash TEXT NOT NULL, state TEXT NOT NULL,
        created TEXT NOT NULL, queued DOUBLE PRECISION NOT NULL, ended TEXT, title TEXT NOT NULL,
        request TEXT NOT NULL, basis TEXT, previous TEXT, revision INTEGER NOT NULL DEFAULT 0,
        choices TEXT NOT NULL DEFAULT '{}', progress TEXT NOT NULL, counts TEXT NOT NULL, scores TEXT NOT NULL,
        problem TEXT, attempt INTEGER NOT NULL DEFAULT 0,
        stop INTEGER NOT NULL DEFAULT 0, leased_by TEXT, leased_until DOUBLE PRECISION NOT NULL DEFAULT 0,
        UNIQUE (owner, key)
    )
    """,
    "CREATE INDEX IF NOT EXISTS checks_of_owner ON checks (owner, created)",
    "CREATE INDEX IF NOT EXISTS checks_in_state ON checks (state, queued)",
    """
    CREATE TABLE IF NOT EXISTS documents (
        check_id TEXT NOT NULL REFERENCES checks (id) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
        body BYTES NOT NULL, PRIMARY KEY (check_id, place)
    )
    """,
)


def read_check(cursor: Cursor, check: str) -> StoredCheck:
    """Return a check. Raises ProblemError (404)."""
    rows: list[Row] = cursor.rows(f"SELECT {COLUMNS} FROM checks WHERE id = ?", (check,))  # noqa: S608 - fixed columns
    if not rows:
        raise not_found("check")
    return StoredCheck(*rows[0])


def locked(cursor: Cursor, check: str) -> StoredCheck:
    """Return a check, locked until this transaction ends."""
    cursor.execute("UPDATE checks SET stop = stop WHERE id = ?", (check,))
    return read_check(cursor, check)


def must_hold(cursor: Cursor, check: str, holder: str) -> None:
    """Lock a check that `holder` runs. Raises ProblemError (409) when it does not."""
    if not cursor.execute("UPDATE checks SET stop = stop WHERE id = ? AND leased_by = ?", (check, holder)):
        raise ProblemError(409, "Another server has taken this check over, or it was deleted.")


def must_have_room(cursor: Cursor, owner: str, room: JobLimits) -> None:
    """Raise ProblemError (429) when too many checks wait, of all users or of this one."""
    ((waiting, own_waiting),) = cursor.rows(
        "SELECT count(*), COALESCE(SUM(CASE WHEN owner = ? THEN 1 ELSE 0 END), 0) FROM checks WHERE state = 'queued'",
        (owner,),
    )
    whose = "of yours " if own_waiting >= room.waiting_of_one else ""
    if whose or waiting >= room.waiting:
        raise ProblemError(
            429,
            f"{many(own_waiting if whose else waiting, f'check {whose}waits', f'checks {whose}wait')}"
            " already, which is as many as may.",
            "Wait until some have ended, or stop some.",
            headers={"Retry-After": "10"},
        )


def insert(cursor: Cursor, new: NewCheck) -> bool:
    """Store a check; return False when its key is taken."""
    created = now()
    values = {name: value for name, value in vars(new).items() if name not in ("documents", "events")}
    values |= {"request": new.request.model_dump_json(), "progress": new.progress.model_dump_json()}
    values |= {"created": created, "queued": time.time(), "ended": None if new.state in LIVE else created}
    inserted = cursor.execute(
        f"INSERT INTO checks ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"  # noqa: S608 - fixed columns
        " ON CONFLICT (owner, key) DO NOTHING",
        tuple(values.values()),
    )
    if not inserted:
        return False
    append(cursor, new.id, LOG, new.events)
    cursor.many(
        "INSERT INTO documents VALUES (?, ?, ?, ?)",
        [(new.id, index, name, body) for index, (name, body) in enumerate(new.documents, 1)],
    )
    return True
