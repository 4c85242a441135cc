"""Several labellers on the same units: their agreement, with intervals, and how often an arbiter must decide.

FactBench labels with one model; its reviews ask for at least two, and for a rule where they disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from pydantic import Field

from factscope.core.grouping import group_by
from factscope.core.records import Interval, Record
from factscope.scoring.agreement import alpha_of, coincidences, crossed, kappa_of, measure_agreement, raw_of
from factscope.scoring.intervals import RESAMPLES
from factscope.scoring.means import Proportion, proportion

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
    measured = partial(measure_agreement, resamples=resamples, seed=seed)
    labelled = [unit for unit in units if any(unit.labels)]
    with_several = [unit for unit in labelled if sum(label is not None for label in unit.labels) > 1]
    disagreeing = [unit for unit in with_several if len({label for label in unit.labels if label}) > 1]
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        both = [unit._replace(labels=(unit.labels[a], unit.labels[b])) for unit in labelled]
        both = [unit for unit in both if all(unit.labels)]
        raw, raw_interval = measured(_by_response(both), crossed, raw_of)
        kappa, kappa_interval = measured(_by_response(both), crossed, kappa_of)
        pairs.append(
            PairAgreement(
                first=names[a],
                second=names[b],
                n=len(both),
                raw=raw,
                raw_interval=raw_interval,
                kappa=kappa,
                kappa_interval=kappa_interval,
            )
        )
    alpha, alpha_interval = measured(_by_response(with_several), coincidences, alpha_of)
    return Labellers(
        names=tuple(names),
        n=len(labelled),
        pairs=tuple(pairs),
        alpha=alpha,
        alpha_interval=alpha_interval,
        disagreements=proportion(len(disagreeing), len(with_several)),
        settled=proportion(sum(unit.ensemble in LABELS[:2] for unit in disagreeing), len(disagreeing)),
        with_ensemble=tuple(_share_with_ensemble(labelled, index) for index in range(len(names))),
    )


def _share_with_ensemble(units: Sequence[UnitLabels], index: int) -> Proportion:
    both = [unit for unit in units if unit.labels[index] and unit.ensemble]
    return proportion(sum(unit.labels[index] == unit.ensemble for unit in both), len(both))


def _by_response(units: Sequence[UnitLabels]) -> list[list[tuple[str | None, ...]]]:
    """Return the labels of the units of each response, the responses in the order of their names."""
    groups = group_by(units, lambda unit: unit.response)
    return [[unit.labels for unit in groups[response]] for response in sorted(groups)]
