"""The columns of the tables by which templates of judges are chosen (FACTS Grounding, Tables 2 and 4).

Separate, because a choice imports all that a run needs, and the papers' tables only these figures.
"""

from __future__ import annotations

import numpy as np

from factscope.benchmarks.facts_grounding.score_table import Floats, known
from factscope.scoring.detection import DETECTION_MEASURES, Confusion

COLUMNS = ("macro_f1", "accuracy", "fpr", "fnr", "f1_pos", "f1_neg", "balanced_accuracy")
CRITERIA = ("macro_f1", "accuracy", "balanced_accuracy", "f1_pos", "f1_neg")
"""Possible criteria; the paper uses `macro_f1`. The winner depends on it."""
_NAMES = {"f1_pos": "f1", "f1_neg": "f1_right"}


def metrics(counts: Confusion) -> dict[str, float | None]:
    """Return all columns from counts in the table's own order of classes.

    `fpr` is the share of negatives that were called positive (in Table 2 the inaccurate responses that passed), `fnr`
    that of positives that were called negative, and `macro_f1` the mean of the two F1s.
    """
    values = {name: known(float(criterion_of(np.array(counts, dtype=np.float64), name))) for name in CRITERIA}
    negative, positive = counts.fp + counts.tn, counts.fn + counts.tp
    rates = {
        "fpr": counts.fp / negative if negative else None,
        "fnr": counts.fn / positive if positive else None,
    }
    return {name: {**values, **rates}[name] for name in COLUMNS}


def criterion_of(counts: Floats, name: str) -> Floats:
    """Return a criterion of counts, whose last axis is tp, fp, fn, tn."""
    return DETECTION_MEASURES[_NAMES.get(name, name)](counts)
