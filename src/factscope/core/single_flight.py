"""Work that is done once, however many tasks wait for it. For one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class _Flight(Generic[V]):
    """Work in progress, and the futures of those who wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[V]) -> None:
        self.task = task
        self.waiting: list[asyncio.Future[None]] = []
        task.add_done_callback(self._wake)

    def _wake(self, task: asyncio.Task[V]) -> None:
        """Wake the waiters, who read the result of the task."""
        if not task.cancelled():
            task.exception()  # marks the exception as retrieved: without waiters, asyncio would log it
        for future in self.waiting:
            if not future.done():
                future.set_result(None)


class SingleFlight(Generic[V]):
    """Work in progress, by key."""

    def __init__(self) -> None:
        self.cancels = True
        """Whether work is cancelled when nobody waits for it any more."""
        self._flights: dict[str, _Flight[V]] = {}
        self._ending: set[asyncio.Task[V]] = set()
        """Work that was cancelled and has not ended yet."""

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, key: str) -> bool:
        return key in self._flights

    async def result(self, key: str, begin: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Wait for the work of this key, started by `begin` unless it is in progress. Raises its errors."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.ensure_future(begin()))
        # Each waiter has its own future, so that cancelling one does not affect the others. (`asyncio.shield` does the
        # same with five times as many objects for the garbage collector.)
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
                self._ending.add(flight.task)
                flight.task.add_done_callback(self._ending.discard)
            if self._flights.get(key) is flight and (flight.task.done() or flight.task.cancelling()):
                del self._flights[key]

    async def close(self, patience: float = 0.0) -> None:
        """Give work in progress `patience` seconds to end, then cancel it."""
        tasks = [flight.task for flight in self._flights.values()]
        if tasks and patience:
            await asyncio.wait(tasks, timeout=patience)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._ending, return_exceptions=True)
