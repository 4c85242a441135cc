"""Fit the trees that say how likely a contradiction is, on our own pairs and on what checks of whole texts read.

python -m training.contradictions
python -m training.contradictions --large

A check reads mostly passages that are about something else, which pairs written for training never are. The texts have
keys: the passage with the key's quote supports or contradicts a sentence, and all others of a true one don't contradict
it. Neither the texts of the behaviour suite nor those that a network is trained on are among them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.contradiction_trees import (
    TREES_FILE,
    ContradictionTrees,
)
from factscope.judging.verifiers.builtin.hybrid import HybridVerifier
from factscope.judging.verifiers.builtin.large import is_open
from factscope.judging.verifiers.builtin.load_builtin import load_large, load_small
from factscope.judging.verifiers.builtin.tree_model import read_trees
from factscope.judging.verifiers.protocol import ClaimPair
from factscope.judging.verifiers.wording.features import NAMES

from .check_pairs import ReadClaim, read_claims
from .features.fit import lay_out
from .finish import PACKAGE, own_pairs

TEXTS = ("texts", "later_texts/texts", "fresh_texts/texts")
"""Folders of texts that no network which ships is trained on."""
LARGE_PACKAGE = Path(__file__).parents[1] / "packages" / "verifier-large" / "src" / "factscope_verifier_large"
SETTINGS = {
    "max_iter": 100,
    "learning_rate": 0.06,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 20,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}
FOLDS = 8
OFF_TOPIC = 0.3
"""Weight of a passage of a true sentence other than the one that settles it: most are easy."""
Floats = NDArray[np.float64]


class Example(NamedTuple):
    """A claim beside a passage."""

    group: str
    """The text that it is from, or the passage of our own pairs."""
    pair: ClaimPair
    contradicted: bool
    weight: float = 1.0


@dataclass(frozen=True)
class _Recorder(ContradictionTrees):
    """Trees that note their inputs."""

    rows: list[list[float]] = field(default_factory=list)

    def probability(self, values: Sequence[float]) -> float:
        self.rows.append(list(values))
        return 0.5


def examples_of_text(folder: Path) -> list[Example]:
    """Return each claim of a text beside each passage that a check of it reads, where the key says what that shows."""
    return [example for claim in read_claims(folder) for example in _of_claim(folder.name, claim)]


def _of_claim(group: str, claim: ReadClaim) -> Iterable[Example]:
    for passage in claim.passages:
        decides = claim.is_decided_by(passage)
        if claim.label == "contradicted" and not decides:
            continue  # it may contradict the sentence, too
        is_easy = claim.label == "supported" and not decides
        pair = ClaimPair(claim.text, passage)
        yield Example(group, pair, claim.label == "contradicted", OFF_TOPIC if is_easy else 1.0)


def with_inputs(verifier: HybridVerifier, examples: Sequence[Example]) -> tuple[list[Example], list[list[float]]]:
    """Return the examples that no rule decides, with the inputs of the trees."""
    used, inputs = [], []
    for example in examples:
        recorder = _Recorder(verifier.trees.trees, 0.0)
        replace(verifier, trees=recorder).verify([example.pair])
        if recorder.rows:
            used.append(example)
            inputs.append(recorder.rows[0])
    return used, inputs


def fit(examples: Sequence[Example], inputs: Floats) -> dict[str, object]:
    """Return the trees as they are stored."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    gold, weights = [each.contradicted for each in examples], [each.weight for each in examples]
    fitted = HistGradientBoostingClassifier(**SETTINGS).fit(inputs, gold, sample_weight=weights)
    bias = float(f"{fitted._baseline_prediction.item():.6g}")
    return {"features": NAMES, "bias": bias, "trees": lay_out(fitted._predictors)}


def as_trees(stored: dict[str, object]) -> ContradictionTrees:
    """Return stored trees."""
    return ContradictionTrees(read_trees(stored["trees"], classes=1), stored["bias"])  # type: ignore[arg-type]


def measured(examples: Sequence[Example], inputs: Floats) -> float:
    """Return the area under the ROC curve, each group by trees that were fitted without its fold."""
    from sklearn.metrics import roc_auc_score

    names = sorted({each.group for each in examples})
    folds = {name: number % FOLDS for number, name in enumerate(names)}
    chances = np.zeros(len(examples))
    for fold in range(FOLDS):
        held = np.array([folds[each.group] == fold for each in examples])
        trees = as_trees(fit([each for each, out in zip(examples, held, strict=True) if not out], inputs[~held]))
        chances[held] = [trees.probability(list(row)) for row in inputs[held]]
    return float(roc_auc_score([each.contradicted for each in examples], chances))


def main() -> None:
    """Fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="for the large network, beside the small one")
    options = parser.parse_args()
    here = Path(__file__).parent
    examples = [
        Example(pair.passage, ClaimPair(pair.claim, pair.passage), pair.label == "contradicted") for pair in own_pairs()
    ]
    folders = [path for name in TEXTS for path in sorted((here / name).iterdir())]
    examples += [example for folder in folders for example in examples_of_text(folder)]
    verifier = load_small()
    if options.large:
        examples = [each for each in examples if is_open(verifier.verify([each.pair])[0])]
        verifier = load_large().large  # type: ignore[attr-defined]
    used, rows = with_inputs(verifier, examples)
    inputs = np.array(rows)
    stored = fit(used, inputs)
    stored["figures"] = {"examples": len(used), "auroc": round(measured(used, inputs), 3)}
    content = json.dumps(stored, separators=(",", ":")).replace('],"', '],\n"') + "\n"
    (LARGE_PACKAGE if options.large else PACKAGE).joinpath(TREES_FILE).write_text(content, encoding="utf-8")
    print(stored["figures"])


if __name__ == "__main__":
    main()
