"""Fits the mixture of the built-in verifier on the int8 encoder, and measures the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from verifier_data import Row
from verifier_measure import Measured, best_threshold, ece, measure_labels
from verifier_mixture import fit_sum

from factscope.judging.verifiers.builtin.cross_encoder import Texts, logits, open_encoder
from factscope.judging.verifiers.builtin.features import compare, read
from factscope.judging.verifiers.builtin.hybrid import SURE, Mixture, heard, mixed, read_sentences, text_of, to_read
from factscope.judging.verifiers.builtin.tree_model import Model

Floats = NDArray[np.float64]
Said = list[dict[str, float]]
"""What is said of each sentence of one claim."""
OVERLAP = 2.0
"""Log-odds of the encoder that all words of a claim are worth, times the logarithm of one more than its items."""
NUMBERS = -2.0
"""Log-odds of one number that the passage lacks, and of one that it has otherwise."""
PARTS = ("encoder_against", "numbers_differ", "overlap")


class Heard(NamedTuple):
    """Rows, and what the parts of the verifier say of each."""

    rows: list[Row]
    said: list[Said]

    def of(self, dataset: str) -> Heard:
        """Those of one set."""
        chosen = [at for at, row in enumerate(self.rows) if row.dataset == dataset]
        return Heard([self.rows[at] for at in chosen], [self.said[at] for at in chosen])


def hear(rows: Sequence[Row], encoder: Path, features: Model) -> Heard:
    """Run encoder and features over the rows, as the verifier does; rows without a word to compare are left out."""
    model, weights = open_encoder(encoder), features.weights
    kept, said = [], []
    for row in rows:
        passage, these = read(row.passage, weights), []
        for part in read_sentences(row.claim, weights):
            comparison = compare(part, passage)
            if found := to_read(part, passage, comparison):
                texts = [Texts(text_of(part), chunk.of(passage)) for chunk in found]
                these.append(heard(comparison, logits(texts, model)))
        if these:
            kept.append(row)
            said.append(these)
    return Heard(kept, said)


def gold(rows: Sequence[Row]) -> NDArray[np.int64]:
    """0 supported, 1 contradicted, 2 neither."""
    return np.array([{"supported": 0, "contradicted": 1}.get(row.label, 2) for row in rows])


def fit_mixture(name: str, found: Heard) -> Mixture:
    """Both sums from rows of which the encoder saw neither claim nor passage.

    Only the scale and the threshold of the first are fitted: its proportions were chosen once, on sets left out. Rows
    made off-topic or silent count for the second alone.
    """
    single = [at for at, said in enumerate(found.said) if len(said) == 1]
    rows = [found.rows[at] for at in single]
    said = {key: np.array([found.said[at][0][key] for at in single]) for key in found.said[0][0]}
    shares = {
        "encoder_support": 1.0,
        "overlap_by_length": OVERLAP,
        "numbers_missing": NUMBERS,
        "numbers_differ": NUMBERS,
    }
    said["sum"] = np.sum([share * said[name] for name, share in shares.items()], axis=0)
    labels, sets = gold(rows), np.array([row.dataset for row in rows])
    real = np.array([not row.made for row in rows])
    support = fit_sum({"sum": said["sum"][real]}, ["sum"], labels[real] == 0, sets[real])
    silent = labels != 0
    against = fit_sum({key: values[silent] for key, values in said.items()}, PARTS, labels[silent] == 1, sets[silent])
    proportions = {name: share * support["sum"] for name, share in shares.items()}
    return Mixture(name, _short({"bias": support["bias"], **proportions}), _short(against), {})


def _short(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(weight, 4) for name, weight in weights.items()}


def mistaken(mixture: Mixture, found: Heard) -> float:
    """Share of pairs that settle nothing which are taken for support or contradiction."""
    return round(float((labels_of(outcomes_of(mixture, found)) < 2).mean()), 3)


def outcomes_of(mixture: Mixture, found: Heard) -> Floats:
    """Rows × 3: the least support and the surest contradiction among the sentences of each claim."""
    result = []
    for said in found.said:
        parts = np.array([mixed(mixture, one) for one in said])
        least = parts[:, 0].min()
        against = min(parts[:, 1].max(), 1 - least)
        result.append((least, against, 1 - least - against))
    return np.array(result)


def labels_of(likely: Floats) -> NDArray[np.int64]:
    """The label of each row, as the verifier gives it."""
    return np.where(likely[:, 0] >= SURE, 0, np.where(likely[:, 1] >= SURE, 1, 2))


def figures(mixture: Mixture, found: Heard, threshold: float) -> dict[str, dict[str, Any]]:
    """Measured figures of the verifier and of word overlap on one set."""
    likely, truth = outcomes_of(mixture, found), gold(found.rows)
    overlap = np.array([min(one["overlap"] for one in said) for said in found.said])
    if not (truth == 1).any():  # its "not enough" holds what contradicts, too
        likely = np.column_stack((likely[:, 0], np.zeros(len(likely)), likely[:, 1] + likely[:, 2]))
    given = labels_of(likely)
    ours = measure_labels(truth, given, likely[:, 0])._replace(
        ece=ece(likely[np.arange(len(likely)), given], given == truth),
        ece_support=ece(np.maximum(likely[:, 0], 1 - likely[:, 0]), (given == 0) == (truth == 0)),
    )
    base = measure_labels(truth, np.where(overlap >= threshold, 0, 2), overlap)
    return {"model": _plain(ours), "overlap": _plain(base)}


def _plain(measured: Measured) -> dict[str, Any]:
    return {key: value if value is None else round(value, 3) for key, value in measured._asdict().items()}


def overlap_threshold(found: Heard, sets: Sequence[str]) -> float:
    """The share of words from which plain word overlap says supported: best in the mean over sets."""
    parts = [found.of(dataset) for dataset in sets]
    scores = [np.array([min(one["overlap"] for one in said) for said in part.said]) for part in parts]
    return best_threshold([(gold(part.rows) == 0, score) for part, score in zip(parts, scores, strict=True)])
