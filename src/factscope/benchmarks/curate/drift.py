"""Drift between a release and the last one as a whole: in its topics, and in its difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from factscope.core.records import Interval, Record
from factscope.scoring.intervals import RESAMPLES, percentiles
from factscope.scoring.means import Mean, mean
from factscope.scoring.paired_tests import PairedDifference, paired_difference

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95  # of the intervals


class Distance(Record):
    """Distance between two distributions over the same topics, in bits: 0 for the same, 1 when they share none."""

    value: float = Field(ge=0, le=1)
    """Jensen–Shannon divergence of the two samples (Lin 1991, section 4, with equal weights and logarithms to base 2).
    """
    corrected: float = Field(ge=0, le=1)
    """The same, corrected for small samples: twice the value minus its mean over the resamples, at least 0."""
    interval: Interval
    """Interval of `corrected`: the basic bootstrap (Efron and Tibshirani 1993, chapter 12), resampling both samples."""
    chance: float = Field(ge=0, le=1)
    """95th percentile of `value` if both samples came from the same distribution."""
    n_old: int = Field(ge=1)
    """Size of the first sample."""
    n_new: int = Field(ge=1)
    """Size of the second."""

    @property
    def beyond_chance(self) -> bool:
        """Return whether the two differ by more than two samples of one distribution would."""
        return self.value > self.chance


class Drift(Record):
    """One measure of one tier in both releases."""

    measure: str
    """`hallucination` or `factual_precision`."""
    tier: str | None
    """`None` for all tiers together."""
    old: Mean
    new: Mean
    difference: float | None
    """New minus old; `None` when one side is empty."""
    interval: Interval | None
    """Interval of the difference: bootstrap over the prompts of each release separately."""
    kept: PairedDifference
    """Prompts in both releases, compared with themselves: changes due to models and checking, not to the selection."""


def topic_distance(
    old: Mapping[int, int], new: Mapping[int, int], *, resamples: int = RESAMPLES, seed: int = 0
) -> Distance | None:
    """Return the distance of two distributions, given as counts by topic; `None` when one of them is empty."""
    names = sorted({*old, *new})
    old_counts, two = (np.array([side.get(name, 0) for name in names], dtype=np.int64) for side in (old, new))
    n, m = int(old_counts.sum()), int(two.sum())
    if not n or not m:
        return None
    random = np.random.default_rng(seed)
    observed = float(_divergence(old_counts / n, two / m))
    resampled = _divergence(
        random.multinomial(n, old_counts / n, resamples) / n, random.multinomial(m, two / m, resamples) / m
    )
    pooled = (old_counts + two) / (n + m)
    by_chance = _divergence(random.multinomial(n, pooled, resamples) / n, random.multinomial(m, pooled, resamples) / m)
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Distance(
        value=observed,
        corrected=_within(2 * observed - float(resampled.mean())),
        interval=Interval(
            low=_within(2 * observed - high), high=_within(2 * observed - low), level=LEVEL, method="bootstrap"
        ),
        chance=_within(float(np.quantile(by_chance, LEVEL))),
        n_old=n,
        n_new=m,
    )


_MOST = {"factual_precision": 1.0}
"""Largest values of measures that are shares."""


def drift(
    measure: str, tier: str | None, old: Mapping[str, float | None], new: Mapping[str, float | None], seed: int = 0
) -> Drift:
    """Compare one measure of the prompts of two releases, given by id. It is None where nothing could be judged."""
    both = [name for name in old if name in new]
    ends = [np.array([value for value in side.values() if value is not None]) for side in (old, new)]
    has_values = all(len(side) for side in ends)
    return Drift(
        measure=measure,
        tier=tier,
        old=mean(old.values(), most=_MOST.get(measure), seed=seed),
        new=mean(new.values(), most=_MOST.get(measure), seed=seed),
        difference=float(ends[1].mean() - ends[0].mean()) if has_values else None,
        interval=_difference(ends[0], ends[1], seed) if min(map(len, ends)) > 1 else None,
        kept=paired_difference([old[name] for name in both], [new[name] for name in both], seed=seed),
    )


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Jensen–Shannon divergence in bits along the last axis."""
    middle = (p + q) / 2
    return np.clip(_entropy(middle) - (_entropy(p) + _entropy(q)) / 2, 0.0, 1.0)


def _entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    entropy: NDArray[np.float64] = -(p * logs).sum(axis=-1)
    return entropy


def _within(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)


def _difference(old: NDArray[np.float64], new: NDArray[np.float64], seed: int) -> Interval | None:
    random = np.random.default_rng(seed)
    means = [side[random.integers(len(side), size=(RESAMPLES, len(side)))].mean(axis=1) for side in (old, new)]
    return percentiles(means[1] - means[0], min(len(old), len(new)), LEVEL)
