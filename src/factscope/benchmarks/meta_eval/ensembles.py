"""Several checkers combined: by majority, weighted by their results on other responses, and stacked.

`majority` takes the answer of more than half of those that answered; a tie counts as an error, as in FELM's votes.
`weighted` adds up the evidence of each answer for an error, by the checker's recall and specificity (Nitzan and Paroush
1982). `stacked` is a logistic regression on all answers (Wolpert 1992). The last two learn from people's labels, so
they are cross-fitted: responses are divided into five folds, and each fold is judged with parameters from the other
four, including the threshold with the best F1 there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import exp

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval.evaluate import CheckerSide, EvaluationOptions
from factscope.benchmarks.meta_eval.matching import MatchedUnit, domain_tag, levels_of, matched
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction
from factscope.core import UsageError

Array = NDArray[np.float64]
Learn = Callable[[Array, Array], Array]

PARTS = 5
"""Number of folds of responses."""
_RIDGE = 1.0  # weight of the penalty: few responses must not give large weights
_STEPS = 50  # of Newton's method, which needs about ten
_LEAST_SAMPLES = 10
"""Fewest responses for learning; with fewer, only the majority is formed."""


def ensembles(data: LabelledData, sides: Sequence[CheckerSide], options: EvaluationOptions) -> list[CheckerSide]:
    """Return the ensembles of some checkers, at the finest level that has labels.

    Raises UsageError for fewer than two checkers.
    """
    if len(sides) < 2:
        raise UsageError("An ensemble needs two checkers or more.", "Name more: --method or --predictions.")
    level = levels_of(data.samples)[0]
    tag = domain_tag(data.samples, options.domain)
    matched_by_side = [
        matched(data.samples, level, side.predictions, units=options.units, domain=tag) for side in sides
    ]
    rows = [units[0] for units in zip(*matched_by_side, strict=True)]
    votes, signs = (
        np.array([[read(row) for row in units] for units in zip(*matched_by_side, strict=True)]).reshape(
            len(rows), len(sides)
        )
        for read in (_vote, _sign)
    )
    scores_by_rule: dict[str, Array] = {"majority": votes.sum(axis=1)}
    if len({row.answer.sample for row in rows}) >= _LEAST_SAMPLES:
        truth = np.array([float(row.answer.wrong) for row in rows])
        # by the id alone, so that the same data give the same folds
        folds = np.array([int(sha256(row.answer.sample.encode()).hexdigest()[:8], 16) % PARTS for row in rows])
        scores_by_rule["weighted"] = _cross_fitted(votes, truth, folds, _weights)
        scores_by_rule["stacked"] = _cross_fitted(signs, truth, folds, _regression)
    return [_side(name, rows, votes, scores, sides) for name, scores in scores_by_rule.items()]


def _side(
    name: str, rows: Sequence[MatchedUnit], votes: Array, scores: Array, sides: Sequence[CheckerSide]
) -> CheckerSide:
    """Return an ensemble as a checker: a unit that no member answered has no answer."""
    predictions: dict[str, list[CheckerPrediction]] = {}
    for row, vote, score in zip(rows, votes, scores, strict=True):
        flag = None if not vote.any() else bool(score >= 0)
        tendency = 1 / (1 + exp(-max(-30.0, min(30.0, float(score)))))
        prediction = CheckerPrediction(flagged=flag, gold=row.gold.id, tendency=tendency)
        predictions.setdefault(row.sample.id, []).append(prediction)
    members = tuple(side.name for side in sides)
    learnt = () if name == "majority" else (f"learnt on people's labels, cross-fitted over {PARTS} parts of responses",)
    usage = tuple(calls for side in sides for calls in side.usage)
    title = f"{name} of {', '.join(members)}"
    return CheckerSide(name=name, predictions=predictions, title=title, usage=usage, notes=learnt, members=members)


def _vote(row: MatchedUnit) -> float:
    """Return 1 for an error, −1 for right, 0 without an answer."""
    return 0.0 if row.answer.flagged is None else 1.0 if row.answer.flagged else -1.0


def _sign(row: MatchedUnit) -> float:
    """Return the vote, weighted by the checker's confidence if it states one."""
    sure = row.answer.p_wrong
    return _vote(row) if sure is None or row.answer.flagged is None else 2 * sure - 1


def _cross_fitted(votes: Array, truth: Array, folds: NDArray[np.int64], learn: Learn) -> Array:
    """Return scores of all units, each from weights learnt on the other folds; 0 and above is an error."""
    scores = np.zeros(len(votes))
    for fold in range(PARTS):
        in_fold, others = folds == fold, folds != fold
        if not in_fold.any():
            continue
        coefficients = learn(votes[others], truth[others])
        learnt_scores = _scored(votes[others], coefficients)
        scores[in_fold] = _scored(votes[in_fold], coefficients) - _threshold(learnt_scores, truth[others])
    return scores


def _scored(votes: Array, coefficients: Array) -> Array:
    weights: Array = votes @ coefficients[1:] + coefficients[0]
    return weights


def _weights(votes: Array, truth: Array) -> Array:
    """Return the log odds of each answer, by the checkers' smoothed recall and specificity; the first is the prior."""
    wrong, right = truth == 1, truth == 0
    recall = ((votes[wrong] == 1).sum(axis=0) + 1) / ((votes[wrong] != 0).sum(axis=0) + 2)
    specificity = ((votes[right] == -1).sum(axis=0) + 1) / ((votes[right] != 0).sum(axis=0) + 2)
    flagged, passed = np.log(recall / (1 - specificity)), np.log((1 - recall) / specificity)
    prior = np.log((wrong.sum() + 1) / (right.sum() + 1)) + ((flagged + passed) / 2).sum()
    return np.concatenate([[prior], (flagged - passed) / 2])


def _regression(votes: Array, truth: Array) -> Array:
    """Return logistic regression with a ridge on all but the constant, by Newton's method."""
    table = np.column_stack([np.ones(len(votes)), votes])
    ridge = np.diag([1e-6, *[_RIDGE] * votes.shape[1]])
    weights = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (chance - truth) + ridge @ weights
        bend = table.T @ (table * (chance * (1 - chance))[:, None]) + ridge
        step = np.linalg.solve(bend, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def _threshold(scores: Array, truth: Array) -> float:
    """Return the score from which units are flagged for the best F1; between two scores, in the middle."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(truth[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + truth.sum())
    ends = np.append(np.diff(scores[order]) < 0, True)
    best = int(np.argmax(np.where(ends, f1, -1)))
    low = scores[order[best + 1]] if best + 1 < len(order) else scores[order[best]] - 1
    return float((scores[order[best]] + low) / 2)
