"""Agreement of annotators on right and wrong, with intervals by resampling samples: their segments are dependent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from factscope.scoring.agreement import cohen_kappa, krippendorff_alpha
from factscope.scoring.intervals import clustered_bootstrap
from factscope.web.annotation.annotation_forms import AgreementMeasure, AnnotationAgreement, DomainAgreement
from factscope.web.annotation.task_answers import Answers, mark_at, stretches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Units = Sequence[tuple[bool | None, ...]]
"""The parts of one sample: for each, the label of every annotator, None for one who has not finished."""
_PAIR = 2  # agreement needs two answers
_MOST_DOMAINS = 20  # more have too few samples each


def agreement(names: Sequence[str], tasks: Sequence[tuple[str | None, Answers]]) -> AnnotationAgreement:
    """Return the agreement of these annotators over all tasks, and by domain."""
    domains = list(dict.fromkeys(domain for domain, _ in tasks if domain))
    displayed = domains if len(domains) <= _MOST_DOMAINS and len({domain for domain, _ in tasks}) > 1 else []
    return AnnotationAgreement(
        **_figures(names, [answers for _, answers in tasks]),
        annotators=tuple(names),
        domains=tuple(
            DomainAgreement(**_figures(names, [answers for of, answers in tasks if of == domain]), domain=domain)
            for domain in displayed
        ),
    )


def _figures(names: Sequence[str], tasks: Sequence[Answers]) -> dict[str, Any]:
    """Return the fields of `AgreementFigures`."""
    samples: list[Units] = []
    differs = 0
    for answers in tasks:
        supplied = {
            member.name: entry for member, entry in answers.items() if member.role == "annotator" and entry.done
        }
        if len(supplied) < _PAIR:
            continue
        if len({answer.keep for answer in supplied.values()}) > 1:
            differs += 1
        elif all(answer.keep for answer in supplied.values()):
            positions = stretches(list(supplied.values()))
            samples.append(
                [tuple(mark_at(supplied[n], at).correct if n in supplied else None for n in names) for at in positions]
            )
    units = [unit for sample in samples for unit in sample]
    both = [(unit[0], unit[1]) for unit in units] if len(names) == _PAIR else []
    return {
        "samples": len(samples),
        "units": len(units),
        "keep_differs": differs,
        "percent": _measured(_share(units), samples, _pairs, _of_pairs),
        "kappa": _measured(cohen_kappa(*zip(*both, strict=True)), samples, _table, _of_table)
        if both
        else AgreementMeasure(),
        "alpha": _measured(krippendorff_alpha(units), samples, _coincidences, _of_coincidences),
    }


def _measured(
    value: float | None,
    samples: Sequence[Units],
    count: Callable[[Units], tuple[float, ...]],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> AgreementMeasure:
    if value is None:
        return AgreementMeasure()
    import numpy as np

    interval = clustered_bootstrap(np.array([count(sample) for sample in samples], dtype=float), statistic)
    return AgreementMeasure(
        value=value, low=interval.low if interval else None, high=interval.high if interval else None
    )


def _share(units: Units) -> float | None:
    same, pairs = _pairs(units)
    return same / pairs if pairs else None


def _pairs(units: Units) -> tuple[float, ...]:
    """Return the number of pairs with the same label, and of all pairs."""
    results = [a == b for unit in units for a, b in combinations([item for item in unit if item is not None], 2)]
    return sum(results), len(results)


def _of_pairs(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / sums[:, 1]


def _table(units: Units) -> tuple[float, ...]:
    """Return the number of units that both call right, only the first, only the second, and neither."""
    results = Counter(units)
    return tuple(results[pair] for pair in ((True, True), (True, False), (False, True), (False, False)))


def _of_table(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    n, first, second = sums.sum(axis=1), sums[:, 0] + sums[:, 1], sums[:, 0] + sums[:, 2]
    chance = (first * second + (n - first) * (n - second)) / n**2
    kappa: NDArray[np.float64] = ((sums[:, 0] + sums[:, 3]) / n - chance) / (1 - chance)
    return kappa


def _coincidences(units: Units) -> tuple[float, ...]:
    """Sum the units' contributions to Krippendorff's disagreement, and their labels right and wrong."""
    difference = right = wrong = 0.0
    for unit in units:
        labels = Counter(item for item in unit if item is not None)
        m = labels.total()
        if m >= _PAIR:
            difference += (m * m - sum(n * n for n in labels.values())) / (m - 1)
            right, wrong = right + labels[True], wrong + labels[False]
    return difference, right, wrong


def _of_coincidences(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    difference, right, wrong = sums.T
    alpha: NDArray[np.float64] = 1 - (right + wrong - 1) * difference / (2 * right * wrong)
    return alpha
