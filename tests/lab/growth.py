"""Growth of work with its size, measured alike on busy, slow and idle machines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

_NEGLIGIBLE = 0.2
"""Seconds of processor time; less work is harmless, however it grows."""
_FACTOR = 8
_LINEAR = 1.2
"""Growth that counts as linear without further measurements."""
_REPEATS = 4


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the exponent of the growth of processor time with the size, up to `size`: 1 is linear, 2 is quadratic.

    Other processes can only make growth look larger, so the least of several measurements counts.
    """
    least = _growth(work, size)
    for _ in range(_REPEATS):
        if least <= _LINEAR:
            break
        least = min(least, _growth(work, size))
    return least


def _growth(work: Callable[[int], object], size: int) -> float:
    large = _seconds(work, size)
    if large < _NEGLIGIBLE:
        return 0.0
    small = min(_seconds(work, size // _FACTOR) for _ in range(3))
    return math.log(large / max(small, 1e-4), _FACTOR)


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
