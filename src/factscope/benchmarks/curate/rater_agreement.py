"""The reliability of usefulness: the agreement of two models on it, and the effect of each criterion.

Reviewers of FactBench found the criteria and their equal weights unjustified (R12); a release reports these figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from factscope.benchmarks.curate.baselines import CRITERIA
from factscope.scoring.agreement import pearson, raw_agreement, spearman
from factscope.scoring.intervals import clustered_bootstrap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RESAMPLES = 500  # the intervals are shown with two digits
_DUST = 1e-9  # smaller differences are rounding

Scores = Mapping[str, int]
"""Ratings of one model: a whole number for each criterion."""


def agreement(rated: Sequence[Sequence[Scores]]) -> dict[str, Any]:
    """Measure the agreement of the first two models, by criterion and for their sum: one row per prompt, both read.

    Correlations with a bootstrap interval over prompts, the share of equal scores, and the mean difference, first
    minus second; `None` where undefined.
    """
    figures = {}
    for name in (*CRITERIA, "sum"):
        first, second = ([_value(row[rater], name) for row in rated] for rater in (0, 1))
        figures[name] = {
            "n": len(rated),
            "pearson": pearson(first, second),
            "pearson_interval": _interval(first, second),
            "spearman": spearman(first, second),
            "equal": raw_agreement(first, second),
            "mean_difference": (sum(first) - sum(second)) / len(first) if first else None,
        }
    return figures


def ablation(read: Sequence[Sequence[Scores]], thresholds: Sequence[float]) -> dict[str, Any]:
    """Count the prompts that would pass without each criterion, and their overlap with those that pass now.

    `read` holds for each prompt the scores of the models that could be read, `thresholds` the one of its tier. The
    overlap is Jaccard's; `None` when nothing passes either way.
    """
    full = _passing(read, thresholds, CRITERIA)
    passing_without: dict[str, Any] = {"all": {"passing": len(full)}}
    for left_out in CRITERIA:
        without_criterion = _passing(read, thresholds, [name for name in CRITERIA if name != left_out])
        either = len(full | without_criterion)
        passing_without[f"without {left_out}"] = {
            "passing": len(without_criterion),
            "overlap": len(full & without_criterion) / either if either else None,
        }
    return passing_without


def _passing(read: Sequence[Sequence[Scores]], thresholds: Sequence[float], criteria: Sequence[str]) -> set[int]:
    return {
        index
        for index, (scores, least) in enumerate(zip(read, thresholds, strict=True))
        if scores and sum(score[name] for score in scores for name in criteria) / (len(criteria) * len(scores)) >= least
    }


def _value(scores: Scores, name: str) -> int:
    return sum(scores[criterion] for criterion in CRITERIA) if name == "sum" else scores[name]


def _interval(first: Sequence[int], second: Sequence[int]) -> list[float] | None:
    """Return a 95 % interval of Pearson's correlation; `None` where it is undefined."""
    import numpy as np

    if pearson(first, second) is None:
        return None
    x, y = ((np.array(side, dtype=np.float64) - np.mean(side)) / np.std(side) for side in (first, second))
    rows = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])

    def correlation(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        n, x, y, xx, yy, xy = sums.T
        spread = np.maximum((n * xx - x * x) * (n * yy - y * y), 0)
        return np.where(spread > _DUST, (n * xy - x * y) / np.sqrt(np.maximum(spread, _DUST)), np.nan)

    interval = clustered_bootstrap(rows, correlation, resamples=_RESAMPLES)
    return None if interval is None else [interval.low, interval.high]
