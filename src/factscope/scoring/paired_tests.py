"""Whether two runs over the same responses differ by more than chance: paired tests, never tests of two groups.

A response that is hard for one run is hard for the other too, so only the differences within each response count. The
tests ask how often chance alone would bring a difference at least as large if the two runs were alike.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Literal, TypeVar

from factscope.core.records import Interval, Record
from factscope.scoring.intervals import blocks, bootstrap_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000  # the smallest p that can be drawn is 1 / 10,001
EXACT = 16
"""Most differences for which all combinations of signs are tried, 65,536 of them."""
SIGNIFICANT = 0.05
"""Largest p of a significant difference."""

_MOST_PARTS = 720
"""Largest denominator of a common step: enough for the shares of up to six judges, with any of them missing, and more.
"""
_MOST_COUNTED = 500_000_000
"""Most additions of an exact computation: about a second."""
_STEEPEST = 40.0
"""Where tanh is 1 to the last digit, so that no steeper tilt moves the expected sum."""
_HALVINGS = 60  # of an interval of doubles, to the last digit
_DUST = 1e-9
"""Rounding error of a difference, and of a sum as a part of its absolute terms: values within it count as equal."""

P = TypeVar("P", float, float | None)
Finding = Literal["differs", "no_difference", "too_few", "too_few_draws"]
"""Result of a test. `no_difference`: none beyond chance, which does not prove that there is none; `too_few`: so few
pairs that no difference could be significant; `too_few_draws`: so few resamples."""


class PairedDifference(Record):
    """The second run minus the first, as a mean over the responses for which both have a value."""

    first: float | None = None
    """Mean of the first run over the pairs; `None` without a pair."""
    second: float | None = None
    """Mean of the second run over the pairs; `None` without a pair."""
    value: float | None = None
    """Mean of the differences, positive when the second run is higher; `None` without a pair."""
    interval: Interval | None = None
    """Paired bootstrap over responses; `None` with few pairs, and where all differences are equal."""
    p: float | None = None
    """Two-sided p of `sign_flip`; `None` without a pair."""
    n: int = 0
    """Pairs: responses for which both runs have a value."""
    n_left_out: int = 0
    """Responses for which one run or both have no value."""


def paired_difference(
    first: Sequence[float | None], second: Sequence[float | None], *, resamples: int = RESAMPLES, seed: int = 0
) -> PairedDifference:
    """Compare two runs with values in the same order, one per response. Raises ValueError on unequal lengths.

    The order of the responses makes no difference; exchanging the runs only changes the sign.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    n = len(pairs)
    n_left_out = len(first) - n
    if not n:
        return PairedDifference(n_left_out=n_left_out)
    differences = [b - a if abs(b - a) > _DUST else 0.0 for a, b in pairs]
    return PairedDifference(
        first=fsum(a for a, _ in pairs) / n,
        second=fsum(b for _, b in pairs) / n,
        value=fsum(differences) / n,
        interval=_interval(differences, seed),
        p=sign_flip(differences, resamples=resamples, seed=seed),
        n=n,
        n_left_out=n_left_out,
    )


def sign_flip(differences: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Return the two-sided p of the permutation test on paired differences.

    If the runs were alike, each sign would be random.

    p is the share of all ways to set the signs that give a sum at least as far from 0 as the observed one (Fisher 1935,
    section 21; Pitman 1937). It is counted exactly with at most `EXACT` differences other than 0, and with any number
    of them that are multiples of one step, as those of shares of a few judges are (Pagano and Tritchler 1983). For
    others, `resamples` ways are drawn, tilted towards the observed sum and reweighted (Siegmund 1976), so that p has no
    lower limit and a small p is as accurate as a large one. 1 when there is no difference; never 0.
    """
    import numpy as np

    signed = [value for value in differences if abs(value) > _DUST]  # a difference of 0 has no sign
    sizes = np.sort(np.abs(signed))  # sorted, so that p depends on neither the order nor the direction of the pairs
    total = float(sizes.sum())
    observed = abs(fsum(signed)) - _DUST * total
    if observed <= 0:
        return 1.0
    if len(sizes) <= EXACT:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums + size, sums - size])
        return float(np.mean(np.abs(sums) >= observed))
    steps = _steps(sizes)
    p = _drawn_tail(sizes, observed, resamples, seed) if steps is None else _counted_tail(steps, observed / total)
    return min(1.0, max(p, sys.float_info.min))


def _steps(sizes: Floats) -> NDArray[np.int64] | None:
    """Return the sizes as multiples of a common step, if there is one and the sums are few enough to count."""
    import numpy as np

    for pieces in range(1, _MOST_PARTS + 1):
        complete = np.rint(sizes * pieces)
        if np.all(np.abs(sizes * pieces - complete) <= _DUST * pieces):
            steps = complete.astype(np.int64)
            steps //= np.gcd.reduce(steps)
            return steps if len(steps) * int(steps.sum()) <= _MOST_COUNTED else None
    return None


def _counted_tail(steps: NDArray[np.int64], observed: float) -> float:
    """Return the share of ways whose sum is at least `observed` of the largest, either way; all terms are positive."""
    import numpy as np

    total = int(steps.sum())
    chance = np.zeros(total + 1)
    chance[0], top = 1.0, 0
    for step in steps.tolist():
        chance[: top + 1] /= 2
        moved = chance[: top + 1].copy()
        chance[step : top + step + 1] += moved
        top += step
    sums = np.abs(2 * np.arange(total + 1) - total)
    return fsum(chance[sums >= observed * total])


def _drawn_tail(sizes: Floats, observed: float, resamples: int, seed: int) -> float:
    """Return the chance of a sum as far from 0 as `observed`, from draws in which such sums are common.

    The signs are tilted towards either side by halves, so the weight of a sum is that of the mixture (Owen and Zhou
    2000): without a tilt each counts as it is.
    """
    import numpy as np

    tilt = _tilt(sizes, observed)
    pull = tilt * sizes
    level = float(np.sum(np.logaddexp(pull, -pull) - np.log(2)))
    random = np.random.default_rng(seed)
    plus = 1 / (1 + np.exp(-2 * pull))
    results = []
    for size in blocks(resamples, len(sizes)):
        sampled = random.random((size, len(sizes))) < plus
        sums = 2 * (sampled @ sizes) - sizes.sum()
        far = tilt * sums[np.abs(sums) >= observed]
        results.append(float(np.exp(level - np.logaddexp(far, -far) + np.log(2)).sum()))
    return fsum(results) / resamples


def _tilt(sizes: Floats, observed: float) -> float:
    """Return the exponential tilt under which the expected sum is `observed`."""
    import numpy as np

    low, high = 0.0, 1 / float(sizes[-1])
    while float(np.sum(sizes * np.tanh(high * sizes))) < observed and high * float(sizes[0]) < _STEEPEST:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(np.sum(sizes * np.tanh(middle * sizes))) < observed else (low, middle)
    return low


def mcnemar(gained: int, lost: int) -> float:
    """Return the two-sided p of McNemar's exact test: if the runs were alike, each change would be a coin toss.

    `gained` items are positive only in the second run, `lost` only in the first; unchanged ones do not count (McNemar
    1947; the tails of the binomial distribution as in Fay 2010). Items are treated as independent. Never 0: a smaller p
    becomes the smallest number above it.
    """
    n = gained + lost
    ways, tail = 1, 0
    for k in range(min(gained, lost) + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, max(2 * tail / (1 << n), sys.float_info.min))


def holm(ps: Sequence[P]) -> tuple[P, ...]:
    """Return each p corrected for multiple tests, in the given order; at most 1, and never smaller than before.

    A `None`, where there was nothing to test, stays and is not counted. Calling all p of at most 0.05 differences is
    wrong about any of them with a probability of at most 5 %, however the tests depend on each other (Holm 1979): the
    smallest p times their number, the next times one less, and none below the previous one.
    """
    tested = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    corrected, least = list(ps), 0.0
    for rank, (p, i) in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - rank) * p))
        corrected[i] = least
    return tuple(corrected)


def finding(p: float | None, n: int, tests: int = 1, draws: int | None = None) -> Finding:
    """Interpret a `p` over `n` pairs, corrected for this number of `tests`.

    The smallest possible p with n pairs is 2 / 2ⁿ, and with random draws 1 / (`draws` + 1); where even that would be
    above `SIGNIFICANT`, the test can't decide. Leave `draws` out for a p without such a limit, as of `sign_flip`.
    """
    if p is not None and p <= SIGNIFICANT:
        return "differs"
    if tests * 2.0 ** (1 - n) > SIGNIFICANT:
        return "too_few"
    return "too_few_draws" if draws is not None and tests / (draws + 1) > SIGNIFICANT else "no_difference"


def _interval(differences: Sequence[float], seed: int) -> Interval | None:
    """Return the bootstrap interval of the mean, such that exchanging the runs gives the mirrored interval."""
    ordered, opposite = sorted(differences), sorted(0 - value for value in differences)
    turned = opposite < ordered
    result = bootstrap_mean(opposite if turned else ordered, seed=seed)
    return result.model_copy(update={"low": 0 - result.high, "high": 0 - result.low}) if result and turned else result
