"""Stored runs: each record goes to a log as it is made (`engine.event_log`), in an SQLite file or in PostgreSQL.

A run is written by a `RunWriter`, and read report by report as a `StoredRun`.

Every append is one transaction, on disk before it returns: a process killed at any moment loses at most the records not
yet appended. A record that is damaged is skipped and listed in `Store.damaged`; the others stay readable (`factscope
store check` and `repair`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from factscope.core import BusyError, Cursor, Event, GroupCommit, Location, StoreError, first_problem, group_by
from factscope.core.attempts import STATE, LogEntry, current_entries, readable_records, records_to_build_on
from factscope.core.records import Failure, Record, Report, Response, Score, Searched, Verdict
from factscope.core.version import __version__
from factscope.engine.data_rows import DataRows
from factscope.engine.event_log import append, open_log, read
from factscope.engine.fold import Provenance, fold
from factscope.methods.method_file import method_from_values

_SEARCHED: TypeAdapter[Searched | None] = TypeAdapter(Searched | None)
_OUTCOME = ("response", "verdict", "failure")
"""Types of the records that give the outcome of a response; they are few and short compared with its evidence."""
_DATA_ROWS = "rows"
"""State in the log without a response's name: the note of a run about the rows of its data. The last one counts."""


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

    def __init__(self, location: Location, *, read_only: bool = False) -> None:
        """Open a file or an address `postgresql://…`, making or migrating its tables unless it is only read.

        Raises StoreError when it can't be, is of a newer Factscope, or belongs to another program; UsageError for an
        address that can't be used.
        """
        self.database = open_log(location, read_only=read_only)
        self.damaged: list[Damaged] = []
        """Records that were passed over because they can't be read."""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        self.database.close()

    def begin(self, run: str, origin: Provenance, title: str) -> None:
        """Record a new run with its settings, or that a run is resumed. Raises StoreError."""
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        method, searched = origin.method.model_dump_json(), _SEARCHED.dump_json(origin.searched).decode()
        models_and_prompts = json.dumps({"models": dict(origin.models), "prompts": dict(origin.prompts)})
        values = (run, now, now, method, searched, __version__, title.replace("\x00", " "), models_and_prompts)
        self.database.do(
            lambda cursor: cursor.execute(
                "INSERT INTO runs VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET used = excluded.used, searched = excluded.searched",
                values,
            )
        )

    def reopen(self, run: str, response: str, *, fresh: bool) -> None:
        """Record that a response is checked again; with `fresh`, all its records in the run are dropped.

        Raises StoreError.
        """

        def begin_attempt(cursor: Cursor) -> None:
            cursor.execute("UPDATE runs SET finished = NULL WHERE id = ?", (run,))
            if fresh:
                cursor.execute("DELETE FROM events WHERE run = ? AND response = ?", (run, response))
            append(cursor, run, response, [LogEntry.of_state("running")])

        self.database.do(begin_attempt)

    def append(self, run: str, response: str, events: Sequence[Event]) -> None:
        """Write records, all or none; they are on disk when this returns. Raises StoreError."""
        self.append_all(run, [(response, events)])

    def append_all(self, run: str, groups: Sequence[tuple[str, Sequence[Event]]]) -> None:
        """Append the records of several responses, all or none. Raises StoreError."""
        entries = [(response, [LogEntry.of(event) for event in events]) for response, events in groups]

        def append_groups(cursor: Cursor) -> None:
            for response, group in entries:
                append(cursor, run, response, group)

        self.database.do(append_groups)

    def finish(self, run: str) -> None:
        """Record, once, that a run is complete. Raises StoreError."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.database.do(
            lambda cursor: cursor.execute("UPDATE runs SET finished = ? WHERE id = ? AND finished IS NULL", (now, run))
        )

    def note_data_rows(self, run: str, rows: DataRows) -> None:
        """Record which rows of its data a run left out, and which stored responses do not count. Raises StoreError."""
        if rows != self.data_rows(run):
            entry = LogEntry.of_state(_DATA_ROWS, rows=rows.model_dump(mode="json"))
            self.database.do(lambda cursor: append(cursor, run, "", [entry]))

    def data_rows(self, run: str) -> DataRows:
        """Return the last note of a run about the rows of its data. Raises StoreError."""
        notes = [entry for entry in read(self.database, run, "", (STATE,)) if entry.key == _DATA_ROWS]
        try:
            return DataRows.model_validate(json.loads(notes[-1].body)["rows"]) if notes else DataRows()
        except (ValueError, LookupError, TypeError):
            self._pass_over(Damaged(run, "", STATE, _DATA_ROWS, "the note about the rows of the data can't be read"))
            return DataRows()

    def events(self, run: str, response: str, *, only_outcome: bool = False) -> list[Event]:
        """Return the records of one response that count, in the order of their first writing, without damaged ones.

        With `only_outcome`, only its own record, verdicts and failures are returned. Raises StoreError.
        """
        log = read(self.database, run, response, (*_OUTCOME, "claim", STATE) if only_outcome else ())
        entries = [entry for entry in current_entries(log) if not only_outcome or entry.type in _OUTCOME]
        return self._readable(run, response, entries)[0]

    def events_to_build_on(self, run: str, response: str) -> list[Event]:
        """Return the records of `events` without those that must be made again because of damage. Raises StoreError."""
        entries = current_entries(read(self.database, run, response))
        return records_to_build_on(*self._readable(run, response, entries))

    def _readable(self, run: str, response: str, entries: Iterable[LogEntry]) -> tuple[list[Event], list[LogEntry]]:
        """Return the records of those entries that can be read, and the damaged entries, which are noted."""
        events, damaged = readable_records(entries)
        for entry, error in damaged.items():
            self._pass_over(Damaged(run, response, entry.type, entry.key, first_fault(error)))
        return events, [*damaged]

    def report(self, run: str, response: str, origin: Provenance) -> Report:
        """Return the report on a finished response. Raises StoreError, also when a record that it needs is damaged."""
        events = self.events(run, response)
        try:
            return fold(events, origin)
        except ValueError as error:
            raise StoreError(
                f"Response {response} of run {run} can't be put together from {self.database.name}: a"
                f" record is damaged or missing ({str(error)[:200]}).",
                "`factscope store check` names what is damaged; the same check, run again, makes it again.",
            ) from None

    def unit_ids(self, run: str, response: str) -> set[str]:
        """Return ids of the readable segments and claims of one response; a finished one has a verdict on each.

        Raises StoreError.
        """
        units = current_entries(read(self.database, run, response, ("segment", "claim")))
        return {unit.key for unit in units} - {unit.key for unit in self._readable(run, response, units)[1]}

    def ended(self, run: str) -> list[str]:
        """Return ids of the responses of a run that have their verdict, in the order of their beginning.

        Raises StoreError.
        """
        rows = self.database.rows(
            "SELECT response, type, key FROM events WHERE run = ? AND (type = ? OR type = 'response'"
            " OR (type = 'verdict' AND key = response || '.response')) ORDER BY id",
            (run, STATE),
        )
        logs = group_by(rows, lambda row: str(row[0]))
        latest = {name: current_entries(LogEntry(kind, key, "") for _, kind, key in log) for name, log in logs.items()}
        return [name for name, entries in latest.items() if any(entry.type == "verdict" for entry in entries)]

    def runs(self) -> list[RunRow]:
        """List all readable runs, the most recently used first. Raises StoreError."""
        rows = self.database.rows(
            "SELECT id, started, used, finished, method, searched, factscope, title, asked FROM runs"
            " ORDER BY used DESC, started DESC"
        )
        runs = []
        for row in rows:
            try:
                method, searched = json.loads(row[4]), _SEARCHED.validate_json(row[5])
                models_and_prompts = ModelsAndPrompts.model_validate_json(row[8])
                runs.append(RunRow(*row)._replace(method=method, searched=searched, asked=models_and_prompts))
            except ValueError as error:
                self._pass_over(Damaged(str(row[0]), "", "run", str(row[0]), first_fault(error)))
        return runs

    @contextmanager
    def owned(self, run: str) -> Iterator[None]:
        """Lock a run for this process; the lock ends with the process, however it ends.

        Raises BusyError when another process holds it, StoreError.
        """
        with self.database.hold(run) as is_held:
            if not is_held:
                raise BusyError(
                    f"Another process is working on the same check ({run}).",
                    "Wait for it to end; the same command then shows its result at once.",
                )
            yield

    def _pass_over(self, record: Damaged) -> None:
        if record not in self.damaged:
            self.damaged.append(record)


def first_fault(error: ValueError) -> str:
    """Describe the first error of a record."""
    if not isinstance(error, ValidationError):
        return str(error)[:200]
    return ": ".join(filter(None, first_problem(error, "")))[:200]


class StoredRun(Mapping[str, Report]):
    """The reports of a run by response id, each assembled from its records when it is requested.

    Responses that are no longer in its data do not count. With `ids`, no others than these do, in this order.
    """

    def __init__(self, store: Store, run: RunRow, ids: Collection[str] | None = None) -> None:
        self.run, self._store = run, store
        rows = store.data_rows(run.id)
        self.left_out_rows = rows.left_out
        self.left_out: tuple[str, ...] = tuple(map(str, rows.left_out))
        """Rows of the data that could not be checked, with the reasons."""
        method = method_from_values(run.method, f"check {run.id}")
        self._origin = Provenance(method, run.searched, run.asked.models, run.asked.prompts)
        ended = dict.fromkeys(store.ended(run.id))
        dropped = frozenset(rows.dropped)
        self._ids = dict.fromkeys(
            [name for name in ended if name not in dropped] if ids is None else [name for name in ids if name in ended]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, response: str) -> Report:
        if response not in self._ids:
            raise KeyError(response)
        return self._store.report(self.run.id, response, self._origin)

    def to_json(self, scores: Sequence[Score], left_out: Sequence[str]) -> str:
        """Write a summary of the run: the scores over all responses, and the rows that were left out."""
        values = {
            "run": self.run.id,
            "method": self.run.method["name"],
            "models": self.run.asked.models,
            "responses": len(self),
            "finished": self.run.finished is not None,
            "scores": [score.model_dump(mode="json") for score in scores],
            "left_out": list(left_out),
        }
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


class RunWriter:
    """Writer of a run's records, those of several responses in one transaction.

    Use as an asynchronous context manager.
    """

    def __init__(self, store: Store, run: str) -> None:
        self.store, self.run = store, run
        self._writes: GroupCommit[tuple[str, Sequence[Event]]] = GroupCommit(partial(store.append_all, run))

    async def __aenter__(self) -> RunWriter:
        return self

    async def __aexit__(self, *_: object) -> None:
        # A check that was stopped leaves a write, which may have to wait for a lock, or for a database server.
        await asyncio.to_thread(self._writes.close)

    async def write(self, records: Sequence[tuple[str, Sequence[Event]]]) -> None:
        """Write records of responses, by their ids, in one transaction; they are on disk when this returns.

        Raises StoreError.
        """
        await self._writes.put(records)

    def earlier_records(self, response: Response) -> list[Event]:
        """Return the records of an earlier attempt at this response to go on from; none if it was another text then."""
        events = self.store.events_to_build_on(self.run, response.id)
        return events if response in events else []

    def has_finished(self, response: Response) -> bool:
        """Return whether an earlier attempt finished this response, with nothing left to try again."""
        events = self.store.events(self.run, response.id, only_outcome=True)
        return response in events and is_complete(events, self.store.unit_ids(self.run, response.id))


def is_complete(events: Iterable[Event], units: Collection[str]) -> bool:
    """Return whether the response and these segments and claims of it have a verdict, and nothing is to try again."""
    events = tuple(events)
    verdicts = [event for event in events if isinstance(event, Verdict)]
    ended = any(verdict.level == "response" for verdict in verdicts)
    # Verdicts may have been lost, and also units.
    ended = ended and {verdict.unit_id for verdict in verdicts if verdict.level != "response"} == set(units)
    failed = any(verdict.outcome == "failed" for verdict in verdicts)
    return ended and not failed and not any(isinstance(event, Failure) and event.about is None for event in events)
