"""The fused rank: several rankings combined by pairwise majority (FACTS Grounding, section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FusedRank:
    """Fused rank of a model."""

    rank: int | None
    """From 1; models that can't be separated share a rank. `None` where the average is withheld."""
    by: str
    """Rule that placed it: `majority`, `copeland` in a cycle, `average` after a tie, `tied`, or `none` without a rank.
    """


def wins(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return in how many columns each row is higher than each other one: (models, columns) → (models, models).

    A column in which one of the two has no score (NaN) does not count for the pair.
    """
    with np.errstate(invalid="ignore"):
        higher: NDArray[np.int64] = (scores[:, None, :] > scores[None, :, :]).sum(axis=-1)
    return higher


def fused_rank(scores: NDArray[np.float64], average: NDArray[np.float64]) -> tuple[FusedRank, ...]:
    """Return ranks of models from their scores by column, shape (models, columns), and their averages, shape (models,).

    Model a ranks before b when a is higher in more columns. Models that tie, or beat one another in a cycle, form a
    group that every other model is entirely before or after (the Smith set, found again among the rest). Within a
    group, the order is by the number of members beaten minus the number that beat it (Copeland), then by the average;
    models equal in both share the rank. Points added over columns (Borda) would not give the published ranks.
    """
    higher = wins(scores)
    beats = higher > higher.T
    standings: dict[int, FusedRank] = {}
    for group in _smith_sets(beats):
        inside = beats[np.ix_(group, group)]
        copeland = inside.sum(axis=1) - inside.sum(axis=0)
        keys = [(-int(won), -_low(average[m])) for won, m in zip(copeland, group, strict=True)]
        first = len(standings)
        for key, m in zip(keys, group, strict=True):
            rank = first + 1 + sum(other < key for other in keys)
            standings[m] = FusedRank(rank, _by(key, keys))
    return tuple(standings[m] for m in range(len(scores)))


def _by(key: tuple[int, float], keys: list[tuple[int, float]]) -> str:
    if len(keys) == 1:
        return "majority"
    if keys.count(key) > 1:
        return "tied"
    return "average" if sum(other[0] == key[0] for other in keys) > 1 else "copeland"


def _low(value: float) -> float:
    """Return the value without rounding errors; a model without an average comes after those with one."""
    return -np.inf if np.isnan(value) else round(float(value), 12)


def _smith_sets(beats: NDArray[np.bool_]) -> list[list[int]]:
    """Return the smallest groups such that each member beats every member of all later groups, the best first."""
    n = len(beats)
    reach = ~beats.T | np.eye(n, dtype=bool)  # a is not beaten by b
    for k in range(n):
        reach |= reach[:, [k]] & reach[[k], :]
    mutual = reach & reach.T
    order = sorted(range(n), key=lambda m: -int(reach[m].sum()))
    groups: list[list[int]] = []
    for m in order:
        if groups and mutual[m, groups[-1][0]]:
            groups[-1].append(m)
        else:
            groups.append([m])
    return groups
