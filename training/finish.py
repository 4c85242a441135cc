"""Export a trained network, fit the last sum on held-out pairs, measure it and write both into the package.

python -m training.finish --data ../shared/data --weights build/verifier/three.pt --name builtin-4
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.cross_encoder import FILE as ENCODER
from factscope.judging.verifiers.builtin.cross_encoder import Texts, logits, open_encoder
from factscope.judging.verifiers.builtin.features import compare, read
from factscope.judging.verifiers.builtin.hybrid import (
    FILE,
    Mixture,
    apply_rules,
    mix,
    mixture_inputs,
    read_sentences,
    text_of,
    to_read,
)
from factscope.judging.verifiers.builtin.tree_model import read_model

from .combine import balance, fit_logistic
from .families import FOLDER, fill, read_families
from .labelled import LABELS, Pair, read_pairs
from .made import off_topic
from .train import SEED

PACKAGE = Path(__file__).parents[1] / "src" / "factscope" / "judging" / "verifiers" / "builtin"
FAMILY_FILLS = 2
HUMAN_ROWS = 2500
"""Held-out rows of labelled sets that are used; more change the weights by less than a hundredth."""
EASY_ROWS = 300
PENALTY = 3.0
SUPPORT = {
    "encoder_support": 1,
    "encoder_contradiction": 0,
    "cover_window": 1,
    "number_missing": -1,
    "number_conflict": -1,
    "year_conflict": -1,
    "month_conflict": -1,
    "name_missing": -1,
    "missing_word": -1,
    "negation_differs": -1,
    "opposite_any": -1,
}
"""Inputs of the first sum and the sign that each must have (0: either): no weight may say the opposite of its name."""
CONTRADICTION = {
    "encoder_support": 0,
    "encoder_contradiction": 1,
    "cover_window": 1,
    "number_conflict": 1,
    "year_conflict": 1,
    "month_conflict": 1,
    "missing_word": -1,
    "negation_differs": 1,
    "opposite_any": 1,
    "name_slot": 1,
}
"""Inputs of the second sum and their signs."""

Floats = NDArray[np.float64]


def held_out(folder: Path, families: Path) -> list[Pair]:
    """Return pairs that no network was trained on: human-labelled ones, families, off-topic ones."""
    chance = random.Random(SEED)
    rows = [row for row in read_pairs(folder) if row.held_out]
    drawn = [pair for family in read_families(families) for _ in range(FAMILY_FILLS) for pair in fill(family, chance)]
    human = chance.sample(rows, min(len(rows), HUMAN_ROWS))
    return [*human, *(pair for pair in drawn if pair.held_out), *off_topic(rows, EASY_ROWS, chance)]


def read_inputs(pairs: Sequence[Pair], encoder: Path) -> list[dict[str, float] | None]:
    """Return the inputs of the sums for each pair; None where a rule decides, or nothing can be compared."""
    weights, session = read_model().weights, open_encoder(encoder)
    rows: list[dict[str, float] | None] = []
    for pair in pairs:
        sentence, passage = read_sentences(pair.claim, weights)[0], read(pair.passage, weights)
        comparison = compare(sentence, passage)
        chosen = to_read(sentence, passage, comparison)
        if not chosen or apply_rules(text_of(sentence), passage.text):
            rows.append(None)
            continue
        scores = logits([Texts(text_of(sentence), chunk.of(passage)) for chunk in chosen], session)
        rows.append(mixture_inputs(comparison, scores))
    return rows


def fit_mixture(name: str, pairs: Sequence[Pair], rows: Sequence[dict[str, float]]) -> Mixture:
    """Fit both sums, each group of sources and each class in it weighing the same."""
    gold = np.array([LABELS.index(pair.label) for pair in pairs])
    supported = _fit(pairs, rows, gold == 0, SUPPORT)
    rest = [place for place in range(len(pairs)) if gold[place] != 0]
    contradicted = _fit([pairs[at] for at in rest], [rows[at] for at in rest], gold[rest] == 1, CONTRADICTION)
    return Mixture(name, supported, contradicted, {})


def _fit(
    pairs: Sequence[Pair], rows: Sequence[dict[str, float]], positive: NDArray[np.bool_], signs: dict[str, int]
) -> dict[str, float]:
    columns = np.array([[row[name] for name in signs] for row in rows])
    fitted = fit_logistic(columns, positive, balance(pairs, positive, {}), PENALTY, np.array(list(signs.values())))
    weights = {name: round(float(weight), 5) for name, weight in zip(signs, fitted, strict=False) if weight}
    return {"bias": round(float(fitted[-1]), 5), **weights}


def figures(pairs: Sequence[Pair], probabilities: Sequence[Floats]) -> dict[str, dict[str, float]]:
    """Return by source: rows, accuracy of three labels, and the share of supported claims called contradicted."""
    table: dict[str, dict[str, float]] = {}
    predicted = [int(values.argmax()) for values in probabilities]
    for source in sorted({pair.source for pair in pairs}):
        mine = [
            (LABELS.index(pair.label), label)
            for pair, label in zip(pairs, predicted, strict=True)
            if pair.source == source
        ]
        accused = [label == 1 for gold, label in mine if gold == 0]
        table[source] = {
            "rows": len(mine),
            "accuracy": round(sum(gold == label for gold, label in mine) / len(mine), 3),
            "falsely_accused": round(sum(accused) / len(accused), 3) if accused else 0.0,
        }
    return table


def main() -> None:
    """Export, fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--families", type=Path, default=FOLDER)
    parser.add_argument("--weights", type=Path, required=True, nargs="+", help="checkpoints; their mean is shipped")
    parser.add_argument("--name", required=True, help="name and version, such as builtin-4")
    parser.add_argument("--package", type=Path, default=PACKAGE)
    options = parser.parse_args()
    _export(options.weights, options.package / ENCODER)
    pairs = held_out(options.data, options.families)
    rows = read_inputs(pairs, options.package / ENCODER)
    fitting = [(pair, row) for pair, row in zip(pairs, rows, strict=True) if row is not None]
    mixture = fit_mixture(options.name, [pair for pair, _ in fitting], [row for _, row in fitting])
    probabilities = [mix(mixture, row) for _, row in fitting]
    measured: dict[str, Any] = {"held_out": figures([pair for pair, _ in fitting], probabilities)}
    done = Mixture(mixture.name, mixture.supported, mixture.contradicted, measured)
    (options.package / FILE).write_text(json.dumps(asdict(done), indent=1) + "\n", encoding="utf-8")
    print(json.dumps(asdict(done), indent=1))


def _export(weights: Sequence[Path], path: Path) -> None:
    """Export the mean of the weights (a model soup, Wortsman et al. 2022, section 2)."""
    import torch

    from .export import export
    from .network import CrossEncoder, small_base

    model = CrossEncoder(small_base())
    states = [torch.load(file)["model"] for file in weights]
    model.load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})
    export(model, path)


if __name__ == "__main__":
    main()
