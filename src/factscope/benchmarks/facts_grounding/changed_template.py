"""Sensitivity of the FACTS Grounding table to its judges' templates: the verdicts of one judge are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome
from factscope.benchmarks.facts_grounding.panel_study import fused_ranks
from factscope.benchmarks.facts_grounding.score_table import averages
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays, final
from factscope.core.errors import InputError
from factscope.core.records import Record


class ChangedTemplate(Record):
    """The final table with another template for one judge, and everything else unchanged."""

    judge: str
    """Model of the judge."""
    template: str
    """Template of the table."""
    instead: str
    """Template that takes its place."""
    averages: tuple[float | None, ...]
    """Of the models."""
    ranks: tuple[int, ...]
    """Fused ranks of the models."""
    moved: int
    """Number of models whose rank differs from the table."""
    same: float | None
    """Share of the responses judged with both templates on which the judge agrees with itself."""
    n: int
    """Responses that it judged by both."""


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
    seats = zip(table.panel.models, table.panel.templates, other.panel.templates, strict=True)
    return [
        _change(table.verdicts, aligned[..., seat], seat, names)
        for seat, names in enumerate(seats)
        if names[1] != names[2]
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


def _change(verdicts: VerdictArrays, labels: Floats, seat: int, names: tuple[str, str, str]) -> ChangedTemplate:
    accurate = verdicts.accurate.copy()
    before = verdicts.by_judges(verdicts.accurate)[..., seat]
    same = (before == labels)[~np.isnan(before) & ~np.isnan(labels)]
    accurate[..., seat] = labels
    exchanged = replace(verdicts, accurate=accurate)
    means, ranks = averages(exchanged, final(exchanged)), fused_ranks(exchanged)
    return ChangedTemplate(
        judge=names[0],
        template=names[1],
        instead=names[2],
        averages=tuple(None if np.isnan(mean) else float(mean) for mean in means),
        ranks=ranks,
        moved=sum(a != b for a, b in zip(ranks, fused_ranks(verdicts), strict=True)),
        same=float(same.mean()) if len(same) else None,
        n=len(same),
    )
