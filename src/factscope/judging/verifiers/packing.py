"""A long passage in chunks that a small model can read: whole sentences in a row, and those nearest to a claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_Chunk = TypeVar("_Chunk")


def packed(sizes: Sequence[int], budget: int) -> list[tuple[int, int]]:
    """Return sentences of these sizes in runs `low:high`, as many as fit into the budget.

    Together they are all, in order.

    A sentence that does not fit by itself is a run of its own.
    """
    ranges: list[tuple[int, int]] = []
    low = total = 0
    for at, size in enumerate(sizes):
        if at > low and total + size > budget:
            ranges.append((low, at))
            low, total = at, 0
        total += size
    return [*ranges, (low, len(sizes))] if sizes else []


def nearest(chunks: Sequence[_Chunk], most: int, shared: Callable[[_Chunk], float]) -> list[_Chunk]:
    """Return the `most` chunks of which `shared` is largest, of equals the first, in the order of the passage."""
    if len(chunks) <= most:
        return list(chunks)
    best = sorted(range(len(chunks)), key=lambda index: -shared(chunks[index]))[:most]
    return [chunks[index] for index in sorted(best)]
