"""The stored model: boosted decision trees as plain arrays, a temperature, word weights and its measured figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from factscope.core import Label, StoreError
from factscope.judging.verifiers.wording.features import NAMES, SIGNS
from factscope.judging.verifiers.wording.text_items import WordWeights

LABELS: tuple[Label, ...] = ("supported", "contradicted", "not_enough_evidence", "irrelevant")
"""The model's classes, in the order of its probabilities."""

FILE = "model.json"
_ROWS = 256  # rows at once, which fit the processor's cache


@dataclass(frozen=True)
class TreeEnsemble:
    """All trees, with their nodes concatenated.

    Tree `t` adds to class `t % classes`; a leaf points at itself.
    """

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float64]
    depth: int
    """Steps from any root to any leaf, at most."""
    classes: int = len(LABELS)

    def margins(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the leaves that each row of `values` (rows × features) falls in: rows × classes.

        This is gradient boosting with a softmax (Friedman 2001, section 4.6). It adds in a fixed order, so that a
        row gives the same sum alone and among others.
        """
        result = np.empty((len(values), self.classes))
        for start in range(0, len(values), _ROWS):
            block = values[start : start + _ROWS]
            node = np.broadcast_to(self.roots, (len(block), len(self.roots)))
            rows = np.arange(len(block))[:, None]
            for _ in range(self.depth):
                node = np.where(
                    block[rows, self.feature[node]] <= self.threshold[node], self.left[node], self.right[node]
                )
            leaves = self.value[node].reshape(len(block), -1, self.classes)
            result[start : start + _ROWS] = np.add.accumulate(leaves, axis=1)[:, -1]
        return result


@dataclass(frozen=True)
class TreeModel:
    """Everything in the file."""

    name: str
    """Name and version."""
    trees: TreeEnsemble
    bias: NDArray[np.float64]
    """Margin of each class before any tree."""
    temperature: float
    """Divides the margins (Guo et al. 2017, section 4.2); fitted on sets that were left out of training."""
    typical: NDArray[np.float64]
    """Median of each feature in training, which replaces a group of features that is left out."""
    weights: WordWeights
    figures: dict[str, Any]
    """Figures measured when it was trained."""

    def probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Calibrated probabilities, rows × 4 in the order of `LABELS`, for rows × features."""
        margins = (self.trees.margins(values) + self.bias) / self.temperature
        powers = np.exp(margins - margins.max(axis=1, keepdims=True))
        return cast("NDArray[np.float64]", powers / powers.sum(axis=1, keepdims=True))


def outcomes(probabilities: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of supported, contradicted and not settled from those of the labels: rows × 3.

    Not settled sums `not_enough_evidence` and `irrelevant`. A row whose likeliest outcome would be a contradiction
    without any of `SIGNS` is not settled either.
    """
    likely = np.column_stack((probabilities[:, :2], probabilities[:, 2:].sum(axis=1)))
    signed = (values[:, [NAMES.index(name) for name in SIGNS]] > 0).any(axis=1)
    unnamed = (likely.argmax(axis=1) == 1) & ~signed
    likely[unnamed, 2] += likely[unnamed, 1]
    likely[unnamed, 1] = 0.0
    return likely


def read_model(text: str | None = None) -> TreeModel:
    """Read the model in `text`, otherwise the one in the package. Raises StoreError when it is for other features."""
    stored = json.loads(text or files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    if tuple(stored["features"]) != NAMES or tuple(stored["labels"]) != LABELS:
        raise StoreError("The verifier's model file is for other features.", "Train it again: make verifier.")
    table = {stem: float(weight) for weight, stems in stored["idf"]["stems"].items() for stem in stems.split()}
    return TreeModel(
        name=stored["name"],
        trees=read_trees(stored["trees"]),
        bias=np.asarray(stored["bias"], np.float64),
        temperature=float(stored["temperature"]),
        typical=np.asarray(stored["typical"], np.float64),
        weights=WordWeights(table, float(stored["idf"]["unknown"])),
        figures=stored["figures"],
    )


def read_trees(stored: Mapping[str, Any], classes: int = len(LABELS)) -> TreeEnsemble:
    """Return trees from the columns in which they are stored."""
    types = {"threshold": np.float64, "value": np.float64}
    columns: dict[str, Any] = {
        name: np.asarray(values, types.get(name, np.int64)) for name, values in stored.items() if name != "depth"
    }
    return TreeEnsemble(**columns, depth=stored["depth"], classes=classes)
