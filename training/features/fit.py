"""Fits the built-in verifier's trees and its temperature, and lays the trees out as plain arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.tree_model import LABELS, TreeModel, read_model
from factscope.judging.verifiers.wording.features import NAMES

from .data import SETS, Row

NAME = "builtin-features-1"
SETTINGS: dict[str, Any] = {
    "max_iter": 100,
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 60,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}
"""Chosen by the mean over left-out sets; larger trees gain on the training sets' own kind only."""


class Table(NamedTuple):
    """Rows as arrays."""

    rows: Sequence[Row]
    values: NDArray[np.float64]
    """Features, rows × features."""
    noisy: NDArray[np.float64]
    """Features of the same rows with distractor sentences; what is trained on."""

    @property
    def gold(self) -> NDArray[np.int64]:
        """Class number of each row."""
        return np.array([LABELS.index(row.label) for row in self.rows])

    def labelled(self, dataset: str) -> NDArray[np.bool_]:
        """Return a mask of the rows that this set labelled."""
        return np.array([row.dataset == dataset and not row.made for row in self.rows])


def fit(table: Table, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Return trees, bias and typical values from the chosen rows, as they are stored.

    Each set weighs the square root of its rows: large sets count more, but do not dominate the small ones.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    datasets = np.array([row.dataset for row in table.rows])
    weights = np.zeros(len(table.rows))
    for dataset in SETS:
        mine = chosen & (datasets == dataset)
        weights[mine] = 1.0 / np.sqrt(max(1, mine.sum()))
    weights /= weights[chosen].mean()
    trained = HistGradientBoostingClassifier(**SETTINGS).fit(
        table.noisy[chosen], table.gold[chosen], sample_weight=weights[chosen]
    )
    if list(trained.classes_) != list(range(len(LABELS))):
        raise ValueError("training rows lack one of the labels")
    return {
        "trees": lay_out(trained._predictors),
        "bias": _short(trained._baseline_prediction.ravel()),
        "typical": _short(np.median(table.values[chosen], axis=0)),
    }


def lay_out(rounds: Any) -> dict[str, Any]:
    """Return nodes of all trees end to end, a leaf pointing at itself."""
    roots: list[int] = []
    columns: dict[str, list[Any]] = {"feature": [], "threshold": [], "left": [], "right": [], "value": []}
    depth = 0
    for tree in (tree for one_round in rounds for tree in one_round):
        nodes, base = tree.nodes, len(columns["value"])
        roots.append(base)
        depth = max(depth, int(nodes["depth"].max()))
        for at, node in enumerate(nodes):
            leaf = bool(node["is_leaf"])
            columns["feature"].append(0 if leaf else int(node["feature_idx"]))
            columns["threshold"].append(0.0 if leaf else float(f"{node['num_threshold']:.9g}"))
            columns["left"].append(base + (at if leaf else int(node["left"])))
            columns["right"].append(base + (at if leaf else int(node["right"])))
            columns["value"].append(float(f"{node['value']:.6g}") if leaf else 0.0)
    return {"roots": roots, **columns, "depth": depth}


def _short(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


def stored(fitted: dict[str, Any], counts: tuple[dict[str, int], int], temperature: float, figures: Any) -> str:
    """Return the model file.

    Word weights: ln(passages / passages with the stem), to one decimal, of stems seen in three.
    """
    found, passages = counts
    stems: dict[str, list[str]] = {}
    for stem, count in sorted(found.items()):
        if count >= 3:
            stems.setdefault(f"{log(passages / count):.1f}", []).append(stem)
    content = {
        "name": NAME,
        "labels": LABELS,
        "features": NAMES,
        "temperature": round(temperature, 3),
        **fitted,
        "figures": figures,
        "idf": {
            "unknown": round(log(passages / 2), 1),
            "stems": {weight: " ".join(words) for weight, words in sorted(stems.items(), key=lambda e: float(e[0]))},
        },
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace('],"', '],\n"') + "\n"


def as_model(fitted: dict[str, Any], temperature: float = 1.0) -> TreeModel:
    """Return a fitted model without word weights, to be asked for probabilities."""
    return read_model(stored(fitted, ({}, 2), temperature, {}))


def leave_one_out(table: Table) -> dict[str, NDArray[np.float64]]:
    """Return uncalibrated probabilities for the labelled rows of each set, by a model that never saw that set.

    Nor did it see any row of the held-out part.
    """
    training = np.array([not row.held_out for row in table.rows])
    datasets = np.array([row.dataset for row in table.rows])
    return {
        dataset: as_model(fit(table, training & (datasets != dataset))).probabilities(
            table.values[table.labelled(dataset)]
        )
        for dataset in SETS
    }


def best_temperature(table: Table, left_out: dict[str, NDArray[np.float64]], without: str | None = None) -> float:
    """Return the temperature with the least log loss over the left-out sets except `without`, with equal weights.

    Uses no held-out row.
    """
    held_out = np.array([row.held_out for row in table.rows])

    def loss(temperature: float) -> float:
        losses = []
        for dataset, chances in left_out.items():
            if dataset != without:
                mine = table.labelled(dataset)
                scaled = warmed(chances, temperature)[~held_out[mine]]
                gold = table.gold[mine][~held_out[mine]]
                losses.append(float(-np.log(scaled[np.arange(len(scaled)), gold]).mean()))
        return sum(losses) / len(losses)

    return min((step / 20 for step in range(10, 121)), key=loss)


def warmed(chances: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities at another temperature."""
    scaled = np.exp(np.log(chances) / temperature)
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))
