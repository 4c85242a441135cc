"""Bootstrap over examples, since the verdicts of several judges on one example are dependent.

Each resample is a row of weights, the number of times each example was drawn. So a resample of every cell of a table is
one matrix product, and all models and judges share the resamples, from which their differences follow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from factscope.benchmarks.facts_grounding.verdict_arrays import Floats
from factscope.scoring.intervals import RESAMPLES

_AT_ONCE = 2_000_000
"""Most weights in memory at a time: 16 MB."""


def weights(n: int, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Floats]:
    """Yield how often each of `n` examples is drawn, in blocks of shape (some resamples, n), `resamples` in all."""
    random = np.random.default_rng(seed)
    block = max(1, min(resamples, _AT_ONCE // max(n, 1)))
    for done in range(0, resamples, block):
        rows = min(block, resamples - done)
        sampled = random.integers(n, size=(rows, n)) + np.arange(rows)[:, None] * n
        yield np.bincount(sampled.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def resampled_means(values: Floats, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Return means over examples in each resample: (examples, …) → (resamples, …), NaN left out of them."""
    n, remainder = values.shape[0], values.shape[1:]
    flat = values.reshape(n, int(np.prod(remainder)))
    present = ~np.isnan(flat)
    filled = np.where(present, flat, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [(weight @ filled) / (weight @ present.astype(np.float64)) for weight in weights(n, resamples, seed)]
    return np.concatenate(means).reshape(resamples, *remainder)
