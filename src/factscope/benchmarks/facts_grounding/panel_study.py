"""Sensitivity of the FACTS Grounding table to its panel.

The table is made again without one judge, with a third asked only on disagreement, or with another template of a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome
from factscope.benchmarks.facts_grounding.score_table import Floats, ScoredVerdicts, VerdictArrays, final, known
from factscope.core import InputError, Interval, Record
from factscope.scoring.intervals import bootstrap_mean

_PAIR = 2  # judges who are always asked; the third only where they differ


class ChangedTable(Record):
    """The final table by a changed panel."""

    averages: tuple[float | None, ...]
    """Of the models."""
    ranks: tuple[int | None, ...]
    """Fused ranks of the models."""
    moved: int
    """Number of models whose rank differs from the whole panel's table."""


class LeftOut(ChangedTable):
    """The table without one judge."""

    judge: str
    """The judge that is left out."""


class Adaptive(Record):
    """Two judges asked of every response, and the third only where they differ; where they agree, it is taken to."""

    first: str
    second: str
    third: str
    """The judge that is called only where the first two differ."""
    n: int
    """Responses of which all three have a verdict."""
    asked: int
    """Of these, those that the third is asked about."""
    saved: float | None
    """Share of all calls that are saved."""
    bias: float | None
    """Mean score by these verdicts minus that by all three: where two agree, the third may differ."""
    interval: Interval | None
    """Of the bias, by bootstrap over examples."""


class ChangedTemplate(ChangedTable):
    """The final table with another template for one judge, and everything else unchanged."""

    judge: str
    """Model of the judge."""
    template: str
    """Template of the table."""
    instead: str
    """Template that takes its place."""
    same: float | None
    """Share of the responses judged with both templates on which the judge agrees with itself."""
    n: int
    """Responses that it judged by both."""


def _changed_table(verdicts: VerdictArrays, other: VerdictArrays) -> dict[str, Any]:
    """Return the fields of `ChangedTable`, for the table of other verdicts."""
    before, after = (ScoredVerdicts(each, final(each)) for each in (verdicts, other))
    moved = sum(a.rank != b.rank for a, b in zip(after.standings, before.standings, strict=True))
    averages, ranks = map(known, after.averages), (fused.rank for fused in after.standings)
    return {"averages": tuple(averages), "ranks": tuple(ranks), "moved": moved}


def without_judges(verdicts: VerdictArrays) -> tuple[LeftOut, ...]:
    """Return the final table without each judge in turn; empty for a panel of two, whose consensus needs both."""
    if len(verdicts.judges) <= _PAIR:
        return ()
    studies = []
    for place, judge in enumerate(verdicts.judges):
        some = replace(
            verdicts,
            judges=verdicts.judges[:place] + verdicts.judges[place + 1 :],
            accurate=np.delete(verdicts.accurate, place, axis=-1),
            ineligible=None if verdicts.ineligible is None else np.delete(verdicts.ineligible, place, axis=-1),
        )
        studies.append(LeftOut(judge=judge, **_changed_table(verdicts, some)))
    return tuple(studies)


def adaptive(verdicts: VerdictArrays, *, resamples: int, seed: int = 0) -> tuple[Adaptive, ...]:
    """Return the study with each of three judges as the third; empty for other panels."""
    if len(verdicts.judges) != _PAIR + 1:
        return ()
    return tuple(
        _with_third(verdicts, (first, second), resamples, seed) for first, second in combinations(range(_PAIR + 1), 2)
    )


def _with_third(verdicts: VerdictArrays, pair: tuple[int, int], resamples: int, seed: int) -> Adaptive:
    (third,) = {0, 1, 2} - set(pair)
    labels = verdicts.by_judges(verdicts.accurate)[..., [*pair, third]]
    known = ~np.isnan(labels).any(axis=-1)
    agree = known & (labels[..., 0] == labels[..., 1])
    taken = np.where(agree, labels[..., 0], labels[..., 2])
    gap = np.where(known, (taken - labels[..., 2]) / (_PAIR + 1), np.nan)
    n, asked = int(known.sum()), int((known & ~agree).sum())
    by_example = [float(row[~np.isnan(row)].mean()) for row in gap if not np.isnan(row).all()]
    return Adaptive(
        first=verdicts.judges[pair[0]],
        second=verdicts.judges[pair[1]],
        third=verdicts.judges[third],
        n=n,
        asked=asked,
        saved=(n - asked) / ((_PAIR + 1) * n) if n else None,
        bias=float(np.nanmean(gap)) if n else None,
        interval=bootstrap_mean(by_example, resamples=resamples, seed=seed) if by_example else None,
    )


def changed_templates(table: GroundingOutcome, others: Sequence[GroundingOutcome]) -> tuple[ChangedTemplate, ...]:
    """Return the table of one result with a judge's verdicts replaced by those of its other templates.

    Raises InputError for results on other examples or by other models, and when no template differs.
    """
    changes = [change for other in others for change in _changes(table, other)]
    if others and not changes:
        raise InputError(
            "No judge has another template in the results to compare with.",
            "Make one: the same command with another TEMPLATE= before one of the --judge models.",
        )
    return tuple(changes)


def _changes(table: GroundingOutcome, other: GroundingOutcome) -> list[ChangedTemplate]:
    if table.plan.examples.sha256 != other.plan.examples.sha256 or table.panel.models != other.panel.models:
        raise InputError(
            "A result with changed templates is on other examples, or by other judges.",
            "Only templates may differ: keep --data and the models of --judge as they were.",
        )
    aligned = _aligned(table, other)
    judges = enumerate(zip(table.panel.models, table.panel.templates, other.panel.templates, strict=True))
    return [
        _change(table.verdicts, aligned[..., judge], judge, names) for judge, names in judges if names[1] != names[2]
    ]


def _aligned(table: GroundingOutcome, other: GroundingOutcome) -> Floats:
    """Return the verdicts of another result at the places of the table's; NaN where it has none."""
    rows = {row.id: index for index, row in enumerate(other.plan.rows)}
    columns = {model: index for index, model in enumerate(other.verdicts.models)}
    aligned: Floats = np.full(table.verdicts.accurate.shape, np.nan)
    for e, row in enumerate(table.plan.rows):
        for m, model in enumerate(table.verdicts.models):
            if row.id in rows and model in columns:
                aligned[e, m] = other.verdicts.accurate[rows[row.id], columns[model]]
    return aligned


def _change(verdicts: VerdictArrays, labels: Floats, judge: int, names: tuple[str, str, str]) -> ChangedTemplate:
    before = verdicts.by_judges(verdicts.accurate)[..., judge]
    same = (before == labels)[~np.isnan(before) & ~np.isnan(labels)]
    accurate = verdicts.accurate.copy()
    accurate[..., judge] = labels
    return ChangedTemplate(
        judge=names[0],
        template=names[1],
        instead=names[2],
        **_changed_table(verdicts, replace(verdicts, accurate=accurate)),
        same=float(same.mean()) if len(same) else None,
        n=len(same),
    )
