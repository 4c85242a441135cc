"""Several labellers on the same units: their agreement, with intervals, and how often an arbiter must decide.

FactBench labels with one model; its reviews ask for at least two, and for a rule where they disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.core.records import Interval, Record
from factscope.scoring.agreement import cohen_kappa, krippendorff_alpha, raw_agreement
from factscope.scoring.intervals import RESAMPLES, clustered_bootstrap
from factscope.scoring.means import Proportion, proportion

Array = NDArray[np.float64]
LABELS = ("supported", "contradicted", "undecided")
"""Labels that a labeller may give; units without evidence are undecided."""


class UnitLabels(NamedTuple):
    """One unit."""

    response: str
    """The response that it is from: units of one response are not independent."""
    labels: tuple[str | None, ...]
    """Label of each labeller, in their order; `None` where one gave none."""
    ensemble: str | None
    """Their common label; `None` when there is none."""


class PairAgreement(Record):
    """Two labellers on the units that both labelled."""

    first: str
    second: str
    n: int = Field(ge=0)
    raw: float | None
    """Share of units with the same label."""
    raw_interval: Interval | None
    """Bootstrap over responses, as all intervals here."""
    kappa: float | None
    """Cohen's."""
    kappa_interval: Interval | None


class Labellers(Record):
    """All labellers."""

    names: tuple[str, ...]
    n: int = Field(ge=0)
    """Units with a label of one labeller at least."""
    pairs: tuple[PairAgreement, ...]
    alpha: float | None
    """Krippendorff's alpha of all labellers, nominal."""
    alpha_interval: Interval | None
    disagreements: Proportion
    """Units labelled by at least two on which they disagree; only these go to an arbiter."""
    settled: Proportion
    """Of these, units on which the ensemble still reaches supported or contradicted."""
    with_ensemble: tuple[Proportion, ...]
    """Share of units on which each labeller agrees with the ensemble."""


def compare_labellers(
    names: Sequence[str], units: Sequence[UnitLabels], *, resamples: int = RESAMPLES, seed: int = 0
) -> Labellers:
    """Measure the agreement of labellers. Raises ValueError when a unit has not one place for each of `names`."""
    if any(len(unit.labels) != len(names) for unit in units):
        raise ValueError(f"each unit must have {len(names)} labels")
    interval = partial(_interval, resamples=resamples, seed=seed)
    labelled = [unit for unit in units if any(unit.labels)]
    with_several = [unit for unit in labelled if sum(label is not None for label in unit.labels) > 1]
    disagreeing = [unit for unit in with_several if len({label for label in unit.labels if label}) > 1]
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        both = [unit._replace(labels=(unit.labels[a], unit.labels[b])) for unit in labelled]
        both = [unit for unit in both if all(unit.labels)]
        left, other = ([unit.labels[index] for unit in both] for index in (0, 1))
        pairs.append(
            PairAgreement(
                first=names[a],
                second=names[b],
                n=len(both),
                raw=raw_agreement(left, other),
                raw_interval=interval(both, _crossed, _raw),
                kappa=cohen_kappa(left, other),
                kappa_interval=interval(both, _crossed, _kappa),
            )
        )
    return Labellers(
        names=tuple(names),
        n=len(labelled),
        pairs=tuple(pairs),
        alpha=krippendorff_alpha([unit.labels for unit in labelled]),
        alpha_interval=interval(with_several, _coincidences, _alpha),
        disagreements=proportion(len(disagreeing), len(with_several)),
        settled=proportion(sum(unit.ensemble in LABELS[:2] for unit in disagreeing), len(disagreeing)),
        with_ensemble=tuple(_share_with_ensemble(labelled, index) for index in range(len(names))),
    )


def _share_with_ensemble(units: Sequence[UnitLabels], index: int) -> Proportion:
    both = [unit for unit in units if unit.labels[index] and unit.ensemble]
    return proportion(sum(unit.labels[index] == unit.ensemble for unit in both), len(both))


def _interval(
    units: Sequence[UnitLabels],
    counted: Callable[[Array], Array],
    statistic: Callable[[Array], Array],
    *,
    resamples: int,
    seed: int,
) -> Interval | None:
    """Bootstrap, over responses, a number that follows from a table of labels, of shape (labels, labels)."""
    if not units:
        return None
    response_index = {name: n for n, name in enumerate(sorted({unit.response for unit in units}))}
    number: dict[str | None, int] = {label: n for n, label in enumerate(LABELS)}
    labels = np.array([[number.get(label, -1) for label in unit.labels] for unit in units], dtype=np.float64)
    tables = np.zeros((len(response_index), len(LABELS) ** 2))
    np.add.at(tables, [response_index[unit.response] for unit in units], counted(labels).reshape(len(units), -1))
    shape = (-1, len(LABELS), len(LABELS))
    return clustered_bootstrap(tables, lambda sums: statistic(sums.reshape(shape)), resamples=resamples, seed=seed)


def _crossed(labels: Array) -> Array:
    """Return the table of each unit, shape (units, labels, labels): a 1 in the cell of its two labels."""
    first, second = (_one_hot(labels[:, index]) for index in (0, 1))
    table: Array = first[:, :, None] * second[:, None, :]
    return table


def _coincidences(labels: Array) -> Array:
    """Return Krippendorff's coincidences of each unit: its pairs of labels, over the number of labels minus one."""
    counts = np.sum([_one_hot(labels[:, index]) for index in range(labels.shape[1])], axis=0)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(LABELS))
    table: Array = pairs / (counts.sum(1) - 1)[:, None, None]
    return table


def _one_hot(labels: Array) -> Array:
    """Return an array of shape (units, labels): 1 for the label of a unit, all 0 for none."""
    return np.asarray(labels[:, None] == np.arange(len(LABELS)), dtype=np.float64)


def _raw(tables: Array) -> Array:
    return np.asarray(_agreed(tables) / tables.sum((1, 2)))


def _kappa(tables: Array) -> Array:
    n = tables.sum((1, 2))
    chance = (tables.sum(1) * tables.sum(2)).sum(1) / n**2
    return np.asarray((_agreed(tables) / n - chance) / (1 - chance))


def _alpha(tables: Array) -> Array:
    n = tables.sum((1, 2))
    expected = n**2 - (tables.sum(2) ** 2).sum(1)
    return np.asarray(1 - (n - 1) * (n - _agreed(tables)) / expected)


def _agreed(tables: Array) -> Array:
    """Return units on the diagonal of each table, shape (tables,)."""
    return np.asarray(tables.trace(axis1=1, axis2=2))
