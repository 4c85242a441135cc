"""The storage of a server: the checks of all users, with their events and documents.

The events of a check are numbered from 1, without gaps unless damaged ones were made again, so that a watcher that lost
the connection can request the missing ones. A server that runs a check holds a lease on it and renews it; when it dies,
the lease expires, and another server, or the same one restarted, continues.

    checks     id, owner, asked once (key, hash), state, times, request, basis, choices, progress, lease
    events     the log of each, see `engine.event_log`
    documents  check, place, name, body (bytes)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from factscope.core import STATE, Cursor, Database, LogEntry, current_entries, readable_records, records_to_build_on
from factscope.core.events import Event
from factscope.core.records import Report
from factscope.engine.event_log import NumberedEntry, append, read, read_after
from factscope.web import check_tables as tables
from factscope.web.check_tables import LOG, JobLimits, NewCheck, StoredCheck
from factscope.web.forms import LIVE, Choices, Problem, Progress, State
from factscope.web.problems import ProblemError, not_found
from factscope.web.replay import PROVENANCE, report_of

P = ParamSpec("P")
T = TypeVar("T")


def _transaction(
    work: Callable[Concatenate[CheckRepository, Cursor, P], T],
) -> Callable[Concatenate[CheckRepository, P], Coroutine[Any, Any, T]]:
    """Make a method that takes a cursor an asynchronous one, which is one transaction in a thread."""

    @wraps(work)
    async def in_thread(repository: CheckRepository, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(repository.database.do, lambda cursor: work(repository, cursor, *args, **kwargs))

    return in_thread


class CheckRepository:
    """The stored checks. Each method is one transaction, run in a thread, and may raise StoreError."""

    def __init__(self, database: Database) -> None:
        self.database = database
        tables.make_tables(database, tables.TABLES)

    @property
    def shared(self) -> bool:
        """Whether other servers may work on the same checks."""
        return self.database.shared

    @_transaction
    def add(self, cursor: Cursor, new: NewCheck, room: JobLimits) -> tuple[StoredCheck, bool]:
        """Store a check; return it, and whether it is new.

        The same key with the same request returns the existing check.

        Raises ProblemError when the key was used for another request, or too many checks wait.
        """
        earlier = cursor.rows("SELECT id, hash FROM checks WHERE owner = ? AND key = ?", (new.owner, new.key))
        if not earlier:
            if new.state == "queued":
                tables.must_have_room(cursor, new.owner, room)
            if tables.insert(cursor, new):
                return tables.read_check(cursor, new.id), True
            # the same request, sent twice at once
            earlier = cursor.rows("SELECT id, hash FROM checks WHERE owner = ? AND key = ?", (new.owner, new.key))
        check, request = earlier[0]
        if request != new.hash:
            raise ProblemError(
                422,
                "This Idempotency-Key was used for another request.",
                "Choose a new one for each check; send the same only to try the same request again.",
            )
        return tables.read_check(cursor, str(check)), False

    @_transaction
    def get(self, cursor: Cursor, check: str, owner: str | None = None) -> StoredCheck:
        """Return a check, of this owner when one is named.

        Raises ProblemError (404) when there is none, or not theirs.
        """
        stored = tables.read_check(cursor, check)
        if owner is not None and stored.owner != owner:
            raise not_found("check")
        return stored

    @_transaction
    def of_owner(self, cursor: Cursor, owner: str, limit: int, after: str | None) -> list[StoredCheck]:
        """Return an owner's checks, newest first, starting after the check `after`."""
        created, last = "9", ""
        if after is not None:
            rows = cursor.rows("SELECT created, id FROM checks WHERE id = ? AND owner = ?", (after, owner))
            if not rows:
                raise not_found("check")
            created, last = rows[0]
        rows = cursor.rows(
            f"SELECT {tables.COLUMNS} FROM checks WHERE owner = ? AND (created < ? OR (created = ? AND id < ?))"  # noqa: S608 - fixed columns
            " ORDER BY created DESC, id DESC LIMIT ?",
            (owner, created, created, last, limit),
        )
        return [StoredCheck(*row) for row in rows]

    @_transaction
    def delete(self, cursor: Cursor, check: str) -> None:
        """Delete a check with all its data."""
        cursor.execute("DELETE FROM checks WHERE id = ?", (check,))  # waits for a server that is writing
        cursor.execute("DELETE FROM events WHERE run = ?", (check,))

    @_transaction
    def documents(self, cursor: Cursor, check: str) -> list[tuple[str, bytes]]:
        """Return the documents of a check: name and content."""
        rows = cursor.rows("SELECT name, body FROM documents WHERE check_id = ? ORDER BY place", (check,))
        return [(str(name), bytes(body)) for name, body in rows]

    async def events(self, check: str, after: int = 0, most: int = 2**31 - 1) -> list[NumberedEntry]:
        """Return at most `most` events of a check after the number `after`."""
        return await asyncio.to_thread(read_after, self.database, check, LOG, after, most)

    async def records(self, check: str) -> list[Event]:
        """Return the records of a check that count, without those that must be made again because of damage."""
        return await asyncio.to_thread(
            lambda: records_to_build_on(*readable_records(current_entries(read(self.database, check, LOG))))
        )

    async def report(self, check: StoredCheck) -> Report | None:
        """Return the report on a check so far, also where records of a finished one are damaged; None without any."""
        if check.basis is None:
            return None
        basis, records = PROVENANCE.validate_json(check.basis), await self.records(check.id)
        return await asyncio.to_thread(report_of, records, basis)

    @_transaction
    def forget_records(self, cursor: Cursor, check: str, holder: str) -> None:
        """Delete the records of a check that `holder` runs, of which none can be built on.

        Its states stay, and another is the last event, so that no number of an event comes twice: a watcher would miss
        the second. Raises ProblemError as `append`.
        """
        tables.must_hold(cursor, check, holder)
        if cursor.rows("SELECT n FROM events WHERE run = ? AND type <> ? LIMIT 1", (check, STATE)):
            append(cursor, check, LOG, [tables.state_entry("queued")])
            cursor.execute("DELETE FROM events WHERE run = ? AND type <> ?", (check, STATE))

    @_transaction
    def append(
        self,
        cursor: Cursor,
        check: str,
        holder: str,
        events: Sequence[LogEntry],
        progress: Progress,
        basis: str | None = None,
    ) -> None:
        """Add events to a check that `holder` runs. They are on disk when this returns.

        Raises ProblemError (409) when another server has taken the check over, or it was deleted.
        """
        tables.must_hold(cursor, check, holder)
        append(cursor, check, LOG, events)
        cursor.execute(
            "UPDATE checks SET progress = ?, basis = COALESCE(?, basis) WHERE id = ?",
            (progress.model_dump_json(), basis, check),
        )

    @_transaction
    def end(
        self,
        cursor: Cursor,
        check: str,
        holder: str,
        state: State,
        *,
        counts: str = "null",
        scores: str = "[]",
        problem: Problem | None = None,
    ) -> None:
        """Store the end of a check that `holder` runs; `queued` puts it back into the queue unless it is to be stopped.

        Raises ProblemError as `append`.
        """
        tables.must_hold(cursor, check, holder)
        if state == "queued" and tables.read_check(cursor, check).stop:
            state = "stopped"
        append(cursor, check, LOG, [tables.state_entry(state, problem)])
        ended = None if state in LIVE else tables.now()
        cursor.execute(
            "UPDATE checks SET state = ?, ended = ?, counts = ?, scores = ?, problem = ?,"
            " leased_by = NULL, leased_until = 0, stop = 0 WHERE id = ?",
            (state, ended, counts, scores, problem.model_dump_json() if problem else None, check),
        )

    @_transaction
    def queue_again(self, cursor: Cursor, check: str, room: JobLimits) -> StoredCheck:
        """Put an ended check back into the queue, to be resumed. A running or waiting one stays as it is."""
        stored = tables.locked(cursor, check)
        if stored.live:
            return stored
        tables.must_have_room(cursor, stored.owner, room)
        append(cursor, check, LOG, [tables.state_entry("queued")])
        cursor.execute(
            "UPDATE checks SET state = 'queued', queued = ?, ended = NULL, problem = NULL, stop = 0 WHERE id = ?",
            (time.time(), check),
        )
        return tables.read_check(cursor, check)

    @_transaction
    def stop(self, cursor: Cursor, check: str) -> StoredCheck:
        """Request that a check be stopped. A waiting one is stopped at once; an ended one stays as it is."""
        stored = tables.locked(cursor, check)
        if stored.state == "queued":
            append(cursor, check, LOG, [tables.state_entry("stopped")])
            cursor.execute("UPDATE checks SET state = 'stopped', ended = ? WHERE id = ?", (tables.now(), check))
        elif stored.live:
            cursor.execute("UPDATE checks SET stop = 1 WHERE id = ?", (check,))
        return tables.read_check(cursor, check)

    @_transaction
    def choose(self, cursor: Cursor, check: str, revision: int | None, choices: Choices) -> StoredCheck:
        """Store a user's choices; `revision` is the one that they saw.

        Raises ProblemError (412) when it is outdated.
        """
        stored = tables.locked(cursor, check)
        if revision is not None and revision != stored.revision:
            raise ProblemError(
                412,
                f"These choices were changed elsewhere (revision {stored.revision}, not {revision}).",
                "Load the check again; your changes can then be made again.",
            )
        cursor.execute(
            "UPDATE checks SET choices = ?, revision = revision + 1 WHERE id = ?", (choices.model_dump_json(), check)
        )
        return tables.read_check(cursor, check)

    @_transaction
    def take(
        self, cursor: Cursor, holder: str, until: float, is_gone: Callable[[str], bool], running: Collection[str]
    ) -> StoredCheck | None:
        """Take the check that has waited longest, or one whose lease has expired or whose server has exited; else None.

        `holder` holds it until the time `until` (seconds since 1970) unless it is renewed. Those that are `running`
        there are not taken: after a pause of the whole machine their leases have expired.
        """
        waiting = cursor.rows(
            "SELECT id, leased_by, leased_until FROM checks WHERE state IN ('queued', 'running') ORDER BY queued"
        )
        for check, by, end in waiting:
            if check in running and by == holder:
                continue
            if by is not None and float(end) > time.time() and not is_gone(str(by)):
                continue
            updated = cursor.execute(
                "UPDATE checks SET state = 'running', leased_by = ?, leased_until = ?, attempt = attempt + 1"
                " WHERE id = ? AND state IN ('queued', 'running') AND leased_until = ? AND COALESCE(leased_by, '') = ?",
                (holder, until, check, end, by or ""),
            )
            if updated:
                return tables.read_check(cursor, str(check))
        return None

    @_transaction
    def renew(self, cursor: Cursor, holder: str, until: float, running: Collection[str]) -> dict[str, bool]:
        """Renew the leases of checks that are `running`; return those that `holder` still holds, and which are to stop.

        Its other leases expire, such as that of a check whose end could not be stored.
        """
        held = f"WHERE leased_by = ? AND state = 'running' AND id IN ({', '.join('?' * len(running))})"
        if not running:
            return {}
        cursor.execute(f"UPDATE checks SET leased_until = ? {held}", (until, holder, *running))  # noqa: S608 - marks
        rows = cursor.rows(f"SELECT id, stop FROM checks {held}", (holder, *running))  # noqa: S608
        return {str(check): bool(stop) for check, stop in rows}

    @_transaction
    def by_state(self, cursor: Cursor) -> dict[str, int]:
        """Count the checks by state."""
        return {str(state): int(n) for state, n in cursor.rows("SELECT state, count(*) FROM checks GROUP BY state")}
