"""Measures for labelled pairs: macro-F1, area under the ROC curve, balanced accuracy, accuracy, calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Measured(NamedTuple):
    """Figures of one system on one set. `irrelevant` counts as `not_enough_evidence`."""

    rows: int
    macro_f1: float
    """Mean F1 over the labels that the set has."""
    auroc: float | None
    """Supported against the rest."""
    balanced: float
    """Balanced accuracy, supported against the rest, by the label given."""
    accuracy: float
    ece: float | None
    """Expected calibration error of the label given, 15 bins (Guo et al. 2017, section 2)."""
    ece_support: float | None = None
    """The same of supported against the rest, whichever is likelier."""


def measure(gold: Ints, chances: Floats) -> Measured:
    """Figures from the chances of three outcomes, rows × 3, against 0 supported, 1 contradicted, 2 not enough."""
    predicted = chances.argmax(axis=1)
    return Measured(
        len(gold),
        macro_f1(gold, predicted),
        auroc(gold == 0, chances[:, 0]),
        balanced(gold == 0, predicted == 0),
        float((gold == predicted).mean()),
        ece(chances.max(axis=1), gold == predicted),
    )


def measure_labels(gold: Ints, predicted: Ints, score: Floats | None = None) -> Measured:
    """Return figures of a baseline that gives labels, and perhaps a score for supported, but no probabilities."""
    return Measured(
        len(gold),
        macro_f1(gold, predicted),
        None if score is None else auroc(gold == 0, score),
        balanced(gold == 0, predicted == 0),
        float((gold == predicted).mean()),
        None,
    )


def macro_f1(gold: Ints, predicted: Ints) -> float:
    """Return the mean F1 over the labels that occur in `gold`."""
    scores = []
    for label in np.unique(gold):
        hits = int(((gold == label) & (predicted == label)).sum())
        scores.append(2 * hits / int((gold == label).sum() + (predicted == label).sum()))
    return float(np.mean(scores))


def auroc(positive: NDArray[np.bool_], score: Floats) -> float:
    """Return the chance that a positive scores above a negative, ties counted half."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2
    n = int(positive.sum())
    others = len(positive) - n
    return float((rank[place][positive].sum() - n * (n + 1) / 2) / (n * others))


def balanced(positive: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    """Return the mean of the share found among positives and among negatives."""
    return float((predicted[positive].mean() + (~predicted[~positive]).mean()) / 2)


def ece(confidence: Floats, right: NDArray[np.bool_], bins: int = 15) -> float:
    """Return the expected calibration error with equal-width bins."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        (place == at).mean() * abs(confidence[place == at].mean() - right[place == at].mean())
        for at in np.unique(place)
    ]
    return float(np.sum(gaps))


def best_threshold(sets: Sequence[tuple[NDArray[np.bool_], Floats]]) -> float:
    """Return the threshold in hundredths with the best balanced accuracy, as the mean over sets."""
    return max(
        (cut / 100 for cut in range(1, 100)),
        key=lambda cut: np.mean([balanced(positive, score >= cut) for positive, score in sets]),
    )
