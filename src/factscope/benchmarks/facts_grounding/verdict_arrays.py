"""Verdicts of the judges of FACTS Grounding as arrays of shape (examples, models, judges).

1 is yes, 0 is no, NaN is missing: a call that failed or could not be read. Missing verdicts are left out and counted,
never treated as a no.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factscope.methods import LEAST_COVERAGE
from factscope.scoring.intervals import draws

Floats = NDArray[np.float64]
MIN_CONSENSUS = 2
"""Fewest judges that must have answered before a response can be called ineligible."""


def known(value: float) -> float | None:
    """Return a value; `None` for NaN."""
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True)
class VerdictArrays:
    """Everything that the table is computed from."""

    models: tuple[str, ...]
    """The models that answered."""
    judges: tuple[str, ...]
    """The judges."""
    splits: tuple[str, ...]
    """Names of the splits, such as open and blind."""
    split: NDArray[np.int64]
    """Index in `splits` of each example, shape (examples,)."""
    accurate: Floats
    """Phase A, shape (examples, models, judges): whether the response is grounded in its document."""
    ineligible: Floats | None = None
    """Phase B, of the same shape: whether it fails to answer the request; None when there was no phase B."""
    least_coverage: float = LEAST_COVERAGE
    """Least share of a cell's examples with a verdict; with fewer, the cell has no score."""
    empty: NDArray[np.bool_] | None = None
    """Empty answers, shape (examples, models): their verdicts are set by rule, without a judge."""

    def by_judges(self, values: Floats) -> Floats:
        """Return verdicts such as `accurate` without those by rule, for statements on the judges."""
        return values if self.empty is None else np.where(self.empty[..., None], np.nan, values)


def disqualified(ineligible: Floats) -> Floats:
    """Mark ineligible responses, shape (examples, models): 1, 0, or NaN where too few judges answered.

    A response is ineligible only when all judges say so (FACTS Grounding, section 4.2); one that any judge lets pass is
    eligible. A judge whose call failed is ignored if at least `MIN_CONSENSUS` others agree.
    """
    answered = ~np.isnan(ineligible)
    passes = (ineligible == 0).any(axis=-1)
    agreed = ~passes & (answered.sum(axis=-1) >= MIN_CONSENSUS)
    return np.where(passes, 0.0, np.where(agreed, 1.0, np.nan))


def final(verdicts: VerdictArrays) -> Floats:
    """Return accurate and eligible, of the shape of `accurate`; without phase B that is `accurate` itself.

    An ineligible response is inaccurate for every judge, even one whose call failed. If eligibility is unknown, all
    verdicts are missing: to drop only those of accurate responses would lower the score. Empty answers are ineligible
    by rule.
    """
    if verdicts.ineligible is None:
        return verdicts.accurate
    out = disqualified(verdicts.ineligible)[..., None]
    if verdicts.empty is not None:
        out = np.where(verdicts.empty[..., None], 1.0, out)
    return np.where(out == 1, 0.0, np.where(np.isnan(out), np.nan, verdicts.accurate))


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return means over examples in each resample: (examples, …) → (resamples, …), NaN left out of them.

    Examples are drawn, since the verdicts of several judges on one example are dependent. All models and judges share
    the resamples, from which their differences follow.
    """
    n, remainder = values.shape[0], values.shape[1:]
    flat = values.reshape(n, int(np.prod(remainder)))
    present = ~np.isnan(flat)
    filled = np.where(present, flat, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [(drawn.T @ filled) / (drawn.T @ present.astype(np.float64)) for drawn in draws(n, resamples, seed)]
    return np.concatenate(means).reshape(resamples, *remainder)
