"""Checks that are kept: their records go to the store as they are made, and the same call carries on after any stop.

`check_stored` is for one response, `run_many` for a data set of them: one run, many responses side by side.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from factscope.core.attempts import reusable_records
from factscope.core.errors import InputError
from factscope.core.events import Event
from factscope.core.queued import queued_groups
from factscope.core.records import Failure, Report, Response, Verdict
from factscope.core.version import __version__
from factscope.engine import (
    OnEvents,
    Provenance,
    Tools,
    WorkerLostError,
    as_response,
    batches,
    fold,
    judges,
    lacks_evidence,
    provenance,
)
from factscope.engine.run_store import Store
from factscope.methods import Method

_TITLE = 80  # characters of a run's title in lists
_SIDE_BY_SIDE = 16
"""Responses worked on at once by a method that asks models; a method that computes is done with two."""
ReadReport = Callable[[], Report]
"""Puts a report together from its records; one that an earlier attempt finished is read from disk only for this."""
_LIVES = 5
"""Processes that may be lost over one response before it is left out: it may be what ends them."""


def run_id(subject: str, provenance: Provenance, judge: str) -> str:
    """Name of a run: the same matter, method, models, prompts, evidence, judge and version make the same name."""
    models_and_prompts = json.dumps([dict(provenance.models), dict(provenance.prompts)], sort_keys=True)
    searched_id = provenance.searched.id if provenance.searched else ""
    identity = (__version__, subject, provenance.method.model_dump_json(), models_and_prompts, searched_id, judge)
    return hashlib.sha256("\x00".join(identity).encode()).hexdigest()[:16]


async def check_stored(
    response: Response | str,
    method: Method,
    tools: Tools,
    store: Store,
    on_events: OnEvents = lambda events: None,
    *,
    fresh: bool = False,
) -> Report:
    """`check` with its records kept in `store`; a check that was stopped carries on, a finished one is read back.

    `on_events` is called with records once they are on disk, those of an earlier attempt first. `fresh` drops the
    earlier attempt. Units that failed are tried again. Raises what `check` raises, and StoreError.
    """
    response = as_response(response)
    origin = provenance(method, tools)
    run = run_id(response.model_dump_json(), origin, judges(method, tools))
    with store.owned(run):
        begin_run(store, run, origin, " ".join(response.text[: 2 * _TITLE].split())[:_TITLE])
        async with _writing(store, run) as write:
            report = await _OpenRun(tools, origin, store, run, write).checked(response, on_events, fresh=fresh)
        store.finish(run)
    return report


@dataclass
class RunProgress:
    """Progress of a run over many responses."""

    run: str
    """Its id."""
    done: int = 0
    """Responses with a report, those of earlier attempts included."""
    reused: int = 0
    """Of these, finished by an earlier attempt."""
    with_failures: int = 0
    """Of these, with something that failed; the same command tries it again."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Responses that can't be checked, and why."""
    unassessed: list[str] = field(default_factory=list)
    """Responses that came without anything to check them against."""
    stopped: str | None = None
    """Reason why no further response was begun; None when all were."""


OnReport = Callable[[ReadReport, RunProgress], None]
"""Told of each response that is done, with its report and the progress so far."""


@dataclass(frozen=True)
class Runner:
    """Tools, store and listener of runs over many responses."""

    tools: Tools
    store: Store
    on_report: OnReport = lambda read, many: None
    fresh: bool = False
    """Whether earlier attempts are dropped."""


async def run_many(
    responses: Iterable[Response],
    method: Method,
    runner: Runner,
    name: str,
    on_report: OnReport = lambda read, many: None,
) -> RunProgress:
    """Check many responses, each kept as it is made; the same call carries on where an earlier one stopped.

    `name` says what data set it is: with the method, models, prompts and evidence it makes the run's id. Responses are
    taken one by one as there is room, so that memory does not grow with their number. `on_report`, and after it that of
    the runner, is called for each that is done, with a function that reads its report. A response that changed since an
    earlier attempt is checked again. When a budget is used up no further response is begun. Raises what `check` raises
    for a call that can't go well at all, and StoreError.
    """
    tools, store = runner.tools, runner.store
    origin = provenance(method, tools)
    many = RunProgress(run_id(name, origin, judges(method, tools)))
    rows, turn = iter(responses), asyncio.Lock()
    ids: set[str] = set()

    def report_done(read: ReadReport) -> None:
        on_report(read, many)
        runner.on_report(read, many)

    with store.owned(many.run):
        begin_run(store, many.run, origin, name[-_TITLE:])
        async with _writing(store, many.run) as write:
            opened = _OpenRun(tools, origin, store, many.run, write)

            async def worker() -> None:
                while True:
                    async with turn:  # the next row may have to be fetched: in a thread, and one at a time
                        response = None if many.stopped else await asyncio.to_thread(next, rows, None)
                    if response is None:
                        return
                    if response.id in ids:
                        many.refused.append((response.id, "Another response of this run has the same id."))
                        continue
                    ids.add(response.id)
                    if lacks_evidence(response, method, tools):
                        many.unassessed.append(response.id)
                        continue
                    if read := await opened.one_of_many(response, many, fresh=runner.fresh):
                        report_done(read)

            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(_at_once(origin, tools)):
                        group.create_task(worker())
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None
        if many.stopped is None and not many.with_failures:
            store.finish(many.run)
    return many


def _at_once(provenance: Provenance, tools: Tools) -> int:
    """Responses that are worked on side by side."""
    if tools.elsewhere:
        return tools.elsewhere.side_by_side
    return _SIDE_BY_SIDE if provenance.models else 2


def begin_run(store: Store, run: str, provenance: Provenance, title: str) -> None:
    """Write down what a run is made with. Raises StoreError."""
    store.begin(
        run,
        method=provenance.method.model_dump_json(),
        searched=provenance.searched.model_dump_json() if provenance.searched else "null",
        models_and_prompts=json.dumps({"models": dict(provenance.models), "prompts": dict(provenance.prompts)}),
        factscope=__version__,
        title=title,
    )


Write = Callable[[str, Sequence[Event]], "asyncio.Future[None]"]


@dataclass(frozen=True)
class _OpenRun:
    """A run whose records are being written."""

    tools: Tools
    provenance: Provenance
    store: Store
    run: str
    write: Write
    """Takes records of a response; what it gives is done when they are on disk."""

    async def checked(self, response: Response, on_events: OnEvents = lambda events: None, *, fresh: bool) -> Report:
        """Check one response, or read back what an earlier attempt made of it."""
        events = [] if fresh else self._earlier_records(response)
        if _complete(events):
            on_events(tuple(events))
            return fold(events, self.provenance)
        self.store.reopen(self.run, response.id, fresh=fresh)
        events = list(reusable_records(events))
        on_events(tuple(events))
        elsewhere, method = self.tools.elsewhere, self.provenance.method
        working = (
            elsewhere.batches(response, method, events) if elsewhere else batches(response, method, self.tools, events)
        )
        async with aclosing(working) as groups:
            async for group in groups:
                await self.write(response.id, group)
                events.extend(group)
                on_events(group)
        return fold(events, self.provenance)

    async def one_of_many(self, response: Response, many: RunProgress, *, fresh: bool) -> ReadReport | None:
        """Check one response and count it; `None` for one that can't be checked."""
        try:
            response = as_response(response)
        except InputError as error:
            many.refused.append((response.id, str(error)))
            return None
        if not fresh and _complete(self._earlier_records(response, only_outcome=True)):
            many.done += 1
            many.reused += 1
            return lambda: fold(self._earlier_records(response), self.provenance)
        for life in range(_LIVES):
            try:
                report = await self.checked(response, fresh=fresh and life == 0)
                break
            except WorkerLostError as error:
                lost = str(error)
        else:
            many.refused.append((response.id, f"{_LIVES} processes were lost over it. The last: {lost}"))
            return None
        many.done += 1
        many.with_failures += bool(report.counts["failed"]) or any(failure.about is None for failure in report.failures)
        if any(failure.boundary == "budget" for failure in report.failures):
            many.stopped = next(f.message for f in report.failures if f.boundary == "budget")
        return lambda: report

    def _earlier_records(self, response: Response, *, only_outcome: bool = False) -> list[Event]:
        """The records of an earlier attempt at this response; none when it was another text then."""
        events = self.store.events(self.run, response.id, only_outcome=only_outcome)
        same = any(isinstance(event, Response) and event == response for event in events)
        return events if same else []


@asynccontextmanager
async def _writing(store: Store, run: str) -> AsyncIterator[Write]:
    """A writer that puts what has come in from all responses into one transaction: disks are slow to say "done"."""
    queue: asyncio.Queue[tuple[str, Sequence[Event], asyncio.Future[None]] | None] = asyncio.Queue()

    def write(response: str, events: Sequence[Event]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.put_nowait((response, events, done))
        return done

    async def work() -> None:
        async for items in queued_groups(queue):
            failure: Exception | None = None
            try:
                await asyncio.to_thread(store.append_all, run, [(response, events) for response, events, _ in items])
            except Exception as error:  # noqa: BLE001 - those who wait must hear of it, whatever it is
                failure = error
            for _, _, done in items:
                if done.done():
                    continue
                if failure:
                    done.set_exception(failure)
                else:
                    done.set_result(None)

    worker = asyncio.create_task(work())
    try:
        yield write
    finally:
        queue.put_nowait(None)
        await worker


def _complete(events: Iterable[Event]) -> bool:
    """Whether the response has its verdict, and nothing is left to try again."""
    events = tuple(events)
    verdicts = [event for event in events if isinstance(event, Verdict)]
    ended = any(verdict.level == "response" for verdict in verdicts)
    failed = any(verdict.outcome == "failed" for verdict in verdicts)
    return ended and not failed and not any(isinstance(event, Failure) and event.about is None for event in events)
