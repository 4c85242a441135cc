"""Work that several wait for at the same time, and that is done once. For one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class _Flight(Generic[V]):
    """Work under way, and those who wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[V]) -> None:
        self.task = task
        self.waiting: list[asyncio.Future[None]] = []
        task.add_done_callback(self._wake)

    def _wake(self, task: asyncio.Task[V]) -> None:
        """Wake those who wait; they read the result of the task."""
        if not task.cancelled():
            task.exception()  # marks it as retrieved: without waiters, asyncio would log it
        for future in self.waiting:
            if not future.done():
                future.set_result(None)


class SingleFlight(Generic[V]):
    """Work under way, by key."""

    def __init__(self) -> None:
        self.cancels = True
        """Whether work is cancelled once nobody waits for it."""
        self._flights: dict[str, _Flight[V]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, key: str) -> bool:
        return key in self._flights

    async def result(self, key: str, begin: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Wait for the work of this key, begun by `begin` unless it is under way. Raises what the work raises."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.ensure_future(begin()))
        # Each waits for a future of its own, for others may wait for the same work when one of them is cancelled.
        # (`asyncio.shield` does the same with five times the objects, which the garbage collector looks at.)
        future = asyncio.get_running_loop().create_future()
        flight.waiting.append(future)
        try:
            if not flight.task.done():
                await future
            return flight.task.result()
        finally:
            flight.waiting.remove(future)
            if not flight.waiting and not flight.task.done() and self.cancels:
                flight.task.cancel()
            if self._flights.get(key) is flight and (flight.task.done() or flight.task.cancelling()):
                del self._flights[key]

    async def close(self, patience: float = 0.0) -> None:
        """Give work under way some seconds to end, then cancel it."""
        tasks = [flight.task for flight in self._flights.values()]
        if tasks and patience:
            await asyncio.wait(tasks, timeout=patience)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
