"""Confidence intervals. Each is `None` where there is no uncertainty to estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from factscope.core.records import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000  # enough for two digits of a 95 % interval
FEWEST = 10
"""Fewest clusters for which percentiles of a bootstrap are shown: of simulated shares of responses, a 95 % interval
contained the truth in 88 % of cases with 5, in 92 % with 10 and in 93 % with 50."""
_FEWEST_BOUNDED = 2  # with one value there is no spread to estimate
_ROUNDING = 1e-9  # smaller differences are rounding
_DRAWS_AT_ONCE = 1_000_000
"""Most items drawn in one step: 8 MB of indices."""


def wilson(k: float, n: float, level: float = 0.95) -> Interval | None:
    """Return Wilson's interval for a share of `k` out of `n`; `None` when `n` is 0. Raises ValueError unless 0 ≤ k ≤ n.

    Never leaves [0, 1], and is not empty at 0 or 1 as Wald's is (Wilson 1927; Brown, Cai and DasGupta 2001).
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} out of {n} is not a share")
    if n == 0:
        return None
    z, p = _z(level), k / n
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the bound is p itself; rounding must not push it past.
    low = 0.0 if k == 0 else max((centre - half) / scale, 0.0)
    high = 1.0 if k == n else min((centre + half) / scale, 1.0)
    return Interval(low=low, high=high, level=level, method="wilson")


def wald(p: float, n: float, level: float = 0.95) -> Interval | None:
    """Return the normal interval p ± z·√(p(1−p)/n), cut to [0, 1]; `None` when `n` is 0.

    Raises ValueError unless 0 ≤ p ≤ 1.

    Only to compare with figures published with it (FACTS Grounding, tables 5 and 6); `wilson` is better.
    """
    if not 0 <= p <= 1 or n < 0:
        raise ValueError(f"{p} of {n} is not a share")
    if n == 0:
        return None
    half = _z(level) * sqrt(p * (1 - p) / n)
    return Interval(low=max(p - half, 0.0), high=min(p + half, 1.0), level=level, method="wald")


def clustered_bootstrap(
    rows: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Interval | None:
    """Return the percentile bootstrap over clusters, such as responses, whose parts are not independent.

    `rows` has shape (clusters, statistics): the contributions of each cluster to the sums behind the number, such as
    (supported, judged). `statistic` maps sums of shape (resamples, statistics) to values of shape (resamples,), so a
    resample only adds rows up. NaN values, where a resample has nothing to count, are left out. `None` with fewer than
    `FEWEST` clusters, when every value is NaN, or when all are the same, which does not mean certainty.
    """
    import numpy as np

    _z(level)  # refuses a level outside (0, 1)
    if rows.ndim != 2:
        raise ValueError(f"rows must have the shape (clusters, statistics), not {rows.shape}")
    n = len(rows)
    if n < FEWEST:
        return None
    random = np.random.default_rng(seed)
    sums = np.concatenate([rows[random.integers(n, size=(size, n))].sum(axis=1) for size in blocks(resamples, n)])
    with np.errstate(invalid="ignore", divide="ignore"):
        values = statistic(sums)
    return percentiles(values, n, level)


def draws(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield how often each of `n` clusters is drawn, in blocks of shape (n, some resamples), `resamples` in all.

    A resample of many statistics is then one product of matrices, and all of them share the resamples.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    for size in blocks(resamples, n):
        sampled = random.integers(n, size=(size, n)) * size + np.arange(size)[:, None]
        yield np.bincount(sampled.ravel(), minlength=size * n).reshape(n, size).astype(np.float64)


def blocks(resamples: int, n: int) -> Iterator[int]:
    """Yield the numbers of resamples of `n` items that are drawn at once, which bounds the memory they take."""
    block = max(1, min(resamples, _DRAWS_AT_ONCE // max(n, 1)))
    for done in range(0, resamples, block):
        yield min(block, resamples - done)


def bootstrap_mean(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> Interval | None:
    """Run `clustered_bootstrap` on the mean of values, one for each cluster."""
    import numpy as np

    rows = np.column_stack([values, np.ones(len(values))])
    return clustered_bootstrap(rows, lambda sums: sums[:, 0] / sums[:, 1], resamples=resamples, seed=seed)


def bounded_mean(
    values: Sequence[float], most: float = 1.0, *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """Return the Bayesian bootstrap of the mean of values from 0 to `most`, one for each cluster.

    It is `None` with fewer than two clusters.

    Half an observation at either end of the range is added to those seen (Rubin 1981; Jeffreys' prior), so that the
    interval is not empty where all values are the same, as a percentile bootstrap is. For zeros and ones it is
    Jeffreys' interval for a share (Brown, Cai and DasGupta 2001). Raises ValueError for a value out of range.
    """
    import numpy as np

    observed = np.sort(np.asarray(values, dtype=np.float64))
    if len(observed) < _FEWEST_BOUNDED:
        return None
    if observed[0] < 0 or observed[-1] > most * (1 + _ROUNDING):
        raise ValueError(f"values lie between 0 and {most:g}, and {observed[0]:g} to {observed[-1]:g} do not")
    points = np.concatenate([observed, [0.0, most]])
    shapes = np.concatenate([np.ones(len(observed)), [0.5, 0.5]])
    random = np.random.default_rng(seed)
    means = []
    for size in blocks(resamples, len(points)):
        weights = random.standard_gamma(shapes, size=(size, len(points)))
        means.append(weights @ points / weights.sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    mean = float(observed.mean())  # at an end of the range the interval reaches it
    return Interval(low=min(float(low), mean), high=max(float(high), mean), method="bayesian")


def percentiles(values: NDArray[np.float64], n: int, level: float = 0.95) -> Interval | None:
    """Return the interval with the middle share `level` of numbers resampled from `n` clusters, without NaN.

    The percentiles are those at which a normal interval is as wide as Student's with n - 1 degrees of freedom: the
    plain ones are too narrow with few clusters (Hesterberg 2015, section 5.3). `None` with fewer than `FEWEST`
    clusters, without a number, and where all are the same.
    """
    import numpy as np

    defined = values[~np.isnan(values)]
    if n < FEWEST or not len(defined):
        return None
    tail = NormalDist().cdf(-sqrt(n / (n - 1)) * _student(level, n - 1))
    low, high = np.quantile(defined, [tail, 1 - tail])
    if high - low <= _ROUNDING * max(abs(low), abs(high)):
        return None
    return Interval(low=float(low), high=float(high), level=level, method="bootstrap")


def _student(level: float, degrees: int) -> float:
    """Return the quantile of Student's distribution, by the expansion of Cornish and Fisher.

    It is accurate to 1 % from four degrees of freedom on.
    """
    z = _z(level)
    terms: tuple[float, ...] = (
        1.0,
        (z**2 + 1) / 4,
        (5 * z**4 + 16 * z**2 + 3) / 96,
        (3 * z**6 + 19 * z**4 + 17 * z**2 - 15) / 384,
    )
    return z * fsum(term / float(degrees) ** power for power, term in enumerate(terms))


def _z(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"a confidence level must be between 0 and 1, not {level}")
    return NormalDist().inv_cdf((1 + level) / 2)
