"""Items of a queue, yielded in groups: each group holds all items that arrived in the meantime."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

T = TypeVar("T")


async def queued_groups(queue: asyncio.Queue[T | None]) -> AsyncIterator[list[T]]:
    """Yield all items in the queue as a list, whenever there are any, until None arrives."""
    last = False
    while not last:
        group = [await queue.get()]
        while not queue.empty():
            group.append(queue.get_nowait())
        last = None in group
        yield [item for item in group if item is not None]
