"""Whether two runs over the same responses differ by more than chance: tests on pairs, never on two groups.

A response that is hard for one run is hard for the other too, so only what changed within each response counts. The
tests ask how often chance alone, the two runs being alike, would bring a difference at least as large.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import fsum
from typing import Literal

from factscope.records import Interval, Record
from factscope.scores.intervals import bootstrap_mean

RESAMPLES = 10_000
EXACT = 16
"""Most differences whose signs are flipped in every way, 65,536 of them; of more, `RESAMPLES` ways are drawn."""
SIGNIFICANT = 0.05
"""What the p of a difference may be at most."""

_SIGNS_AT_ONCE = 1_000_000
_DUST = 1e-9
"""What the order of adding up may change, as a part of the sum of all magnitudes: such sums are equal."""

Finding = Literal["differs", "no_difference", "too_few"]
"""What a test comes to. `no_difference`: none beyond chance, which is not the same as none; `too_few`: so few pairs
that no difference whatever could have been told from chance."""


class Difference(Record):
    """The second run less the first, as a mean over the responses for which both have a value."""

    first: float | None = None
    """Mean of the first run over the pairs; `None` without a pair."""
    second: float | None = None
    """Mean of the second run over the pairs; `None` without a pair."""
    value: float | None = None
    """Mean of the differences, positive when the second run is higher; `None` without a pair."""
    interval: Interval | None = None
    """Paired bootstrap over responses; `None` with fewer than two pairs."""
    p: float | None = None
    """Two-sided p of `sign_flip`; `None` without a pair."""
    n: int = 0
    """Pairs: responses for which both runs have a value."""
    n_left_out: int = 0
    """Responses for which one run or both have none."""


def paired_difference(
    first: Sequence[float | None], second: Sequence[float | None], *, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two runs whose values stand in the same order, one per response. Raises ValueError on unequal lengths.

    Neither the order of the responses nor which run comes first makes a difference, but for the sign. With few pairs
    the interval is too narrow, see `factscope.scores.intervals`, so whether the runs differ is for `p` to say.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    n = len(pairs)
    n_left_out = len(first) - n
    if not n:
        return Difference(n_left_out=n_left_out)
    differences = [b - a for a, b in pairs]
    return Difference(
        first=fsum(a for a, _ in pairs) / n,
        second=fsum(b for _, b in pairs) / n,
        value=fsum(differences) / n,
        interval=_interval(differences, seed),
        p=sign_flip(differences, resamples=resamples, seed=seed),
        n=n,
        n_left_out=n_left_out,
    )


def sign_flip(differences: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Two-sided p of the permutation test on paired differences: were the runs alike, each sign would be a coin toss.

    p is the share of all ways to set the signs that bring a sum as far from 0 as the one seen (Fisher 1935, section
    21; Pitman 1937). With more than `EXACT` differences other than 0, `resamples` ways are drawn and p is (k + 1) /
    (resamples + 1), where k of them are as far: the one seen is one of them, so p is never 0 (Phipson and Smyth 2010).
    1 when there is no difference.
    """
    import numpy as np

    # A difference of 0 has no sign. Sorted, so that p depends on neither the order nor the direction of the pairs.
    sizes = np.sort(np.abs([value for value in differences if value]))
    total = float(sizes.sum())
    seen = abs(fsum(differences)) - _DUST * total
    if len(sizes) <= EXACT:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums + size, sums - size])
        return float(np.mean(np.abs(sums) >= seen))
    random = np.random.default_rng(seed)
    block = max(1, _SIGNS_AT_ONCE // len(sizes))
    as_far = 0
    for done in range(0, resamples, block):
        plus = random.integers(2, size=(min(block, resamples - done), len(sizes)), dtype=bool)
        as_far += int(np.count_nonzero(np.abs(2 * (plus @ sizes) - total) >= seen))
    return (as_far + 1) / (resamples + 1)


def mcnemar(gained: int, lost: int) -> float:
    """Two-sided p of McNemar's exact test: were the runs alike, each of the changes would be a coin toss.

    `gained` things are so only in the second run and `lost` only in the first; those that did not change say nothing
    (McNemar 1947; the tails of the binomial distribution as in Fay 2010). It takes the things for independent of one
    another. Never 0: a smaller p is the smallest number above it.
    """
    n = gained + lost
    ways, tail = 1, 0
    for k in range(min(gained, lost) + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, max(2 * tail / (1 << n), sys.float_info.min))


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Each p corrected for there being several, in the order given: at most 1, at least what it was.

    To call those at most 0.05 differences is wrong about any of them with a chance of at most 5 %, however the tests
    hang together (Holm 1979): the smallest p times their number, the next times one less, and none below the last.
    """
    corrected, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = least
    return tuple(corrected)


def finding(p: float | None, n: int, tests: int = 1) -> Finding:
    """What `p` of `sign_flip` over `n` pairs, corrected for there being so many `tests`, comes to.

    The smallest p that n pairs can bring is 2 / 2ⁿ.
    """
    if p is not None and p <= SIGNIFICANT:
        return "differs"
    return "too_few" if tests * 2.0 ** (1 - n) > SIGNIFICANT else "no_difference"


def _interval(differences: Sequence[float], seed: int) -> Interval | None:
    """The bootstrap interval of the mean, such that opposite differences have the opposite interval."""
    ordered, opposite = sorted(differences), sorted(0 - value for value in differences)
    turned = opposite < ordered
    found = bootstrap_mean(opposite if turned else ordered, seed=seed)
    return found.model_copy(update={"low": 0 - found.high, "high": 0 - found.low}) if found and turned else found
