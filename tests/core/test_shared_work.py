"""Shared work: done once for all tasks that wait, with queue items and writes in groups."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from factscope.core import GroupCommit, SingleFlight
from factscope.engine import queued_groups


class Work:
    """Work that ends on a test's signal, and counts how often it was started and cancelled."""

    def __init__(self) -> None:
        self.begun = self.cancelled = 0
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        number = self.begun
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error:
            raise self.error
        return number


async def turn() -> None:
    """Let all tasks run until they wait."""
    for _ in range(5):
        await asyncio.sleep(0)


def in_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in its own event loop."""

    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), 5))

    run.__name__ = test.__name__
    return run


@in_a_loop
async def test_all_callers_asking_for_one_key_share_one_piece_of_work() -> None:
    flights, work = SingleFlight[int](), Work()
    waiting = [asyncio.ensure_future(flights.result("a", work)) for _ in range(5)]
    await turn()
    assert "a" in flights
    assert len(flights) == 1
    work.may_end.set()
    assert await asyncio.gather(*waiting) == [1, 1, 1, 1, 1]
    assert work.begun == 1
    assert "a" not in flights
    assert len(flights) == 0


@in_a_loop
async def test_keys_are_independent_and_finished_work_is_done_again() -> None:
    flights, one, other = SingleFlight[int](), Work(), Work()
    waiting = [asyncio.ensure_future(flights.result(key, work)) for key, work in (("a", one), ("b", other))]
    await turn()
    assert len(flights) == 2
    one.may_end.set()
    other.may_end.set()
    assert await asyncio.gather(*waiting) == [1, 1]
    assert await flights.result("a", one) == 2


@in_a_loop
async def test_an_error_reaches_every_waiting_caller_and_is_not_stored() -> None:
    flights, work = SingleFlight[int](), Work()
    work.error = ValueError("down")
    waiting = [asyncio.ensure_future(flights.result("a", work)) for _ in range(3)]
    await turn()
    work.may_end.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(result) for result in results] == ["down"] * 3
    work.error = None
    assert await flights.result("a", work) == 2


@in_a_loop
async def test_one_who_gives_up_does_not_stop_the_others() -> None:
    flights, work = SingleFlight[int](), Work()
    impatient, patient = (asyncio.ensure_future(flights.result("a", work)) for _ in range(2))
    await turn()
    impatient.cancel()
    await turn()
    assert impatient.cancelled()
    assert work.cancelled == 0
    work.may_end.set()
    assert await patient == 1


@in_a_loop
async def test_work_that_nobody_waits_for_is_cancelled_and_restarted_on_request() -> None:
    flights, work = SingleFlight[int](), Work()
    waiting = [asyncio.ensure_future(flights.result("a", work)) for _ in range(2)]
    await turn()
    for task in waiting:
        task.cancel()
    await turn()
    assert work.cancelled == 1
    assert "a" not in flights
    work.may_end.set()
    assert await flights.result("a", work) == 2


@in_a_loop
async def test_a_caller_arriving_while_abandoned_work_is_being_cancelled_gets_new_work() -> None:
    flights, work = SingleFlight[int](), Work()
    first = asyncio.ensure_future(flights.result("a", work))
    await turn()
    first.cancel()
    second = asyncio.ensure_future(flights.result("a", work))
    await turn()
    work.may_end.set()
    assert await second == 2
    assert work.cancelled == 1


@in_a_loop
async def test_abandoned_work_continues_when_cancelling_is_disabled() -> None:
    flights, work = SingleFlight[int](), Work()
    flights.cancels = False
    first = asyncio.ensure_future(flights.result("a", work))
    await turn()
    first.cancel()
    await turn()
    assert "a" in flights
    second = asyncio.ensure_future(flights.result("a", work))
    await turn()
    work.may_end.set()
    assert await second == 1
    assert (work.begun, work.cancelled) == (1, 0)


@in_a_loop
async def test_closing_cancels_work_in_progress_and_notifies_waiting_callers() -> None:
    flights, work = SingleFlight[int](), Work()
    waiting = asyncio.ensure_future(flights.result("a", work))
    await turn()
    await flights.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert work.cancelled == 1
    await SingleFlight[int]().close(patience=60)  # returns at once: nothing is in progress


@in_a_loop
async def test_closing_with_patience_lets_work_end() -> None:
    flights, work = SingleFlight[int](), Work()
    waiting = asyncio.ensure_future(flights.result("a", work))
    await turn()
    closing = asyncio.ensure_future(flights.close(patience=60))
    await turn()
    work.may_end.set()
    await closing
    assert await waiting == 1
    assert work.cancelled == 0


@in_a_loop
async def test_a_queue_is_read_in_groups_of_what_has_arrived() -> None:
    queue: asyncio.Queue[int | None] = asyncio.Queue()
    groups: list[list[int]] = []

    async def read() -> None:
        groups.extend([group async for group in queued_groups(queue)])

    reader = asyncio.ensure_future(read())
    for batch in ([1, 2, 3], [4], [5, None]):
        for item in batch:
            queue.put_nowait(item)
        await turn()
    await reader
    assert groups == [[1, 2, 3], [4], [5]]


@in_a_loop
async def test_a_queue_that_ends_immediately_loses_no_queued_item() -> None:
    queue: asyncio.Queue[int | None] = asyncio.Queue()
    for item in (0, 1, None):
        queue.put_nowait(item)
    assert [item async for group in queued_groups(queue) for item in group] == [0, 1]


@in_a_loop
async def test_items_arriving_during_a_write_are_written_together_next() -> None:
    groups: list[list[int]] = []
    may_write = threading.Event()

    def write(items: list[int]) -> None:
        may_write.wait(5)
        groups.append(items)

    writes = GroupCommit(write)
    first = asyncio.ensure_future(writes.put([0]))
    await asyncio.sleep(0.1)
    others = [asyncio.ensure_future(writes.put([n, -n])) for n in range(1, 4)]
    await turn()
    others[0].cancel()  # its items are still written, and the others continue
    may_write.set()
    await asyncio.gather(first, *others, return_exceptions=True)
    assert groups == [[0], [1, -1, 2, -2, 3, -3]]
    assert [other.cancelled() for other in others] == [True, False, False]
    writes.close()


@in_a_loop
async def test_a_failed_write_fails_for_its_whole_group_and_no_other() -> None:
    may_write = threading.Event()

    def write(items: list[int]) -> None:
        may_write.wait(5)
        if 1 in items:
            raise ValueError("full")

    writes = GroupCommit(write)
    first = asyncio.ensure_future(writes.put([0]))
    await asyncio.sleep(0.1)
    others = [asyncio.ensure_future(writes.put([n])) for n in (1, 2)]
    await turn()
    may_write.set()
    results = await asyncio.gather(first, *others, return_exceptions=True)
    assert [str(result) for result in results] == ["None", "full", "full"]
    await writes.put([3])
    writes.close()


def test_items_waiting_when_the_loop_ends_are_written_on_close() -> None:
    groups: list[list[int]] = []
    writes = GroupCommit(groups.append)

    async def leave() -> None:
        task = asyncio.create_task(writes.put([1]))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(leave())
    writes.close()
    assert groups == [[1]]


def test_a_loop_does_not_wait_for_the_group_of_another() -> None:
    """The loop of the first group may have ended; a task waiting for its event would never learn of the write."""
    groups: list[list[int]] = []
    may_write = threading.Event()

    def write(items: list[int]) -> None:
        may_write.wait(5)
        groups.append(items)

    writes = GroupCommit(write)

    async def leave() -> None:
        for n in (0, 1):  # the first is being written, the second waits
            asyncio.ensure_future(writes.put([n]))  # noqa: RUF006 - nobody waits for it
            await asyncio.sleep(0.1)

    async def stay() -> None:
        task = asyncio.ensure_future(writes.put([2]))
        await turn()
        may_write.set()
        await asyncio.wait_for(task, 5)

    asyncio.run(leave())
    asyncio.run(stay())
    writes.close()
    assert groups == [[0], [1], [2]]


@in_a_loop
async def test_a_write_after_closing_raises_instead_of_waiting() -> None:
    writes: GroupCommit[int] = GroupCommit(len)
    writes.close()
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await asyncio.wait_for(writes.put([1]), 5)
