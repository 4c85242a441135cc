"""Items of a queue, in groups of those that came in meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

T = TypeVar("T")


async def queued_groups(queue: asyncio.Queue[T | None]) -> AsyncIterator[list[T]]:
    """Yield everything in the queue, each time that it has items, until None arrives."""
    last = False
    while not last:
        group = [await queue.get()]
        while not queue.empty():
            group.append(queue.get_nowait())
        last = None in group
        yield [item for item in group if item is not None]
