"""Chunks of a long passage for a small model: runs of whole sentences, and the chunks nearest to a claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_Chunk = TypeVar("_Chunk")


def packed(sizes: Sequence[int], budget: int) -> list[tuple[int, int]]:
    """Return runs `low:high` of sentences with these sizes, each with as many as fit into the budget.

    The runs contain all sentences, in order. A sentence that does not fit by itself is a run of its own.
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
    """Return the `most` chunks with the largest `shared`, of equal ones the first, in the order of the passage."""
    if len(chunks) <= most:
        return list(chunks)
    best = sorted(range(len(chunks)), key=lambda index: -shared(chunks[index]))[:most]
    return [chunks[index] for index in sorted(best)]
