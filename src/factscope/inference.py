"""What all that runs a neural network on this machine goes by: the library, its processors, texts of like length."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from types import ModuleType


def import_onnxruntime() -> ModuleType:
    """The library onnxruntime, kept from telling its makers that it is used. Raises ImportError.

    Since 1.29 it has telemetry that is on by itself, and makes a folder for it as soon as it is imported.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime  # type: ignore[no-any-return]


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Places of texts by their `lengths` in tokens, longest first, in runs of at most `most` tokens with padding.

    A text that is longer by itself is a run of its own.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if batch and lengths[batch[0]] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
