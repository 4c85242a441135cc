"""Calibration of confidence: whether errors get higher probabilities of error, and whether these are true."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from factscope.core import group_by
from factscope.core.records import Record
from factscope.scoring.agreement import ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BINS = 10
"""Bins of equal width between 0 and 1."""


class Bin(Record):
    """The units whose probability of being wrong lies in one bin."""

    low: float
    """Lower end; belongs to the bin."""
    high: float
    """Upper end; belongs to it only when it is 1."""
    n: int = Field(ge=0)
    """Units in it."""
    stated: float | None
    """Mean stated probability; `None` without units."""
    seen: float | None
    """Share of units that are wrong; `None` without units."""


def reliability(p: Sequence[float], wrong: Sequence[bool], bins: int = BINS) -> tuple[Bin, ...]:
    """Return the reliability diagram: stated probability against the observed share of errors, bin by bin.

    `p` are probabilities of being wrong, 0 to 1. Raises ValueError for one outside, also NaN, and on unequal lengths.
    """
    rows = [(_checked(value), bool(is_wrong)) for value, is_wrong in zip(p, wrong, strict=True)]
    ends = [index / bins for index in range(1, bins)]
    by_bin = group_by(rows, lambda row: bisect_right(ends, row[0]))
    results = []
    for index in range(bins):
        n = len(by_bin[index])
        stated, seen = (sum(column) / n for column in zip(*by_bin[index], strict=True)) if n else (None, None)
        results.append(Bin(low=index / bins, high=(index + 1) / bins, n=n, stated=stated, seen=seen))
    return tuple(results)


def brier(p: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return the mean squared error of the probabilities (Brier 1950); lower is better, `None` without any."""
    squares = [(_checked(value) - bool(is_wrong)) ** 2 for value, is_wrong in zip(p, wrong, strict=True)]
    return sum(squares) / len(squares) if squares else None


def ece(p: Sequence[float], wrong: Sequence[bool], bins: int = BINS) -> float | None:
    """Return the expected calibration error (Guo et al. 2017).

    It is the difference between stated and observed, averaged over the bins and weighted by their size.
    """
    groups = reliability(p, wrong, bins)
    gaps = (abs(one.stated - one.seen) * one.n for one in groups if one.stated is not None and one.seen is not None)
    return sum(gaps) / len(p) if p else None


def auroc(p: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return the chance that an error has a higher probability than a right unit (Hanley and McNeil 1982).

    `None` when one class is missing.
    """
    import numpy as np

    ranked = Ranked(np.array([_checked(value) for value in p]), np.array(wrong, dtype=bool), np.arange(len(p)))
    value = ranked.auroc(np.ones((len(p), 1)))[0]
    return None if np.isnan(value) else float(value)


class Ranked:
    """Sorted probabilities, to compute `auroc` many times for different weights of the responses."""

    def __init__(self, p: NDArray[np.float64], wrong: NDArray[np.bool_], owner: NDArray[np.int64]) -> None:
        """`p`, `wrong` and `owner`, the response of each unit, have one element per unit."""
        import numpy as np

        right = np.flatnonzero(~wrong)
        right = right[np.argsort(p[right], kind="stable")]
        self.right, self.wrong = owner[right], owner[wrong]
        self.below = np.searchsorted(p[right], p[wrong], side="left")
        self.to = np.searchsorted(p[right], p[wrong], side="right")

    def auroc(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the area under the curve, (responses, resamples) → (resamples,); NaN where one class is missing."""
        import numpy as np

        upto = np.zeros((len(self.right) + 1, weights.shape[1]))
        np.cumsum(weights[self.right], axis=0, out=upto[1:])
        errors = weights[self.wrong]
        won = np.einsum("ij,ij->j", errors, upto[self.below]) + np.einsum("ij,ij->j", errors, upto[self.to])
        return ratio(won / 2, errors.sum(axis=0) * upto[-1])


def _checked(p: float) -> float:
    if not 0 <= p <= 1:  # true of nan too
        raise ValueError(f"{p} is not a probability")
    return p
