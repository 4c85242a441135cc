"""Fits the two sums of the built-in verifier's mixture on sets that its encoder was not trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def fit_sum(
    said: Mapping[str, Floats], names: Sequence[str], positive: Bools, sets: NDArray[np.str_], penalty: float = 1.0
) -> dict[str, float]:
    """Weights of a logistic regression in which every class of every set weighs the same; none below 0.

    Each set and class the same, so that neither a large set nor a set's share of supported claims decides; none below
    0, since every voice is written so that more of it speaks for the claim. Newton's method with an L2 penalty.
    """
    chosen = list(names)
    while True:
        weights = _newton(np.column_stack([said[name] for name in chosen]), positive, _balance(positive, sets), penalty)
        worst = int(weights[:-1].argmin())
        if weights[worst] >= 0:
            return {"bias": float(weights[-1]), **dict(zip(chosen, weights[:-1].tolist(), strict=True))}
        del chosen[worst]


def _balance(positive: Bools, sets: NDArray[np.str_]) -> Floats:
    weight = np.zeros(len(sets))
    for name in np.unique(sets):
        for side in (True, False):
            mine = (sets == name) & (positive == side)
            if mine.any():
                weight[mine] = 1.0 / mine.sum()
    return np.asarray(weight / weight.mean())


def _newton(columns: Floats, positive: Bools, weight: Floats, penalty: float) -> Floats:
    """The bias comes last; the penalty is on the weights of columns of unit spread."""
    spread = columns.std(axis=0) + 1e-9
    table = np.column_stack((columns / spread, np.ones(len(columns))))
    ridge = np.diag([penalty] * columns.shape[1] + [1e-6])
    found = np.zeros(table.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (weight * (chance - positive)) + ridge @ found
        curve = (table * (weight * chance * (1 - chance))[:, None]).T @ table + ridge
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(np.append(found[:-1] / spread, found[-1]))
