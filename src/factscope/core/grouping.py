"""Items grouped by a key, in order: what most loops over records begin with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def group_by(items: Iterable[T], key: Callable[[T], K]) -> defaultdict[K, list[T]]:
    """Return the items by their keys, both in the order of appearance; an empty list for any other key."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups
