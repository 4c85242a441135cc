"""Whether two checkers differ on the same units by more than chance, in measures that are not means.

F1 has no value per response, so signs can't be flipped as in `paired_tests`. Instead, the answers of the two checkers
on a response are swapped with a probability of one half, which would change nothing if the checkers were equally good
(approximate randomisation: Noreen 1989; Yeh 2000). Whole responses are swapped, because their units depend on each
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.benchmarks.meta_eval.figures import AnswerGroup, MatchedAnswer
from factscope.core import Interval, Record
from factscope.scoring.detection import DETECTION_MEASURES
from factscope.scoring.intervals import RESAMPLES, draws, percentiles

Array = NDArray[np.float64]

COMPARED = ("f1", "balanced_accuracy", "accuracy", "mcc")
_DUST = 1e-12  # smaller differences are rounding
_PER_TEST = 200
"""Draws for each test that a p is corrected for: a tenth of `SIGNIFICANT` is then above the smallest p."""
MOST_DRAWS = 200_000
"""About ten seconds of 1,000 responses; 1,000 tests have that many draws each."""
_AS_FAR = 10
"""Number of differences at least as large as the observed one after which p is precise enough to stop (Besag and
Clifford 1991)."""


class Contrast(Record):
    """One measure of two checkers on the units that both answered; the difference is the second minus the first."""

    measure: str
    first: float | None
    second: float | None
    value: float | None
    """The difference; `None` where a measure is undefined."""
    interval: Interval | None = None
    """Bootstrap over responses, both checkers in the same resamples."""
    p: float | None = None
    """Two-sided p of the randomisation; never 0."""
    draws: int = Field(default=0, ge=0)
    """Number of random swaps behind p: 1 / (draws + 1) is its smallest possible value."""
    n: int = Field(ge=0)
    """Units that both answered."""
    n_samples: int = Field(ge=0)
    """Responses that contain these."""


def contrasts(
    first: Sequence[MatchedAnswer],
    second: Sequence[MatchedAnswer],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    tests: int = 1,
) -> tuple[Contrast, ...]:
    """Return the measures of `COMPARED` on two checkers' answers to the same units, in the same order.

    When `tests` are corrected together, each may need a smaller p. More draws are then made, until the p of every
    measure is precise enough or `MOST_DRAWS` is reached.
    """
    both = [(a, b) for a, b in zip(first, second, strict=True) if a.flagged is not None and b.flagged is not None]
    first_counts, second_counts = (AnswerGroup([pair[side] for pair in both], (), ()).counts for side in (0, 1))
    n_samples = len(first_counts)
    values = {
        name: [float(DETECTION_MEASURES[name](side.sum(axis=0))) for side in (first_counts, second_counts)]
        for name in COMPARED
    }
    observed = {name: after - before for name, (before, after) in values.items()}
    enough = max(resamples, min(_PER_TEST * tests, MOST_DRAWS))
    swapped = _swapped(first_counts, second_counts, observed, (resamples, enough), seed) if n_samples > 1 else {}
    redrawn = _redrawn(first_counts, second_counts, resamples, seed) if n_samples > 1 and resamples else None
    results = []
    for name in COMPARED:
        before, after, difference = (None if np.isnan(value) else value for value in (*values[name], observed[name]))
        as_far, n_drawn = swapped.get(name, (0, 0))
        results.append(
            Contrast(
                measure=name,
                first=before,
                second=after,
                value=difference,
                interval=percentiles(redrawn[name], n_samples) if redrawn and difference is not None else None,
                p=(as_far + 1) / (n_drawn + 1) if n_drawn else None,
                draws=n_drawn,
                n=len(both),
                n_samples=n_samples,
            )
        )
    return tuple(results)


def _differences(first: Array, second: Array) -> dict[str, Array]:
    return {name: DETECTION_MEASURES[name](second) - DETECTION_MEASURES[name](first) for name in COMPARED}


def _swapped(
    first: Array, second: Array, observed: Mapping[str, float], draws: tuple[int, int], seed: int
) -> dict[str, tuple[int, int]]:
    """Return, for each score, the number of swaps with a difference as large, and of swaps with any difference."""
    random = np.random.default_rng(seed)
    change = second - first
    counts = {name: (0, 0) for name, value in observed.items() if not np.isnan(value)}
    block, done = max(1, 1_000_000 // len(first)), 0
    while done < draws[0] or (done < draws[1] and any(as_far < _AS_FAR for as_far, _ in counts.values())):
        stay = random.integers(2, size=(min(block, draws[done >= draws[0]] - done), len(first))).astype(np.float64)
        moved = np.einsum("rn,nk->rk", stay, change)
        changed = _differences(second.sum(axis=0) - moved, first.sum(axis=0) + moved)
        for name, (as_far, of) in counts.items():
            values = changed[name]
            far = int(np.count_nonzero(np.abs(values) >= abs(observed[name]) - _DUST))
            counts[name] = as_far + far, of + int(np.count_nonzero(~np.isnan(values)))
        done += len(stay)
    return counts


def _redrawn(first: Array, second: Array, resamples: int, seed: int) -> dict[str, Array]:
    """Return the differences in resamples of responses."""
    pieces = [
        _differences(np.einsum("nk,nr->rk", first, weights), np.einsum("nk,nr->rk", second, weights))
        for weights in draws(len(first), resamples, seed)
    ]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in COMPARED}
