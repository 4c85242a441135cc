"""The storage of a server: the checks of all users, with their events and documents.

The events of a check are numbered from 1 without gaps, so that a watcher that lost the connection can request the
missing ones. A server that runs a check holds a lease on it and renews it; when it dies, the lease expires, and another
server, or the same one restarted, continues.

    checks     id, owner, asked once (key, hash), state, times, request, basis, choices, progress, lease
    events     the log of each, see `engine.event_log`
    documents  check, place, name, body (bytes)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from factscope.core.attempts import LogEntry, current_records
from factscope.core.database import Cursor, Database
from factscope.core.events import Event
from factscope.engine.event_log import NumberedEntry, append, read, read_after
from factscope.web.check_tables import (
    COLUMNS,
    LOG,
    NewCheck,
    StoredCheck,
    insert,
    locked,
    must_have_room,
    must_hold,
    now,
    prepare,
    read_check,
    state_entry,
)
from factscope.web.forms import LIVE, Choices, Problem, Progress, State
from factscope.web.problems import ProblemError, not_found

T = TypeVar("T")


class CheckRepository:
    """The stored checks. Every method is one transaction, run in a thread. Each may raise StoreError."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self.shared = database.shared
        """Whether other servers may work on the same checks."""
        prepare(database)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    async def _do(self, work: Callable[[Cursor], T]) -> T:
        return await asyncio.to_thread(self._db.do, work)

    async def add(self, new: NewCheck, most_waiting: int, most_of_one: int) -> tuple[StoredCheck, bool]:
        """Store a check; return it, and whether it is new.

        The same key with the same request returns the existing check.

        Raises ProblemError when the key was used for another request, or too many checks wait.
        """

        def insert_or_find(cursor: Cursor) -> tuple[StoredCheck, bool]:
            if new.key is not None:
                known_rows = cursor.rows(
                    "SELECT id, hash FROM checks WHERE owner = ? AND key = ?", (new.owner, new.key)
                )
                if known_rows:
                    if known_rows[0][1] != new.hash:
                        raise ProblemError(
                            422,
                            "This Idempotency-Key was used for another request.",
                            "Choose a new one for each check; send the same only to try the same request again.",
                        )
                    return read_check(cursor, str(known_rows[0][0])), False
            if new.state == "queued":
                must_have_room(cursor, new.owner, most_waiting, most_of_one)
            if not insert(cursor, new):  # the same request, sent twice at once
                return insert_or_find(cursor)
            return read_check(cursor, new.id), True

        return await self._do(insert_or_find)

    async def get(self, check: str, owner: str | None = None) -> StoredCheck:
        """Return a check, of this owner when one is named.

        Raises ProblemError (404) when there is none, or not theirs.
        """

        def read_own(cursor: Cursor) -> StoredCheck:
            stored = read_check(cursor, check)
            if owner is not None and stored.owner != owner:
                raise not_found("check")
            return stored

        return await self._do(read_own)

    async def of_owner(self, owner: str, limit: int, after: str | None) -> list[StoredCheck]:
        """Return an owner's checks, newest first, starting after the check `after`."""

        def list_checks(cursor: Cursor) -> list[StoredCheck]:
            cursor_row = cursor.rows("SELECT created, id FROM checks WHERE id = ? AND owner = ?", (after or "", owner))
            if after is not None and not cursor_row:
                raise not_found("check")
            created, last = cursor_row[0] if cursor_row else ("9", "")
            rows = cursor.rows(
                f"SELECT {COLUMNS} FROM checks WHERE owner = ? AND (created < ? OR (created = ? AND id < ?))"  # noqa: S608 - fixed columns
                " ORDER BY created DESC, id DESC LIMIT ?",
                (owner, created, created, last, limit),
            )
            return [StoredCheck(*row) for row in rows]

        return await self._do(list_checks)

    async def delete(self, check: str) -> None:
        """Delete a check with all its data."""

        def delete_check(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM checks WHERE id = ?", (check,))  # waits for a server that is writing
            cursor.execute("DELETE FROM events WHERE run = ?", (check,))

        await self._do(delete_check)

    async def documents(self, check: str) -> list[tuple[str, bytes]]:
        """Return the documents of a check: name and content."""
        rows = await self._do(
            lambda cursor: cursor.rows("SELECT name, body FROM documents WHERE check_id = ? ORDER BY place", (check,))
        )
        return [(str(name), bytes(body)) for name, body in rows]

    async def events(self, check: str, after: int = 0, most: int = 2**31 - 1) -> list[NumberedEntry]:
        """Return at most `most` events of a check after the number `after`."""
        return await asyncio.to_thread(read_after, self._db, check, LOG, after, most)

    async def records(self, check: str) -> list[Event]:
        """Return the records of a check that count."""
        return await asyncio.to_thread(lambda: current_records(read(self._db, check, LOG)))

    async def append(
        self, check: str, holder: str, events: Sequence[LogEntry], progress: Progress, basis: str | None = None
    ) -> None:
        """Add events to a check that `holder` runs. They are on disk when this returns.

        Raises ProblemError (409) when another server has taken the check over, or it was deleted.
        """

        def append_events(cursor: Cursor) -> None:
            must_hold(cursor, check, holder)
            append(cursor, check, LOG, events)
            cursor.execute(
                "UPDATE checks SET progress = ?, basis = COALESCE(?, basis) WHERE id = ?",
                (progress.model_dump_json(), basis, check),
            )

        await self._do(append_events)

    async def end(
        self,
        check: str,
        holder: str,
        state: State,
        *,
        counts: str = "null",
        scores: str = "[]",
        problem: Problem | None = None,
    ) -> None:
        """Store the end of a check that `holder` runs; `queued` puts it back into the queue.

        Raises ProblemError as `append`.
        """

        def end_check(cursor: Cursor) -> None:
            must_hold(cursor, check, holder)
            append(cursor, check, LOG, [state_entry(state, problem)])
            cursor.execute(
                "UPDATE checks SET state = ?, ended = ?, counts = ?, scores = ?, problem = ?,"
                " leased_by = NULL, leased_until = 0, stop = 0 WHERE id = ?",
                (
                    state,
                    None if state in LIVE else now(),
                    counts,
                    scores,
                    problem.model_dump_json() if problem else None,
                    check,
                ),
            )

        await self._do(end_check)

    async def queue_again(self, check: str, most_waiting: int, most_of_one: int) -> StoredCheck:
        """Put an ended check back into the queue, to be resumed. A running or waiting one stays as it is."""

        def requeue(cursor: Cursor) -> StoredCheck:
            stored = locked(cursor, check)
            if stored.live:
                return stored
            must_have_room(cursor, stored.owner, most_waiting, most_of_one)
            append(cursor, check, LOG, [state_entry("queued")])
            cursor.execute(
                "UPDATE checks SET state = 'queued', queued = ?, ended = NULL, problem = NULL, stop = 0 WHERE id = ?",
                (time.time(), check),
            )
            return read_check(cursor, check)

        return await self._do(requeue)

    async def stop(self, check: str) -> StoredCheck:
        """Request that a check be stopped. A waiting one is stopped at once; an ended one stays as it is."""

        def stop_check(cursor: Cursor) -> StoredCheck:
            stored = locked(cursor, check)
            if stored.state == "queued":
                append(cursor, check, LOG, [state_entry("stopped")])
                cursor.execute("UPDATE checks SET state = 'stopped', ended = ? WHERE id = ?", (now(), check))
            elif stored.live:
                cursor.execute("UPDATE checks SET stop = 1 WHERE id = ?", (check,))
            return read_check(cursor, check)

        return await self._do(stop_check)

    async def choose(self, check: str, revision: int | None, choices: Choices) -> StoredCheck:
        """Store a user's choices; `revision` is the one that they saw.

        Raises ProblemError (412) when it is outdated.
        """

        def save_choices(cursor: Cursor) -> StoredCheck:
            stored = locked(cursor, check)
            if revision is not None and revision != stored.revision:
                raise ProblemError(
                    412,
                    f"These choices were changed elsewhere (revision {stored.revision}, not {revision}).",
                    "Load the check again; your changes can then be made again.",
                )
            cursor.execute(
                "UPDATE checks SET choices = ?, revision = revision + 1 WHERE id = ?",
                (choices.model_dump_json(), check),
            )
            return read_check(cursor, check)

        return await self._do(save_choices)

    async def take(self, holder: str, until: float, is_gone: Callable[[str], bool]) -> StoredCheck | None:
        """Take the check that has waited longest, or one whose lease has expired or whose server has exited; else None.

        `holder` holds it until the time `until` (seconds since 1970) unless it is renewed.
        """

        def lease_next(cursor: Cursor) -> StoredCheck | None:
            waiting = cursor.rows(
                "SELECT id, leased_by, leased_until FROM checks WHERE state IN ('queued', 'running') ORDER BY queued"
            )
            for check, by, end in waiting:
                if by is not None and float(end) > time.time() and not is_gone(str(by)):
                    continue
                taken_rows = cursor.execute(
                    "UPDATE checks SET state = 'running', leased_by = ?, leased_until = ?, attempt = attempt + 1"
                    " WHERE id = ? AND state IN ('queued', 'running')"
                    " AND leased_until = ? AND COALESCE(leased_by, '') = ?",
                    (holder, until, check, end, by or ""),
                )
                if taken_rows:
                    return read_check(cursor, str(check))
            return None

        return await self._do(lease_next)

    async def renew(self, holder: str, until: float) -> dict[str, bool]:
        """Renew the leases of `holder`; return the checks that it still holds, and whether each is to be stopped."""

        def extend_leases(cursor: Cursor) -> dict[str, bool]:
            cursor.execute(
                "UPDATE checks SET leased_until = ? WHERE leased_by = ? AND state = 'running'", (until, holder)
            )
            rows = cursor.rows("SELECT id, stop FROM checks WHERE leased_by = ? AND state = 'running'", (holder,))
            return {str(check): bool(stop) for check, stop in rows}

        return await self._do(extend_leases)

    async def by_state(self) -> dict[str, int]:
        """Count the checks by state."""
        rows = await self._do(lambda cursor: cursor.rows("SELECT state, count(*) FROM checks GROUP BY state"))
        return {str(state): int(n) for state, n in rows}
