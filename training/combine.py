"""The last sum of the built-in verifier: the network's logits and a few features that a person can check.

Fitted on held-out pairs only, since the network knows those that it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .labelled import Pair

Floats = NDArray[np.float64]


def fit_logistic(columns: Floats, positive: NDArray[np.bool_], weight: Floats, penalty: float, signs: Floats) -> Floats:
    """Fit weights and a bias (last) by Newton's method with an L2 penalty; a weight against its sign is dropped.

    `signs` holds 1 where more must speak for the positive class, -1 where against it, 0 where either may be.
    """
    used = np.arange(columns.shape[1])
    while True:
        result = _newton(columns[:, used], positive, weight, penalty)
        wrong = signs[used] * result[:-1]
        if not len(used) or wrong.min() >= 0:
            full = np.zeros(columns.shape[1] + 1)
            full[used], full[-1] = result[:-1], result[-1]
            return full
        used = np.delete(used, int(wrong.argmin()))


def _newton(columns: Floats, positive: NDArray[np.bool_], weight: Floats, penalty: float) -> Floats:
    spread = columns.std(axis=0) + 1e-9
    table = np.column_stack((columns / spread, np.ones(len(columns))))
    ridge = np.diag([penalty] * columns.shape[1] + [1e-6])
    theta = np.zeros(table.shape[1])
    for _ in range(60):
        chance = 1.0 / (1.0 + np.exp(-np.clip(table @ theta, -30, 30)))
        slope = table.T @ (weight * (chance - positive)) + ridge @ theta
        curve = (table * (weight * chance * (1 - chance))[:, None]).T @ table + ridge
        step = np.linalg.solve(curve, slope)
        theta -= step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(np.append(theta[:-1] / spread, theta[-1]))


def balance(pairs: Sequence[Pair], positive: NDArray[np.bool_], groups: Mapping[str, str]) -> Floats:
    """Weigh each group of sources, and each class in it, the same, so that no large set decides."""
    names = np.array([groups.get(pair.source, pair.source.split(":")[0]) for pair in pairs])
    weight = np.zeros(len(pairs))
    for name in np.unique(names):
        for side in (True, False):
            mine = (names == name) & (positive == side)
            if mine.any():
                weight[mine] = 1.0 / mine.sum()
    return np.asarray(weight / weight.mean())
