"""The checks that run on this server: taken from the repository, run by the engine, and stored as they proceed.

A check does not depend on an open page. Its server holds a lease that is renewed while it runs: when the server dies,
another one, or this one restarted, takes the check over and works only on claims without a verdict.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from factscope.core import LogEntry, StoreError, reusable_records
from factscope.engine import Tools, batches, provenance
from factscope.llm.models_by_role import Models
from factscope.llm.waiting import CALLS_FOR, AwaitedCalls, awaited
from factscope.web.check_tables import JobLimits, StoredCheck
from factscope.web.forms import Problem, State, StoredRequest
from factscope.web.problems import ProblemError, damaged, problem_of
from factscope.web.replay import PROVENANCE, ProgressCount, is_finished, results_as_json
from factscope.web.repository import CheckRepository
from factscope.web.request_method import method_of
from factscope.web.tool_factory import ToolFactory, response_of

LEASE = 15.0
"""Seconds after which a server that does not renew its leases loses its checks."""
_RENEW = 3.0  # seconds between renewals of a lease
_POLL_SECONDS = 1.0
"""Seconds between two queries for checks that another server has queued, stopped or left."""


class Watchers:
    """The tasks that wait for news of a check."""

    def __init__(self) -> None:
        self._of: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.closing = False
        """Whether the server is ending, so that nobody waits any more."""

    @contextmanager
    def watching(self, check: str) -> Iterator[asyncio.Event]:
        """Provide an event that is set whenever there is news."""
        event = asyncio.Event()
        self._of[check].add(event)
        try:
            yield event
        finally:
            self._of[check].discard(event)
            if not self._of[check]:
                del self._of[check]

    def notify(self, check: str) -> None:
        """Tell all watchers that there is news of this check."""
        for event in self._of.get(check, ()):
            event.set()

    def close(self) -> None:
        """Wake everybody, for the end of the server."""
        self.closing = True
        for check in list(self._of):
            self.notify(check)

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))


End = Literal["stop", "leave", "lost"]
"""Why a running check is cancelled: its user stopped it, the server ends, or another server has taken it over."""


@dataclass(eq=False)
class _RunningCheck:
    """A check that runs here. Only its work can be cancelled: its end is then stored undisturbed."""

    work: asyncio.Task[None]
    to_the_end: asyncio.Task[None] = field(init=False)
    """The work, and the storing of its end."""
    called_off: End | None = None

    def call_off(self, reason: End) -> None:
        """Cancel the work, once: a second time would interrupt what it does to close its tools."""
        if self.called_off is None:
            self.called_off = reason
            self.work.cancel()


class Jobs:
    """The checks that run here. Use as an asynchronous context manager."""

    def __init__(
        self,
        check_repository: CheckRepository,
        tool_factory: ToolFactory,
        room: JobLimits = JobLimits(),  # noqa: B008 - it is frozen
    ) -> None:
        self.repository, self.tool_factory, self.room = check_repository, tool_factory, room
        self.watchers = Watchers()
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        """The name of this server on the leases that it holds."""
        self._running: dict[str, _RunningCheck] = {}
        self._models: dict[str, Models] = {}
        """Models of the checks that run in this process, by check id."""
        self._news = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Jobs:
        self._loops = [asyncio.create_task(self._keep_taking()), asyncio.create_task(self._keep_renewing())]
        return self

    async def __aexit__(self, *_: object) -> None:
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        running = list(self._running.values())
        for check in running:
            check.call_off("leave")
        await asyncio.gather(*(check.to_the_end for check in running), return_exceptions=True)
        self.watchers.close()

    def __len__(self) -> int:
        return len(self._running)

    def wake(self) -> None:
        """Look for work now."""
        self._news.set()

    def awaited(self, check: str) -> AwaitedCalls | None:
        """Return the pending model calls of a check; None when it has none or runs elsewhere."""
        models = self._models.get(check)
        return awaited(call for call in models.under_way if call.check == check) if models else None

    def call_off(self, check: str, reason: End) -> None:
        """Cancel a check that runs here, which was stopped or deleted; one that runs elsewhere is cancelled there."""
        if running := self._running.get(check):
            running.call_off(reason)
        self.watchers.notify(check)

    async def _keep_taking(self) -> None:
        while True:
            self._news.clear()
            with suppress(StoreError):  # the database is busy, or was unreachable for a moment
                while len(self._running) < self.room.running:
                    lease = time.time() + LEASE
                    taken_check = await self.repository.take(self.holder, lease, _is_gone, tuple(self._running))
                    if taken_check is None:
                        break
                    self._begin(taken_check)
            with suppress(TimeoutError):
                # Not by `wait_for`, which before Python 3.12 can miss that the server ends.
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._news.wait()

    async def _keep_renewing(self) -> None:
        while True:
            with suppress(StoreError):
                running = dict(self._running)  # a check started meanwhile, or started again, is not among them
                held = await self.repository.renew(self.holder, time.time() + LEASE, tuple(running))
                for check, running_check in running.items():
                    if check not in held or held[check]:
                        running_check.call_off("stop" if check in held else "lost")
            await asyncio.sleep(_RENEW if not self.repository.shared else _POLL_SECONDS)

    def _begin(self, check: StoredCheck) -> None:
        running = self._running[check.id] = _RunningCheck(asyncio.create_task(self._work(check)))
        running.to_the_end = asyncio.create_task(self._run(check, running))

        def forget_check(_: asyncio.Task[None]) -> None:
            if self._running.get(check.id) is running:  # else it was resumed as soon as its end was on disk
                del self._running[check.id]
            self.watchers.notify(check.id)
            self.wake()

        running.to_the_end.add_done_callback(forget_check)
        if check.stop:  # its server died, or could not store its end
            running.call_off("stop")

    async def _run(self, check: StoredCheck, running: _RunningCheck) -> None:
        """Run a check to its end, however it ends."""
        end: State | None = "done"
        problem = None
        try:
            await running.work
        except asyncio.CancelledError:
            end = {"stop": "stopped", "leave": "queued", "lost": None}[running.called_off or "leave"]
        except ProblemError as error:
            end, problem = (None, None) if error.problem.status in (404, 409) else ("failed", error.problem)
        except Exception as error:  # noqa: BLE001 - whatever affects a check is said at the check
            end, problem = "failed", problem_of(error)
            with suppress(ValueError):  # the stored request may be what can't be read
                self.tool_factory.forget(StoredRequest.model_validate_json(check.request).model)
        if end is None:
            return
        with suppress(ProblemError, StoreError):  # taken over by another server, or taken again when its lease expires
            await self._end(check.id, end, problem)

    async def _end(self, check: str, end: State, problem: Problem | None) -> None:
        """Store the end of a check with its results so far. Raises ProblemError, StoreError."""
        counts, scores = results_as_json(None)
        if end != "queued":
            try:
                report = await self.repository.report(await self.repository.get(check))
                if end == "done" and not is_finished(report):
                    end, problem = "failed", damaged().problem
                counts, scores = await asyncio.to_thread(results_as_json, report)
            except (ProblemError, StoreError):
                raise
            except Exception as error:  # noqa: BLE001 - the check has to end all the same
                end, problem = "failed", problem or problem_of(error)
        await self.repository.end(check, self.holder, end, counts=counts, scores=scores, problem=problem)

    async def _work(self, check: StoredCheck) -> None:
        request = StoredRequest.model_validate_json(check.request)
        response = response_of(request)
        method = method_of(request, self.tool_factory.settings)
        documents = await self.repository.documents(check.id)
        events = await self.repository.records(check.id)
        if check.last_event and not events:  # what is left there would count among what is made now
            await self.repository.forget_records(check.id, self.holder)
        with tempfile.TemporaryDirectory(prefix="factscope-", ignore_cleanup_errors=True) as folder:
            tools = await asyncio.to_thread(self.tool_factory.tools, request, documents, Path(folder))
            CALLS_FOR.set(check.id)
            if tools.models:
                self._models[check.id] = tools.models
            try:
                done = list(reusable_records(events))
                count = ProgressCount(done)
                origin = PROVENANCE.dump_json(provenance(method, tools)).decode()
                begun = LogEntry.of_state("running", attempt=check.attempt)
                await self._append(check.id, [begun], count, origin)
                async with aclosing(batches(response, method, tools, done)) as groups:
                    async for group in groups:  # records made during a write are written together next
                        count.take(group)
                        writing = asyncio.ensure_future(
                            self._append(check.id, [LogEntry.of(event) for event in group], count)
                        )
                        try:
                            await asyncio.shield(writing)
                        finally:
                            await writing  # the log is written before the end of the check is stored
            finally:
                self._models.pop(check.id, None)
                await close_sources(tools)
                await self.tool_factory.done_with(tools.models)

    async def _append(self, check: str, events: list[LogEntry], count: ProgressCount, basis: str | None = None) -> None:
        await self.repository.append(check, self.holder, events, count.progress, basis)
        self.watchers.notify(check)


async def close_sources(tools: Tools) -> None:
    """Close the tools of one check; models are shared and stay open."""
    for source in tools.sources.values():
        await source.close()


def _is_gone(holder: str) -> bool:
    """Return whether the server with this name ran on this machine and has ended."""
    host, _, remainder = holder.rpartition(":")[0].rpartition(":")
    if host != socket.gethostname() or not remainder.isdigit() or int(remainder) == os.getpid():
        return False
    try:
        os.kill(int(remainder), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
