"""Trains the features of the built-in verifier, measures them, and writes their model file and cards.

    python -m training.features.train --data ../shared/data

Two measures are taken. *Held out*: 15 % of the groups of each set, a group being all rows that share a claim or a
passage. *Left out*: each set by a model trained without it, the better guide to text of another kind. One thread, a
fixed seed and rounded numbers: two trainings with the same library versions write the same bytes.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before the library that reads it: sums in one order, and no spinning threads

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.tree_model import FILE, TreeModel, outcomes, read_model
from factscope.judging.verifiers.wording.features import NAMES, compare
from factscope.judging.verifiers.wording.text_items import WordWeights
from training.labelled import must_have

from .cards import figures_text, write_cards
from .data import SETS, Row, count_words, load_rows, read_rows
from .fit import Table, as_model, best_temperature, fit, leave_one_out, stored, warmed
from .made import edited, off_topic, with_distractors
from .measure import Measured, best_threshold, measure, measure_labels

PACKAGE = Path(__file__).parents[2] / "src" / "factscope" / "judging" / "verifiers" / "builtin"


def main() -> int:
    """Run; return the exit status."""
    parser = argparse.ArgumentParser(description="Train the features of the built-in verifier, measure, write.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of claim_*.jsonl")
    options = parser.parse_args()
    must_have(options.data)
    rows = load_rows(options.data)
    counts = count_words(row for row in rows if not row.held_out)
    text = train([*rows, *off_topic(rows), *edited(rows)], counts)
    (PACKAGE / FILE).write_text(text, encoding="utf-8")
    figures = read_model(text).figures
    write_cards(PACKAGE, options.data, rows, figures)
    print(figures_text(figures))
    return 0


def train(rows: list[Row], counts: tuple[dict[str, int], int]) -> str:
    """Return the model file's text: trees, temperature from left-out sets, word weights and figures."""
    weights = read_model(stored(EMPTY, counts, 1.0, {})).weights
    table = tabulate(rows, weights)
    chances = leave_one_out(table)
    temperature = best_temperature(table, chances)
    fitted = fit(table, np.array([not row.held_out for row in rows]))
    figures = {
        "held_out": held_out(table, as_model(fitted, temperature)),
        "left_out": left_out(table, chances),
        "rows": {dataset: int(table.labelled(dataset).sum()) for dataset in SETS},
        "made": {kind: sum(row.made == kind for row in rows) for kind in ("off_topic", "silent", "edited")},
    }
    return stored(fitted, counts, temperature, figures)


EMPTY: dict[str, Any] = {
    "trees": {key: [] for key in ("roots", "feature", "threshold", "left", "right", "value")} | {"depth": 0},
    "bias": [0.0] * 4,
    "typical": [0.0] * len(NAMES),
}


def tabulate(rows: list[Row], weights: WordWeights) -> Table:
    """Return features of all rows, plain and with distractors."""

    def features(chosen: list[Row]) -> NDArray[np.float64]:
        return np.array([compare(claim, passage).values for claim, passage in read_rows(chosen, weights)])

    return Table(rows, features(rows), features(with_distractors(rows)))


def held_out(table: Table, model: TreeModel) -> dict[str, Any]:
    """Return figures of the model and two baselines on the held-out part of each set."""
    side = np.array([row.held_out for row in table.rows])
    overlap = table.values[:, NAMES.index("cover_window")]
    training = [table.labelled(dataset) & ~side for dataset in SETS]
    threshold = best_threshold([(table.gold[chosen] == 0, overlap[chosen]) for chosen in training])
    figures: dict[str, Any] = {"model": {}, "overlap": {}, "majority": {}}
    for dataset in SETS:
        mine = table.labelled(dataset) & side
        _add(figures, table, dataset, mine, model.probabilities(table.values[mine]), threshold)
    mistaken = {}
    for kind in ("off_topic", "silent"):
        made = np.array([row.made == kind for row in table.rows]) & side
        wrong = outcomes(model.probabilities(table.values[made]), table.values[made]).argmax(axis=1) < 2
        mistaken[kind] = round(float(wrong.mean()), 3)
    return {**_means(figures), "mistaken": mistaken}


def left_out(table: Table, chances: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
    """Return figures on all rows of each set by a model, temperature and threshold that never saw it."""
    overlap = table.values[:, NAMES.index("cover_window")]
    figures: dict[str, Any] = {"model": {}, "overlap": {}, "majority": {}}
    for dataset in SETS:
        mine = table.labelled(dataset)
        others = [table.labelled(other) for other in SETS if other != dataset]
        threshold = best_threshold([(table.gold[chosen] == 0, overlap[chosen]) for chosen in others])
        calibrated = warmed(chances[dataset], best_temperature(table, chances, without=dataset))
        _add(figures, table, dataset, mine, calibrated, threshold)
    return _means(figures)


def _add(
    figures: dict[str, Any],
    table: Table,
    dataset: str,
    mine: NDArray[np.bool_],
    chances: NDArray[np.float64],
    threshold: float,
) -> None:
    gold = table.gold[mine]
    overlap = table.values[mine][:, NAMES.index("cover_window")]
    likely = outcomes(chances, table.values[mine])
    if not (gold == 1).any():  # a set of two classes: its "not enough" holds the contradicted ones too
        likely = np.column_stack((likely[:, 0], np.zeros(len(likely)), likely[:, 1] + likely[:, 2]))
    most = np.full(len(gold), np.bincount(gold).argmax())
    figures["model"][dataset] = _plain(measure(gold, likely))
    figures["overlap"][dataset] = _plain(measure_labels(gold, np.where(overlap >= threshold, 0, 2), overlap))
    figures["majority"][dataset] = _plain(measure_labels(gold, most))


def _plain(measured: Measured) -> dict[str, float | None]:
    return {name: value if value is None else round(value, 3) for name, value in measured._asdict().items()}


def _means(figures: dict[str, Any]) -> dict[str, Any]:
    """Add the mean over all sets, and over those that word overlap does not nearly solve."""
    for system in figures.values():
        sets = dict(system)
        for name, left in (("mean", ()), ("mean without feverous, begin", ("feverous", "begin"))):
            chosen = [figure for dataset, figure in sets.items() if dataset not in left]
            system[name] = {
                key: None if chosen[0][key] is None else round(float(np.mean([figure[key] for figure in chosen])), 3)
                for key in chosen[0]
            }
            system[name]["rows"] = sum(figure["rows"] for figure in chosen)
    return figures


if __name__ == "__main__":
    sys.exit(main())
