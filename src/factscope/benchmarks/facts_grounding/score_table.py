"""The table of FACTS Grounding: verdicts as arrays, cells by model, judge and split, means, and differences of models.

Verdicts have the shape (examples, models, judges). 1 is yes, 0 is no, NaN is missing: a call that failed or could not
be read. Missing verdicts are left out and counted, never treated as a no.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.comparisons import ModelComparison, tested_pairs
from factscope.benchmarks.facts_grounding.rank_fusion import FusedRank, fused_rank
from factscope.core import Interval, many
from factscope.methods import LEAST_COVERAGE
from factscope.scoring.intervals import RESAMPLES, draws, percentiles, wald, wilson

Floats = NDArray[np.float64]
MIN_CONSENSUS = 2
"""Fewest judges that must have answered before a response can be called ineligible."""


def known(value: float) -> float | None:
    """Return a value; `None` for NaN."""
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True)
class VerdictArrays:
    """Everything that the table is computed from."""

    models: tuple[str, ...]
    """The models that answered."""
    judges: tuple[str, ...]
    """The judges."""
    splits: tuple[str, ...]
    """Names of the splits, such as open and blind."""
    split: NDArray[np.int64]
    """Index in `splits` of each example, shape (examples,)."""
    accurate: Floats
    """Phase A, shape (examples, models, judges): whether the response is grounded in its document."""
    ineligible: Floats | None = None
    """Phase B, of the same shape: whether it fails to answer the request; None when there was no phase B."""
    least_coverage: float = LEAST_COVERAGE
    """Least share of a cell's examples with a verdict; with fewer, the cell has no score."""
    empty: NDArray[np.bool_] | None = None
    """Empty answers, shape (examples, models): their verdicts are set by rule, without a judge."""

    def by_judges(self, values: Floats) -> Floats:
        """Return verdicts such as `accurate` without those by rule, for statements on the judges."""
        return values if self.empty is None else np.where(self.empty[..., None], np.nan, values)


def disqualified(ineligible: Floats) -> Floats:
    """Mark ineligible responses, shape (examples, models): 1, 0, or NaN where too few judges answered.

    A response is ineligible only when all judges say so (FACTS Grounding, section 4.2); one that any judge lets pass is
    eligible. A judge whose call failed is ignored if at least `MIN_CONSENSUS` others agree.
    """
    answered = ~np.isnan(ineligible)
    passes = (ineligible == 0).any(axis=-1)
    agreed = ~passes & (answered.sum(axis=-1) >= MIN_CONSENSUS)
    return np.where(passes, 0.0, np.where(agreed, 1.0, np.nan))


def final(verdicts: VerdictArrays) -> Floats:
    """Return accurate and eligible, of the shape of `accurate`; without phase B that is `accurate` itself.

    An ineligible response is inaccurate for every judge, even one whose call failed. If eligibility is unknown, all
    verdicts are missing: to drop only those of accurate responses would lower the score. Empty answers are ineligible
    by rule.
    """
    if verdicts.ineligible is None:
        return verdicts.accurate
    out = disqualified(verdicts.ineligible)[..., None]
    if verdicts.empty is not None:
        out = np.where(verdicts.empty[..., None], 1.0, out)
    return np.where(out == 1, 0.0, np.where(np.isnan(out), np.nan, verdicts.accurate))


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return means over examples in each resample: (examples, …) → (resamples, …), NaN left out of them.

    Examples are drawn, since the verdicts of several judges on one example are dependent. All models and judges share
    the resamples, from which their differences follow.
    """
    n, remainder = values.shape[0], values.shape[1:]
    flat = values.reshape(n, int(np.prod(remainder)))
    present = ~np.isnan(flat)
    filled = np.where(present, flat, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [(drawn.T @ filled) / (drawn.T @ present.astype(np.float64)) for drawn in draws(n, resamples, seed)]
    return np.concatenate(means).reshape(resamples, *remainder)


@dataclass(frozen=True, slots=True)
class Cell:
    """The share of accurate responses by one judge on one split."""

    judge: str
    split: str
    score: float | None
    """From 0 to 1; None when too many verdicts are missing."""
    n: int
    """Examples with a verdict."""
    n_missing: int
    """Examples of the split without one."""
    wald: Interval | None
    """As published: p ± 1.96·√(p(1 − p)/n)."""
    wilson: Interval | None
    """Better near 0 and 1."""


@dataclass(frozen=True, slots=True)
class Average:
    """The mean over judges and splits, with equal weight for each cell."""

    score: float | None
    """None when a cell has no score."""
    n: int
    """Examples with a verdict; several judges of one response count once."""
    wald: Interval | None
    """As published."""
    bootstrap: Interval | None
    """Examples drawn within each split, with the verdicts of all judges on them. Wilson's over examples where there are
    too few to draw from, or all are alike."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """Row of one model."""

    model: str
    cells: tuple[Cell, ...]
    """By split, then by judge."""
    average: Average


class ModelDifference(ModelComparison):
    """The average of one model minus that of another.

    p is two-sided, by the signs of the differences of examples, weighted so that splits count alike.
    """

    value: float | None
    interval: Interval | None
    """Paired: both models in the same resamples."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of phase B on a model: unadjusted minus final, over the responses with both verdicts."""

    model: str
    cells: tuple[float | None, ...]
    """In the order of the row's cells."""
    average: float | None
    n_ineligible: int
    """Responses that all judges call ineligible."""
    n_unknown: int
    """Responses for which too few judges decided whether they are eligible."""


@dataclass(frozen=True)
class ScoredVerdicts:
    """Scores of verdicts before or after phase B, and their resamples; each is computed once."""

    verdicts: VerdictArrays
    values: Floats
    """`verdicts.accurate` for the unadjusted table, `final(verdicts)` for the final one."""
    resamples: int = RESAMPLES
    seed: int = 0

    @cached_property
    def by_split(self) -> list[Floats]:
        """The values of each split."""
        return [self.values[self.verdicts.split == s] for s in range(len(self.verdicts.splits))]

    @cached_property
    def present(self) -> list[int]:
        """The splits that have examples."""
        return [s for s, values in enumerate(self.by_split) if len(values)]

    @cached_property
    def columns(self) -> Floats:
        """Scores by which models are ranked, shape (models, splits × judges); NaN without enough verdicts."""
        models, least = range(len(self.verdicts.models)), self.verdicts.least_coverage
        return np.array([[share(cell, least) for split in self.by_split for cell in split[:, m].T] for m in models])

    @cached_property
    def averages(self) -> Floats:
        """The average column, shape (models,); NaN when a cell has no score."""
        return np.array([fsum(row) / len(row) for row in self.columns])

    @cached_property
    def standings(self) -> tuple[FusedRank, ...]:
        """Fused ranks of the models; a model without an average has none, and changes none.

        Its columns may cover only its easiest examples.
        """
        ranked = np.flatnonzero(~np.isnan(self.averages))
        ranks = dict(zip(ranked.tolist(), fused_rank(self.columns[ranked], self.averages[ranked]), strict=True))
        return tuple(ranks.get(m, FusedRank(None, "none")) for m in range(len(self.averages)))

    @cached_property
    def draws(self) -> Floats:
        """Every cell in each resample, shape (splits, resamples, models, judges); examples are drawn in their split.

        All intervals of a table are computed from these, so that they agree and nothing is drawn twice. A value is NaN
        if the split has no examples, or the resample no verdict.
        """
        absent = np.full((self.resamples, *self.values.shape[1:]), np.nan)
        return np.stack(
            [
                resampled_means(values, self.resamples, self.seed + s) if len(values) else absent
                for s, values in enumerate(self.by_split)
            ]
        )

    @cached_property
    def drawn_averages(self) -> Floats:
        """The average column in each resample, shape (resamples, models)."""
        if not self.present:
            return np.full((self.resamples, len(self.verdicts.models)), np.nan)
        averaged: Floats = self.draws[self.present].mean(axis=(0, -1))
        return averaged


def rows(scored: ScoredVerdicts) -> tuple[ModelRow, ...]:
    """Return the table."""
    verdicts = scored.verdicts
    rows_made = []
    for m, model in enumerate(verdicts.models):
        cells = tuple(
            _cell(judge, split, values[:, m, j], verdicts.least_coverage)
            for split, values in zip(verdicts.splits, scored.by_split, strict=True)
            for j, judge in enumerate(verdicts.judges)
        )
        n = int((~np.isnan(scored.values[:, m])).any(axis=1).sum())
        average = _average(float(scored.averages[m]), n, percentiles(scored.drawn_averages[:, m], n))
        rows_made.append(ModelRow(model, cells, average))
    return tuple(rows_made)


def covered(cells: Sequence[Cell]) -> float | None:
    """Return the share of the expected verdicts that are there; `None` if a cell has none."""
    total = sum(cell.n + cell.n_missing for cell in cells)
    return sum(cell.n for cell in cells) / total if total and all(cell.n for cell in cells) else None


def why_no_average(row: ModelRow, least: float) -> str | None:
    """Say which cells have no score, so that the model has no average either; `None` when it has one.

    `least` is the least share of a cell's examples with a verdict.
    """
    if row.average.score is not None:
        return None
    reasons = (
        f"{cell.judge} has a verdict on {cell.n:,} of {many(cell.n + cell.n_missing, 'example')} of {cell.split}"
        for cell in row.cells
        if cell.score is None
    )
    return f"{', '.join(reasons)}; a score needs {100 * least:.0f}\u00a0%"


def differences(scored: ScoredVerdicts) -> tuple[ModelDifference, ...]:
    """Return all pairs of models, in their order; p rests on the means of judges over examples that both have.

    The splits weigh alike in the tested sum, as in the averages, whose difference could otherwise have another sign.
    """
    models, drawn = scored.verdicts.models, scored.drawn_averages
    by_example = _mean_over_judges(scored.values)
    pairs = list(combinations(range(len(models)), 2))
    gaps = {
        (models[a], models[b]): _weighted(by_example[:, a] - by_example[:, b], scored.verdicts.split) for a, b in pairs
    }
    tests = tested_pairs(gaps, resamples=scored.resamples, seed=scored.seed)
    return tuple(
        ModelDifference(
            **tests[models[a], models[b]],
            value=known(scored.averages[a] - scored.averages[b]),
            interval=percentiles(drawn[:, a] - drawn[:, b], len(gaps[models[a], models[b]])),
        )
        for a, b in pairs
    )


def effects(verdicts: VerdictArrays) -> tuple[Effect, ...]:
    """Compute the effect of disqualification on each model; empty without phase B."""
    if verdicts.ineligible is None:
        return ()
    out = disqualified(verdicts.ineligible)
    tables = verdicts.accurate, final(verdicts)
    incomplete = np.isnan(tables[0]) | np.isnan(tables[1])
    before, after = (ScoredVerdicts(verdicts, np.where(incomplete, np.nan, values)).columns for values in tables)
    return tuple(
        Effect(
            model,
            tuple(map(known, cells)),
            known(fsum(cells) / len(cells)),
            int((out[:, m] == 1).sum()),
            int(np.isnan(out[:, m]).sum()),
        )
        for m, (model, cells) in enumerate(zip(verdicts.models, before - after, strict=True))
    )


def _cell(judge: str, split: str, values: Floats, least: float) -> Cell:
    defined = values[~np.isnan(values)]
    n, score = len(defined), share(values, least)
    n_missing = len(values) - n
    if np.isnan(score):
        return Cell(judge, split, None, n, n_missing, None, None)
    return Cell(judge, split, score, n, n_missing, wald(score, n), wilson(int(defined.sum()), n))


def _average(score: float, n: int, bootstrap: Interval | None) -> Average:
    if np.isnan(score):
        return Average(None, n, None, None)
    return Average(score, n, wald(score, n), bootstrap or wilson(score * n, n))


def share(values: Floats, least: float) -> float:
    """Return a share; NaN without a verdict, or with too few of the expected ones."""
    defined = values[~np.isnan(values)]
    return float(defined.sum() / len(defined)) if len(defined) and len(defined) >= least * len(values) else np.nan


def _weighted(gaps: Floats, split: NDArray[np.int64]) -> Floats:
    """Return the gaps of examples that have one, so weighted that their sum is that of the splits' means, to a factor.

    The factor makes the weight 1 where splits are equally large, so that the test can count exactly.
    """
    paired = ~np.isnan(gaps)
    _, where, sizes = np.unique(split[paired], return_inverse=True, return_counts=True)
    weighted: Floats = gaps[paired] * (sizes.max(initial=0) / sizes[where])
    return weighted


def _mean_over_judges(values: Floats) -> Floats:
    """Return an array of shape (examples, models); NaN where no judge has a verdict."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(present, values, 0.0).sum(axis=-1) / present.sum(axis=-1)
    return means
