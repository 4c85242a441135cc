"""The probability of a contradiction by boosted trees, beside that of the sum.

The sum reads the encoder's log-odds alone, which are too high for passages that share little with a claim, and for long
claims. Most passages that a check reads are such. The trees also see the features, such as how much of the claim a
passage has, and are fitted on what checks of whole texts read (`training/contradictions.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from factscope.core import StoreError
from factscope.judging.verifiers.builtin.tree_model import TreeEnsemble, read_trees
from factscope.judging.verifiers.wording.features import NAMES

TREES_FILE = "contradiction.json"
LOG_ODDS = ("chunk_support", "chunk_contradiction", "sentence_support", "sentence_contradiction")
"""Inputs from an encoder; with a second encoder, its own follow the features."""
_LONGEST = 30
"""Words of a claim that are counted."""


@dataclass(frozen=True)
class ContradictionTrees:
    """Trees whose leaves add up to the log-odds of a contradiction."""

    trees: TreeEnsemble
    bias: float

    def probability(self, values: Sequence[float]) -> float:
        """Return the probability that the passage contradicts the claim, from `tree_inputs`."""
        margin = self.trees.margins(np.array([values], np.float64))[0, 0] + self.bias
        return float(1.0 / (1.0 + np.exp(-margin)))


def read_contradiction_trees(folder: Traversable | None = None) -> ContradictionTrees:
    """Read the trees in a folder, otherwise the small network's. Raises OSError, StoreError for other features."""
    stored = json.loads((folder or files(__package__)).joinpath(TREES_FILE).read_text(encoding="utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise StoreError("The verifier's trees are for other features.", "Train them again: make verifier.")
    return ContradictionTrees(read_trees(stored["trees"], classes=1), float(stored["bias"]))


def tree_inputs(claim: str, inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the inputs of the trees from those of the sums, one mapping for each encoder."""
    first, *others = inputs
    odds_of_others = [other[name] for other in others for name in LOG_ODDS]
    return [*(first[name] for name in (*LOG_ODDS, *NAMES)), *odds_of_others, min(len(claim.split()), _LONGEST)]


def with_trees(probabilities: NDArray[np.float64], chance: float) -> NDArray[np.float64]:
    """Return the probabilities of the three labels, that of a contradiction averaged with the trees' own.

    One that is ruled out stays so.
    """
    before = probabilities[1]
    if not 0.0 < before < 1.0:
        return probabilities
    after = (before + chance) / 2
    rest = probabilities * (1.0 - after) / (1.0 - before)
    return np.array([rest[0], after, rest[2]])
