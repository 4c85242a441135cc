"""Fit the trees that say how likely a contradiction is, on our own pairs and on what checks of whole texts read.

python -m training.contradictions
python -m training.contradictions --large

A check reads mostly passages that are about something else, which pairs written for training never are. The texts have
keys: the passage with the key's quote supports or contradicts a sentence, and all others of a true one don't contradict
it. The texts of the behaviour suite are not among them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import factscope
from factscope.core.records import Report
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

from .features.fit import lay_out
from .finish import PACKAGE, own_pairs

TEXTS = ("texts", "later_texts/texts", "fresh_texts/texts")
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
_SAME = 60
"""Characters of a quote by which a passage with it is known: a longer one may be cut."""
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
    key = [json.loads(line) for line in (folder / "key.jsonl").read_text(encoding="utf-8").splitlines()]
    text = (folder / "text.md").read_text(encoding="utf-8")
    report = factscope.check(text, evidence=str(folder / "docs"), verifier="builtin-features").record
    return [example for row in key for example in _of_sentence(folder.name, report, row)]


def _of_sentence(group: str, report: Report, row: dict[str, str | None]) -> Iterable[Example]:
    """Yield the examples of a sentence of the key."""
    passages = {passage.id: passage.reading or passage.text for passage in report.passages}
    sentence, quote, label = (_plain(row[name] or "") for name in ("sentence", "quote", "label"))
    segments = {segment.id for segment in report.segments if _plain(segment.text)[:50] in sentence}
    for claim in report.claims:
        if claim.segment_id not in segments or claim.skipped or label == "not_checkable":
            continue
        read = {number for each in report.judgements if each.unit_id == claim.id for number in each.passage_ids}
        for passage in (passages[number] for number in sorted(read)):
            decides = bool(quote) and quote[:_SAME] in _plain(passage)
            if label == "contradicted" and not decides:
                continue  # it may contradict the sentence, too
            is_easy = label == "supported" and not decides
            pair = ClaimPair(claim.standalone, passage)
            yield Example(group, pair, label == "contradicted", OFF_TOPIC if is_easy else 1.0)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower().strip()


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
