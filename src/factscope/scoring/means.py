"""A mean and a share with their uncertainty, for the tables of benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum

from pydantic import Field

from factscope.core.records import Interval, Record
from factscope.scoring.intervals import RESAMPLES, bootstrap_mean, bounded_mean, wilson

_DUST = 1e-12  # smaller differences are rounding


class Mean(Record):
    """A mean over responses or prompts of equal weight."""

    value: float | None
    """`None` without values."""
    n: int = Field(ge=0)
    """Number of values in it."""
    interval: Interval | None = None
    """Over them; `None` where there are too few."""


class Proportion(Record):
    """A count out of a total."""

    k: int = Field(ge=0)
    """The count."""
    n: int = Field(ge=0)
    """The total."""
    value: float | None
    """k / n; `None` when n is 0, or the share is withheld."""
    interval: Interval | None
    """Wilson's; `None` without a value."""


def mean(
    values: Iterable[float | None], *, most: float | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Mean:
    """Return the mean of the values that are not `None`, with its interval. Their order makes no difference.

    The interval is `bounded_mean`'s for values from 0 to `most`, such as shares with 1, and `bootstrap_mean`'s without
    `most`.
    """
    result = sorted(value for value in values if value is not None)
    if not result:
        return Mean(value=None, n=0)
    interval = (
        bootstrap_mean(result, resamples=resamples, seed=seed)
        if most is None
        else bounded_mean(result, most, resamples=resamples, seed=seed)
    )
    return Mean(value=fsum(result) / len(result), n=len(result), interval=interval)


def ranked(scores: Mapping[str, float | None]) -> dict[str, int]:
    """Return ranks from 1, the highest score first and missing scores last; ties share the better rank.

    Means that are equal as fractions are ties, even if rounding made them differ: (.1 + .2) / 2 and .3 / 2.
    """
    keys = {name: float("-inf") if score is None else score for name, score in scores.items()}
    return {name: 1 + sum(other - selected > _DUST for other in keys.values()) for name, selected in keys.items()}


def proportion(k: int, n: int) -> Proportion:
    """Return `k` of `n` with Wilson's interval. Raises ValueError unless 0 ≤ k ≤ n."""
    return Proportion(k=k, n=n, value=k / n if n else None, interval=wilson(k, n))
