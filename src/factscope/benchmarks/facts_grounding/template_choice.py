"""Choice of a judge's template, by human-labelled responses (FACTS Grounding, Tables 2 and 4).

The positive class is the subject of the table: accurate responses in Table 2, ineligible ones in Table 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, known
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many
from factscope.methods import LEAST_COVERAGE
from factscope.scoring.detection import MEASURES, Confusion
from factscope.scoring.intervals import RESAMPLES, draws

CRITERIA = ("macro_f1", "accuracy", "balanced_accuracy", "f1_pos", "f1_neg")
"""Possible criteria; the paper uses `macro_f1`. The winner depends on it."""
_NAMES = {"f1_pos": "f1", "f1_neg": "f1_right"}


@dataclass(frozen=True, slots=True)
class TemplateMetrics:
    """The columns of the tables, from 0 to 1; None where undefined."""

    accuracy: float | None
    fpr: float | None
    """Negatives that were called positive: in Table 2 the inaccurate responses that passed."""
    fnr: float | None
    """Positives that were called negative: in Table 2 the accurate responses that were rejected."""
    f1_pos: float | None
    f1_neg: float | None
    macro_f1: float | None
    """Mean of the two F1s."""
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True)
class TemplateScore:
    """Score of a judge with one template."""

    template: str
    counts: Confusion
    metrics: TemplateMetrics
    n_missing: int
    """Labelled responses without a verdict of the judge."""
    chosen_share: float
    """Share of the resamples in which this template is the best, of those in which all have a score; how certain the
    choice is."""


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """The best template of one judge."""

    template: str
    criterion: str
    tried: tuple[TemplateScore, ...]


def metrics(counts: Confusion) -> TemplateMetrics:
    """Return all columns from counts in the table's own order of classes."""
    values = {name: known(float(_criterion(np.array(counts, dtype=np.float64), name))) for name in CRITERIA}
    negative, positive = counts.fp + counts.tn, counts.fn + counts.tp
    fpr, fnr = counts.fp / negative if negative else None, counts.fn / positive if positive else None
    return TemplateMetrics(fpr=fpr, fnr=fnr, **values)


def choose(
    truth: NDArray[np.bool_],
    labels_by_template: Mapping[str, Floats],
    criterion: str = "macro_f1",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> TemplateChoice:
    """Choose the template with the highest `criterion`, and estimate by resampling how certain that choice is.

    `truth`, shape (responses,), says which are positive; `labels_by_template` holds the judge's labels by template: 1
    for positive, 0 for negative, NaN without a verdict. Of equal ones the first is taken; a template with verdicts on
    less than `LEAST_COVERAGE` of the responses is never chosen. Raises UsageError for an unknown criterion, InputError
    when the verdicts are too few for any choice, and ValueError when there is nothing to choose from or lengths differ.
    """
    if criterion not in CRITERIA:
        raise UsageError(f"Unknown criterion {criterion!r}.", f"Choose from: {', '.join(CRITERIA)}.")
    if not labels_by_template or any(values.shape != truth.shape for values in labels_by_template.values()):
        raise ValueError("each template needs a value for each labelled response")
    cells = np.stack([_cells(truth, values) for values in labels_by_template.values()], axis=1)
    counts = cells.sum(axis=0)
    enough = cells.sum(axis=2).mean(axis=0) >= LEAST_COVERAGE
    scores = np.where(enough, _criterion(counts, criterion), np.nan)
    if np.isnan(scores).all():
        answered = int(cells.sum(axis=2).max(axis=1).sum())
        raise InputError(
            f"No template can be chosen by {criterion}: of {many(len(truth), 'answer')} {answered:,} have a verdict.",
            "Failed calls are tried again when the same command is run again.",
        )
    flat = cells.reshape(len(truth), -1)
    sampled = np.concatenate([drawn.T @ flat for drawn in draws(len(truth), resamples, seed)])
    best = _criterion(sampled.reshape(-1, len(labels_by_template), 4), criterion)
    best = np.where(np.isnan(scores), -np.inf, best)
    # In a resample of one class, a template without errors has no F1, and one with errors has 0 and would win.
    best = best[~np.isnan(best).any(axis=1)]
    first = best == best.max(axis=1, keepdims=True)
    shares = (first / first.sum(axis=1, keepdims=True)).sum(axis=0) / max(len(best), 1)  # those that tie share one
    tried = []
    for index, (template, values) in enumerate(labels_by_template.items()):
        confusion = Confusion(*(int(count) for count in counts[index]))
        missing = int(np.isnan(values).sum())
        tried.append(TemplateScore(template, confusion, metrics(confusion), missing, float(shares[index])))
    return TemplateChoice(list(labels_by_template)[int(np.nanargmax(scores))], criterion, tuple(tried))


def _cells(truth: NDArray[np.bool_], values: Floats) -> Floats:
    """Assign each response to a cell of the confusion matrix, shape (responses, 4): tp, fp, fn, tn."""
    yes, no = values == 1, values == 0
    return np.stack([truth & yes, ~truth & yes, truth & no, ~truth & no], axis=-1).astype(np.float64)


def _criterion(counts: Floats, name: str) -> Floats:
    return MEASURES[_NAMES.get(name, name)](counts)
