"""Alpha, the weight of an undecided claim against a contradicted one, estimated from human labels.

FactBench sets alpha to 0.5 after a study in which 57 % of undecided units were factual; its reviews ask for the curve
over alpha, and for an alpha of each model. Alpha is the share of undecided units that people find wrong. Few are
labelled, so a group's share is shrunk towards that of all groups, the more the less the groups differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from pydantic import Field

from factscope.core.records import Interval, Record
from factscope.scoring.agreement import kendall_tau
from factscope.scoring.intervals import wilson
from factscope.scoring.means import ranked

DEFAULT = 0.5
_PRIOR = 2.0
"""Number of labels that the prior 0.5 counts as (Laplace's rule), which matters only for a handful of labels."""
FEWEST = 10
"""Fewest labels of a group for which its share counts as evidence that groups differ, and for its own alpha."""
_DUST = 1e-12  # smaller differences are rounding
GRID = tuple(step / 10 for step in range(11))


class Alpha(Record):
    """Alpha of one group, or of all groups together."""

    group: str | None
    """Model, tier or topic; `None` for all together."""
    value: float
    """The estimate: 0.5 without any labels; for a group without labels, that of all groups."""
    interval: Interval | None
    """Wilson's interval on the labels, own and borrowed; it treats units as independent. `None` without labels."""
    raw: float | None
    """The share in this group alone; `None` without labels."""
    n: int = Field(ge=0)
    """Undecided units with a label."""
    borrowed: float | None
    """Number of labels that the common share counts as beside the group's own; `None` when groups do not differ beyond
    chance, so that only the common share is used."""


def estimate_alpha(labels: Mapping[str, Sequence[bool]]) -> tuple[Alpha, ...]:
    """Return alpha of all, then of each group, from whether each undecided unit of a group is wrong.

    The groups are beta-binomial: the common share counts as 1 / rho - 1 further labels, where rho is the correlation
    within groups by moments (Kleinman 1973), from groups with at least `FEWEST` labels. For the common share itself,
    the prior 0.5 counts as two labels.
    """
    n, k = sum(map(len, labels.values())), sum(map(sum, labels.values()))
    common = (k + DEFAULT * _PRIOR) / (n + _PRIOR)
    spread = wilson(k + DEFAULT * _PRIOR, n + _PRIOR) if n else None
    borrowed = _borrowed([(sum(label), len(label)) for label in labels.values() if len(label) >= FEWEST])
    results = [Alpha(group=None, value=common, interval=spread, raw=k / n if n else None, n=n, borrowed=None)]
    for name, group in labels.items():
        n_own, wrong, value, interval = len(group), sum(group), common, spread
        if borrowed is not None and n_own + borrowed:  # labels of its own, or some to borrow
            k_drawn, n_drawn = wrong + common * borrowed, n_own + borrowed
            value, interval = k_drawn / n_drawn, wilson(k_drawn, n_drawn)
        raw = wrong / n_own if n_own else None
        results.append(Alpha(group=name, value=value, interval=interval, raw=raw, n=n_own, borrowed=borrowed))
    return tuple(results)


def _borrowed(groups: Sequence[tuple[int, int]]) -> float | None:
    """Return the weight of the common share in labels; `None` when the groups do not differ beyond chance."""
    total, sizes = sum(n for _, n in groups), [n for _, n in groups]
    if len(groups) < 2:
        return None
    p = sum(k for k, _ in groups) / total
    within = p * (1 - p)
    if not within:
        return None
    room = total - sum(n * n for n in sizes) / total - (len(groups) - 1)  # above 0 for groups of two and more
    rho = (sum(n * (k / n - p) ** 2 for k, n in groups) - within * (len(groups) - 1)) / (within * room)
    return None if rho <= 0 else 1 / min(rho, 1.0) - 1


class EndedUnits(NamedTuple):
    """Outcomes of the judged units of one response."""

    contradicted: int
    undecided: int
    n: int
    """All judged units."""


class AlphaPoint(Record):
    """Scores and ranks at one alpha."""

    alpha: float
    scores: dict[str, float]
    """Mean hallucination score by model (FactBench, equation 1); lower is better."""
    ranks: dict[str, int]
    """From 1, the lowest score first; ties share the better rank."""
    tau: float | None
    """Kendall's tau-b with the order at `Sensitivity.reference`; `None` when one order is constant."""


class Sensitivity(Record):
    """Effect of alpha on scores and ranks of several models."""

    reference: float
    """The alpha that the others are compared with."""
    curve: tuple[AlphaPoint, ...]
    stable_from: float
    """Smallest alpha at which all models have the same order as at the reference."""
    stable_to: float
    """Largest such alpha."""


def sensitivity(
    models: Mapping[str, Sequence[EndedUnits]], reference: float = DEFAULT, alphas: Sequence[float] = GRID
) -> Sensitivity | None:
    """Return the curve at these alphas; `None` when no model has a judged unit. Responses without any are left out.

    A mean score is a straight line in alpha, so the ends of the stable interval are crossings, found exactly.
    Raises ValueError for a reference outside [0, 1].
    """
    if not 0 <= reference <= 1:
        raise ValueError(f"alpha must be between 0 and 1, not {reference}")
    lines = {name: line for name, group in models.items() if (line := _line(group))}
    if not lines:
        return None
    at_reference = _ranks(_scores(lines, reference))
    crossings = [
        (one_at_zero - at_zero) / (rise - one_rise)
        for (one_at_zero, one_rise), (at_zero, rise) in combinations(lines.values(), 2)
        if abs(rise - one_rise) > _DUST  # not parallel
    ]
    curve = []
    for alpha in alphas:
        scores = _scores(lines, alpha)
        ranks = _ranks(scores)
        tau = kendall_tau(list(at_reference.values()), list(ranks.values()))
        curve.append(AlphaPoint(alpha=alpha, scores=scores, ranks=ranks, tau=tau))
    return Sensitivity(
        reference=reference,
        curve=tuple(curve),
        stable_from=max([0.0, *(crossing for crossing in crossings if crossing <= reference)]),
        stable_to=min([1.0, *(crossing for crossing in crossings if crossing >= reference)]),
    )


def _line(responses: Sequence[EndedUnits]) -> tuple[float, float] | None:
    """Return the mean score at alpha 0, and its increase from there to alpha 1."""
    judged = [(units.contradicted / sqrt(units.n), units.undecided / sqrt(units.n)) for units in responses if units.n]
    if not judged:
        return None
    at_zero, rise = (sum(parts) / len(judged) for parts in zip(*judged, strict=True))
    return at_zero, rise


def _scores(lines: Mapping[str, tuple[float, float]], alpha: float) -> dict[str, float]:
    return {name: at_zero + alpha * rise for name, (at_zero, rise) in lines.items()}


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    return ranked({name: -score for name, score in scores.items()})
