"""Writes in groups: what arrives while a group is written forms the next, as a disk takes long to confirm a write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Group(Generic[T]):
    """Items that are written together, and the event of those who wait for that, all in one event loop."""

    items: list[T] = field(default_factory=list)
    failure: BaseException | None = None
    written: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)


class GroupCommit(Generic[T]):
    """A thread that writes for any number of tasks, of any event loop. Close it when done."""

    def __init__(self, write: Callable[[list[T]], object]) -> None:
        """`write` takes a group; what it raises is raised to everybody who waits for that group."""
        self._write = write
        self._thread = ThreadPoolExecutor(1, "factscope-writer")
        self._lock = Lock()
        self._next: _Group[T] | None = None

    async def put(self, items: Iterable[T]) -> None:
        """Write items, in one group; they are on disk when this returns.

        Raises the errors of `write`, and RuntimeError when it is closed.
        """
        with self._lock:
            group = self._next
            if group is None or group.loop is not asyncio.get_running_loop():
                group = _Group()
                self._thread.submit(self._write_group, group)
                self._next = group
            group.items += items
        await group.written.wait()
        if group.failure:
            raise group.failure

    def close(self) -> None:
        """Write what is still waiting, and end the thread."""
        self._thread.shutdown()

    def _write_group(self, group: _Group[T]) -> None:
        with self._lock:
            if self._next is group:
                self._next = None
        try:
            self._write(group.items)
        except BaseException as error:  # noqa: BLE001 - those who wait must hear of it, whatever it is
            group.failure = error
        with suppress(RuntimeError):  # the loop is closed, and nobody waits
            group.loop.call_soon_threadsafe(group.written.set)
