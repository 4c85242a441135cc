"""Bootstrap over examples, since the verdicts of several judges on one example are dependent.

All models and judges share the resamples, from which their differences follow.
"""

from __future__ import annotations

import numpy as np

from factscope.benchmarks.facts_grounding.verdict_arrays import Floats
from factscope.scoring.intervals import draws


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return means over examples in each resample: (examples, …) → (resamples, …), NaN left out of them."""
    n, remainder = values.shape[0], values.shape[1:]
    flat = values.reshape(n, int(np.prod(remainder)))
    present = ~np.isnan(flat)
    filled = np.where(present, flat, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [(drawn.T @ filled) / (drawn.T @ present.astype(np.float64)) for drawn in draws(n, resamples, seed)]
    return np.concatenate(means).reshape(resamples, *remainder)
