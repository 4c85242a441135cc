"""Figures of short answers: accuracy, accuracy given an attempt, their F1, and a score that penalises errors.

SimpleQA (Wei et al. 2024, section 3) defines F1 as the harmonic mean of two shares of correct answers: of all
questions, and of the attempted ones. A guess raises it if its probability of being right is above half of the current
F1. So SimpleQA also proposes a score with a penalty for errors: (correct − `penalty` × incorrect) / all. With a penalty
of t / (1 − t), answering pays if the probability of being right is above t; a penalty of 1 means t = ½.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.benchmarks.comparisons import ModelComparison, ResultPart, confirmed, standings, tested_pairs
from factscope.benchmarks.short_answers.grading import Grade
from factscope.core import Interval, Record, many
from factscope.methods import LEAST_COVERAGE
from factscope.scoring import RESAMPLES, Proportion, percentiles, proportion

Draws = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ShortAnswerSettings(ResultPart):
    """Settings of the figures."""

    penalty: float = Field(ge=0)
    """Cost of an error, where a correct answer brings 1."""
    resamples: int = Field(default=RESAMPLES, ge=2)
    seed: int = Field(default=0, ge=0)


class ScoreEstimate(Record):
    """A figure of several shares."""

    value: float | None
    """`None` where too little was graded, or nothing attempted."""
    interval: Interval | None
    """Bootstrap over questions; `None` for few or degenerate ones."""


class ShortAnswerRow(Record):
    """One model."""

    model: str
    n: int
    """Questions with a grade."""
    n_missing: int
    """Questions without an answer or a grade: in no figure."""
    accuracy: Proportion
    """Correct, of all graded."""
    attempted: Proportion
    """Attempted, of all graded."""
    given_attempt: Proportion
    """Correct, of the attempted."""
    f1: ScoreEstimate
    """Harmonic mean of `accuracy` and `given_attempt`."""
    penalised: ScoreEstimate
    """(Correct less penalty × incorrect) of all graded."""
    rank: int | None
    """By F1; equals share the better one. `None` where the figures are withheld."""
    best: int | None
    """The ranks that paired tests leave open."""
    worst: int | None
    withheld: str | None = None
    """Reason why no figure has a value: fewer than `LEAST_COVERAGE` of the questions have a grade."""
    by: dict[str, dict[str, tuple[float | None, int]]] = Field(default={})
    """By tag and its value: F1, withheld in the same way, and graded answers."""


class ShortAnswerPair(ModelComparison):
    """Two models on the questions of which both have a grade; untested where the figures of one are withheld."""

    difference: float | None
    """F1 of the first less that of the second."""
    interval: Interval | None
    """Of the difference, both models in the same resamples."""
    penalised: float | None
    """Mean difference of the penalised score, question by question; p is of this difference, by sign flips."""

    @property
    def opposed(self) -> bool:
        """Whether F1 and the penalised score put the two in opposite orders."""
        return (self.difference or 0) * (self.penalised or 0) < 0

    @property
    def agrees(self) -> bool:
        """Whether F1 and the penalised score put the two in the same order."""
        return (self.difference or 0) * (self.penalised or 0) > 0


class ShortAnswerSummary(Record):
    """Everything that the grades say."""

    penalty: float
    rows: tuple[ShortAnswerRow, ...]
    """In the order of their ranks."""
    pairs: tuple[ShortAnswerPair, ...]


def f1_of(correct: float, incorrect: float, n: float) -> float | None:
    """Return the harmonic mean of correct / n and correct / attempted; None of nothing."""
    return 2 * correct / (n + correct + incorrect) if n and correct + incorrect else None


def summarise(
    grades: Mapping[tuple[str, str], Grade],
    models: Sequence[str],
    ids: Sequence[str],
    settings: ShortAnswerSettings,
    tags: Mapping[str, Mapping[str, str]] | None = None,
) -> ShortAnswerSummary:
    """Return the table of these models on these questions.

    A model with a grade for less than `LEAST_COVERAGE` of them has no figures and no rank, and comes last.
    """
    marked = {model: _marked(model, ids, grades) for model in models}
    draws = np.random.default_rng(settings.seed).integers(0, max(1, len(ids)), (settings.resamples, len(ids)))
    resampled = {model: _resampled(marks, draws) for model, marks in marked.items()}
    pairs = _pairs(marked, resampled, settings)
    agreeing = (pair for pair in pairs if pair.agrees)  # otherwise the test does not confirm the ranks
    better = confirmed(agreeing, lambda pair: pair.difference)
    ranks = standings({model: marks.f1 for model, marks in marked.items() if marks.enough}, better)
    rows = []
    for model, marks in marked.items():
        standing, n_attempted = ranks.get(model), marks.n_correct + marks.n_wrong
        rows.append(
            ShortAnswerRow(
                model=model,
                n=marks.n,
                n_missing=len(ids) - marks.n,
                accuracy=marks.share(marks.n_correct, marks.n),
                attempted=marks.share(n_attempted, marks.n),
                given_attempt=marks.share(marks.n_correct, n_attempted),
                f1=ScoreEstimate(value=marks.f1, interval=percentiles(resampled[model], marks.n)),
                penalised=_penalised(marks, draws, settings.penalty),
                rank=standing.rank if standing else None,
                best=standing.best if standing else None,
                worst=standing.worst if standing else None,
                withheld=marks.why_withheld,
                by=_by_tags(marks, ids, tags or {}),
            )
        )
    rows.sort(key=lambda row: row.rank or inf)
    return ShortAnswerSummary(penalty=settings.penalty, rows=tuple(rows), pairs=pairs)


class _Marked(NamedTuple):
    """The answers of one model, question by question."""

    correct: Flags
    wrong: Flags
    known: Flags
    """Which have a grade."""

    @property
    def n(self) -> int:
        """Number of grades."""
        return int(self.known.sum())

    @property
    def n_correct(self) -> int:
        """Number of correct answers."""
        return int(self.correct.sum())

    @property
    def n_wrong(self) -> int:
        """Number of incorrect answers."""
        return int(self.wrong.sum())

    @property
    def f1(self) -> float | None:
        """Harmonic mean of accuracy and accuracy given an attempt; `None` with too few grades."""
        return f1_of(self.n_correct, self.n_wrong, self.n) if self.enough else None

    @property
    def enough(self) -> bool:
        """Whether enough of the questions have a grade."""
        return self.n >= max(1, LEAST_COVERAGE * len(self.known))

    @property
    def why_withheld(self) -> str | None:
        """Reason why there are no figures; `None` with enough grades."""
        questions = many(len(self.known), "question has", "questions have")
        return None if self.enough else f"withheld: only {self.n:,} of {questions} a grade"

    def share(self, k: int, n: int) -> Proportion:
        """Return `k` of `n`, without a value where too few questions have a grade."""
        result = proportion(k, n)
        return result if self.enough else result.model_copy(update={"value": None, "interval": None})

    def points(self, penalty: float) -> NDArray[np.float64]:
        """Return 1 for a correct answer, minus the penalty for an incorrect one, else 0."""
        return self.correct - penalty * self.wrong


def _marked(model: str, ids: Sequence[str], grades: Mapping[tuple[str, str], Grade]) -> _Marked:
    values = np.array([grades.get((model, name), "") for name in ids], dtype=np.str_)
    return _Marked(values == "correct", values == "incorrect", values != "")


def _resampled(marks: _Marked, draws: Draws) -> NDArray[np.float64]:
    """Return F1 in each resample; NaN where nothing is attempted, and with too few grades."""
    if not marks.enough:
        return np.full(len(draws), np.nan)
    correct, wrong, known = (flags[draws].sum(axis=1) for flags in marks)
    with np.errstate(invalid="ignore"):
        f1: NDArray[np.float64] = np.where(correct + wrong > 0, 2 * correct / (known + correct + wrong), np.nan)
    return f1


def _penalised(marks: _Marked, draws: Draws, penalty: float) -> ScoreEstimate:
    if not marks.enough:
        return ScoreEstimate(value=None, interval=None)
    points = marks.points(penalty)
    with np.errstate(invalid="ignore"):
        means = points[draws].sum(axis=1) / marks.known[draws].sum(axis=1)
    return ScoreEstimate(value=float(points.sum() / marks.n), interval=percentiles(means, marks.n))


def _pairs(
    marked: Mapping[str, _Marked], resampled: Mapping[str, NDArray[np.float64]], settings: ShortAnswerSettings
) -> tuple[ShortAnswerPair, ...]:
    gaps = {}
    for a, b in combinations(marked, 2):
        both = marked[a].known & marked[b].known & (marked[a].enough and marked[b].enough)
        gaps[a, b] = (marked[a].points(settings.penalty) - marked[b].points(settings.penalty))[both]
    tests = tested_pairs(gaps, resamples=settings.resamples, seed=settings.seed)
    pairs = []
    for (a, b), gap in gaps.items():
        first, second = marked[a].f1, marked[b].f1
        pairs.append(
            ShortAnswerPair(
                **tests[a, b],
                difference=None if first is None or second is None else first - second,
                interval=percentiles(resampled[a] - resampled[b], len(gap)),
                penalised=float(gap.mean()) if len(gap) else None,
            )
        )
    return tuple(pairs)


def _by_tags(
    marks: _Marked, ids: Sequence[str], tags: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, tuple[float | None, int]]]:
    by_tag: dict[str, dict[str, tuple[float | None, int]]] = {}
    for tag in dict.fromkeys(name for values in tags.values() for name in values):
        for value in sorted({values[tag] for values in tags.values() if tag in values}):
            some = np.array([tags.get(name, {}).get(tag) == value for name in ids], dtype=bool)
            piece = _Marked(marks.correct[some], marks.wrong[some], marks.known[some])
            by_tag.setdefault(tag, {})[value] = piece.f1, piece.n
    return by_tag
