"""The table of FACTS Grounding: cells by model, judge and split, means over them, and differences between models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding.bootstrap import draw
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays, disqualified, final
from factscope.core.records import Interval
from factscope.scoring.intervals import RESAMPLES, percentiles, wald, wilson
from factscope.scoring.paired_tests import Finding, finding, holm, sign_flip


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


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """The average of one model minus that of another."""

    first: str
    second: str
    value: float | None
    interval: Interval | None
    """Paired: both models in the same resamples."""
    p: float | None
    """Two-sided, by the signs of the differences of examples, corrected for multiple pairs (Holm)."""
    finding: Finding
    """Whether they differ by more than chance."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of phase B on a model, unadjusted minus final."""

    model: str
    cells: tuple[float | None, ...]
    """In the order of the row's cells."""
    average: float | None
    n_ineligible: int
    """Responses that all judges call ineligible."""
    n_unknown: int
    """Responses for which too few judges decided whether they are eligible."""


def rows(
    verdicts: VerdictArrays, values: Floats, *, draws: Floats | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[ModelRow, ...]:
    """Return the table of `values`: `verdicts.accurate` for the unadjusted one, `final(verdicts)` for the final one.

    `draws` is the result of `draw` for them; without it, it is computed here.
    """
    resampled = _averages_of(verdicts, draw(verdicts, values, resamples, seed) if draws is None else draws)
    rows_made = []
    for m, model in enumerate(verdicts.models):
        cells = tuple(
            _cell(judge, split, values[verdicts.split == s, m, j], verdicts.least_coverage)
            for s, split in enumerate(verdicts.splits)
            for j, judge in enumerate(verdicts.judges)
        )
        n = int((~np.isnan(values[:, m])).any(axis=1).sum())
        rows_made.append(ModelRow(model, cells, _average(cells, n, percentiles(resampled[:, m], n))))
    return tuple(rows_made)


def averages(verdicts: VerdictArrays, values: Floats) -> NDArray[np.float64]:
    """Return the average column, shape (models,); NaN when a cell has no score."""
    return np.array([_or_nan(_mean_of(row_cells(verdicts, values, m))) for m in range(len(verdicts.models))])


def columns(verdicts: VerdictArrays, values: Floats) -> NDArray[np.float64]:
    """Return the scores by which models are ranked, shape (models, splits × judges)."""
    rows_made = [row_cells(verdicts, values, m) for m in range(len(verdicts.models))]
    return np.array([[_or_nan(value) for value in row] for row in rows_made], dtype=np.float64)


def row_cells(verdicts: VerdictArrays, values: Floats, model: int) -> list[float | None]:
    """Return scores of one model by split, then by judge."""
    return [
        share(values[verdicts.split == s, model, j], verdicts.least_coverage)
        for s in range(len(verdicts.splits))
        for j in range(len(verdicts.judges))
    ]


def differences(
    verdicts: VerdictArrays, values: Floats, *, draws: Floats | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[ModelDifference, ...]:
    """Return all pairs of models, in their order; `draws` as for `rows`.

    p rests on the means of judges over examples that both models have.
    """
    resampled = _averages_of(verdicts, draw(verdicts, values, resamples, seed) if draws is None else draws)
    averages_now = averages(verdicts, values)
    by_example = _mean_over_judges(values)
    pairs = list(combinations(range(len(verdicts.models)), 2))
    differences_by_example = [by_example[:, a] - by_example[:, b] for a, b in pairs]
    differences_by_example = [gaps[~np.isnan(gaps)] for gaps in differences_by_example]
    ps = [
        sign_flip(gaps.tolist(), resamples=resamples, seed=seed) if len(gaps) else None
        for gaps in differences_by_example
    ]
    differences_made = []
    for (a, b), gaps, p in zip(pairs, differences_by_example, holm(ps), strict=True):
        value = float(averages_now[a] - averages_now[b])
        differences_made.append(
            ModelDifference(
                verdicts.models[a],
                verdicts.models[b],
                None if np.isnan(value) else value,
                percentiles(resampled[:, a] - resampled[:, b], len(gaps)),
                p,
                finding(p, len(gaps), len(pairs)),
            )
        )
    return tuple(differences_made)


def effects(verdicts: VerdictArrays) -> tuple[Effect, ...]:
    """Compute the effect of disqualification on each model. Raises ValueError when there was no phase B."""
    if verdicts.ineligible is None:
        raise ValueError("without phase B nothing is disqualified")
    out, adjusted = disqualified(verdicts.ineligible), final(verdicts)
    effects_made = []
    for m, model in enumerate(verdicts.models):
        before, after = row_cells(verdicts, verdicts.accurate, m), row_cells(verdicts, adjusted, m)
        cells = tuple(None if a is None or b is None else a - b for a, b in zip(before, after, strict=True))
        n_dropped, unknown = int((out[:, m] == 1).sum()), int(np.isnan(out[:, m]).sum())
        effects_made.append(Effect(model, cells, _mean_of(cells), n_dropped, unknown))
    return tuple(effects_made)


def _averages_of(verdicts: VerdictArrays, values: Floats) -> Floats:
    """Return the average column in each resample, shape (resamples, models), over the splits that have examples."""
    with_rows = [s for s in range(len(verdicts.splits)) if (verdicts.split == s).any()]
    averaged: Floats = values[with_rows].mean(axis=(0, -1)) if with_rows else values[0, :, :, 0]
    return averaged


def _cell(judge: str, split: str, values: Floats, least: float) -> Cell:
    defined = values[~np.isnan(values)]
    n, score = len(defined), share(values, least)
    if score is None:
        return Cell(judge, split, None, n, len(values) - n, None, None)
    return Cell(judge, split, score, n, len(values) - n, wald(score, n), wilson(int(defined.sum()), n))


def _average(cells: Sequence[Cell], n: int, bootstrap: Interval | None) -> Average:
    score = _mean_of([cell.score for cell in cells])
    if score is None:
        return Average(None, n, None, None)
    return Average(score, n, wald(score, n), bootstrap or wilson(score * n, n))


def share(values: Floats, least: float) -> float | None:
    """Return a share; None without a verdict, or with too few of the expected ones."""
    defined = values[~np.isnan(values)]
    return float(defined.sum() / len(defined)) if len(defined) and len(defined) >= least * len(values) else None


def _mean_of(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined and len(defined) == len(values) else None


def _mean_over_judges(values: Floats) -> Floats:
    """Return an array of shape (examples, models); NaN where no judge has a verdict."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(present, values, 0.0).sum(axis=-1) / present.sum(axis=-1)
    return means


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value
