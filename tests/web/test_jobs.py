"""Checks on a server where two things happen at once: each test decides which comes first."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from factscope.core import Database, StoreError
from factscope.engine import Settings, open_log
from factscope.web import (
    CheckRepository,
    CheckRequest,
    JobLimits,
    Jobs,
    NewCheck,
    StoredCheck,
    ToolFactory,
    contents,
    is_finished,
    kept_request,
)
from factscope.web import jobs as jobs_module
from tests.lab.many_cases import try_all

from .served import REQUEST

CHECK = "the-check"


class Gate:
    """A place where a step waits until the test lets it continue."""

    def __init__(self) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await self.opened.wait()


class Steered(CheckRepository):
    """Stored checks whose steps wait at gates: before a step by its name, after it by `name!`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.gates: dict[str, list[Gate]] = {}
        self.broken = 0
        """Number of ends that can't be stored."""
        self.taken: Callable[[str], object] = str
        """Called with the id of a taken check, before anything else happens."""

    def gate(self, name: str) -> Gate:
        """Add a gate for the next call of a step without one."""
        gate = Gate()
        self.gates.setdefault(name, []).append(gate)
        return gate

    async def _pass(self, name: str) -> None:
        if gates := self.gates.get(name):
            await gates.pop(0).wait()

    async def documents(self, check: str) -> list[tuple[str, bytes]]:
        await self._pass("documents")
        return await super().documents(check)

    async def report(self, check: StoredCheck) -> Any:
        await self._pass("report")
        return await super().report(check)

    async def end(self, *arguments: Any, **results: Any) -> None:
        if self.broken:
            self.broken -= 1
            raise StoreError("The store can't be written: the disk is full.")
        await super().end(*arguments, **results)
        await self._pass("end!")

    async def renew(self, *arguments: Any) -> dict[str, bool]:
        held = await super().renew(*arguments)
        if held:
            await self._pass("renew: stop!" if any(held.values()) else "renew!")
        return held

    async def take(self, *arguments: Any) -> StoredCheck | None:
        taken = await super().take(*arguments)
        if taken:
            self.taken(taken.id)
        await self._pass("take!")
        return taken

    async def state(self) -> str:
        return str((await self.get(CHECK)).state)

    async def ends(self, state: str) -> None:
        """Wait until the check is no longer live, and assert its state; fail if it never ends."""
        async with asyncio.timeout(60):
            while (await self.get(CHECK)).live:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.01)
        assert await self.state() == state


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Steered, Callable[[], Jobs]]]:
    """Yield stored checks, one of them waiting, and a function that returns a server's jobs, to be entered."""
    database = open_log(folder / "server.db")
    repository = Steered(database)
    tool_factory = ToolFactory(Settings(store=folder / "runs.db", cache=folder / "cache"))
    body = CheckRequest.model_validate(REQUEST)
    documents = contents(body.documents)
    new = NewCheck(CHECK, "me", "title", kept_request(body, documents), documents)
    await repository.add(new, JobLimits())
    try:
        yield repository, lambda: Jobs(repository, tool_factory)
    finally:
        await tool_factory.close()
        database.close()


Journey = Callable[[Path], Coroutine[Any, Any, None]]


def run(journey: Journey, folder: Path) -> None:
    """Run a journey for at most two minutes."""

    async def limited() -> None:
        async with asyncio.timeout(120):
            await journey(folder)

    asyncio.run(limited())


@pytest.mark.parametrize("first", ["its own end", "stop"])
def test_a_stop_that_comes_while_the_end_is_stored_does_not_prevent_it(tmp_path: Path, first: str) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working, ending = repository.gate("documents"), repository.gate("report")
            async with make() as jobs:
                await working.reached.wait()
                if first == "stop":
                    await repository.stop(CHECK)
                    jobs.call_off(CHECK, "stop")
                else:
                    working.opened.set()
                await ending.reached.wait()
                await repository.stop(CHECK)
                jobs.call_off(CHECK, "stop")  # pressed again, or noticed when leases are renewed
                ending.opened.set()
                await repository.ends("stopped" if first == "stop" else "done")

    run(journey, tmp_path)


def test_a_check_can_be_stopped_before_its_first_step(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            jobs = make()
            # In the loop's queue, the stop comes before the task about to be made.
            repository.taken = lambda check: asyncio.get_running_loop().call_soon(jobs.call_off, check, "stop")
            async with jobs:
                await repository.ends("stopped")

    run(journey, tmp_path)


def test_an_end_that_could_not_be_stored_is_stored_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "LEASE", 0.5)
    monkeypatch.setattr(jobs_module, "_RENEW", 0.02)

    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working, again = repository.gate("documents"), repository.gate("documents")
            async with make() as jobs:
                await working.reached.wait()
                repository.broken = 1
                await repository.stop(CHECK)
                jobs.call_off(CHECK, "stop")
                await repository.ends("stopped")
                assert not again.reached.is_set(), "it had been stopped, and must not go on"

    run(journey, tmp_path)


def test_a_check_that_is_resumed_at_once_can_be_stopped_again(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working, again, ended = (repository.gate(name) for name in ("documents", "documents", "end!"))
            async with make() as jobs:
                await working.reached.wait()
                await repository.stop(CHECK)
                jobs.call_off(CHECK, "stop")
                await ended.reached.wait()  # the end is on disk, but the task does not know it yet
                await repository.queue_again(CHECK, jobs.room)
                jobs.wake()
                await again.reached.wait()
                ended.opened.set()
                for _ in range(5):
                    await asyncio.sleep(0)  # now the task knows it
                await repository.stop(CHECK)
                jobs.call_off(CHECK, "stop")
                await repository.ends("stopped")

    run(journey, tmp_path)


def test_a_late_answer_about_leases_does_not_stop_a_check_that_was_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "_RENEW", 0.01)

    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working, again = repository.gate("documents"), repository.gate("documents")
            async with make() as jobs:
                await working.reached.wait()
                await repository.stop(CHECK)
                late = repository.gate("renew: stop!")
                await late.reached.wait()
                jobs.call_off(CHECK, "stop")
                await repository.ends("stopped")
                await repository.queue_again(CHECK, jobs.room)
                jobs.wake()
                await again.reached.wait()
                late.opened.set()
                following = repository.gate("renew!")
                await following.reached.wait()
                following.opened.set()
                again.opened.set()
                await repository.ends("done")

    run(journey, tmp_path)


def test_a_server_does_not_take_its_own_check_a_second_time(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working = repository.gate("documents")
            async with make() as jobs:
                await working.reached.wait()
                # As after a laptop's sleep: the lease has expired, and its renewal comes later.
                expire = "UPDATE checks SET leased_until = 0"
                await asyncio.to_thread(repository.database.do, lambda cursor: cursor.execute(expire))
                looked = repository.gate("take!")
                jobs.wake()
                await looked.reached.wait()
                looked.opened.set()
                assert (await repository.get(CHECK)).attempt == 1
                working.opened.set()
                await repository.ends("done")

    run(journey, tmp_path)


@try_all(
    "damage",
    [
        *(
            f"UPDATE events SET body = '{{' WHERE key = (SELECT min(key) FROM events WHERE type = '{kind}')"
            for kind in ("response", "segment", "claim", "query", "document", "passage", "judgement", "verdict")
        ),
        *(f"DELETE FROM events WHERE type = '{kind}'" for kind in ("passage", "verdict", "response")),
        # A claim from another way of cutting: nothing in this attempt has its name.
        "INSERT INTO events (run, response, n, type, key, body)"
        " SELECT run, response, 999, type, 's9.c9', '{' FROM events WHERE type = 'claim' LIMIT 1",
    ],
)
def test_a_check_with_damaged_records_is_not_done_and_makes_them_again(
    tmp_path_factory: pytest.TempPathFactory, damage: str
) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            async with make():
                await repository.ends("done")
            whole = await repository.report(await repository.get(CHECK))
            with sqlite3.connect(folder / "server.db") as database:
                database.execute(damage)
            assert not is_finished(await repository.report(await repository.get(CHECK)))
            await repository.queue_again(CHECK, JobLimits())
            async with make():
                await repository.ends("done")
            assert await repository.report(await repository.get(CHECK)) == whole

    run(journey, tmp_path_factory.mktemp("damaged"))


def test_a_check_restarted_after_a_crash_never_reuses_an_event_number(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            async with make():
                await repository.ends("done")
            with sqlite3.connect(folder / "server.db") as database:  # as if its server had been killed
                database.execute("DELETE FROM events WHERE n = (SELECT MAX(n) FROM events)")
                database.execute("UPDATE events SET body = '{' WHERE type = 'claim'")
                database.execute("UPDATE checks SET state = 'running', ended = NULL")
            seen = (await repository.get(CHECK)).last_event
            async with make():
                await repository.ends("done")
            missed = await repository.events(CHECK, after=seen)
            assert missed[0].type == "state"
            assert {event.n for event in await repository.events(CHECK) if event.type == "claim"} <= {
                event.n for event in missed
            }

    run(journey, tmp_path)


def test_a_check_with_an_unreadable_request_fails_and_is_not_retried_forever(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            with sqlite3.connect(folder / "server.db") as database:
                database.execute("UPDATE checks SET request = '{'")
            async with make():
                await repository.ends("failed")

    run(journey, tmp_path)


@pytest.mark.medium
def test_a_server_shuts_down_even_if_a_check_changes_at_the_same_moment(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            async with make() as jobs:
                await repository.ends("done")
                for _ in range(2):  # the second time there is no earlier news
                    looked = repository.gate("take!")
                    await looked.reached.wait()
                    looked.opened.set()
                for _ in range(5):
                    await asyncio.sleep(0)  # now it waits for news
                jobs.wake()
                await asyncio.sleep(0)  # the wait has ended, but its task does not know it yet
            assert len(jobs) == 0

    run(journey, tmp_path)


def test_a_stop_is_not_forgotten_when_its_server_ends(tmp_path: Path) -> None:
    async def journey(folder: Path) -> None:
        async with serving(folder) as (repository, make):
            working = repository.gate("documents")
            async with make():
                await working.reached.wait()
                await repository.stop(CHECK)  # through another server; this one ends before it asks
            assert await repository.state() == "stopped"

    run(journey, tmp_path)
