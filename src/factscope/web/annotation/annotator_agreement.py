"""Agreement of annotators on right and wrong, with intervals by resampling samples: their segments are dependent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from factscope.core import group_by
from factscope.scoring.agreement import (
    PairCounts,
    alpha_of,
    coincidences,
    crossed,
    kappa_of,
    measure_agreement,
    raw_of,
)
from factscope.web.annotation.annotation_forms import AgreementMeasure, AnnotationAgreement, DomainAgreement
from factscope.web.annotation.task_answers import TaskAnswers, mark_at, stretches

if TYPE_CHECKING:
    from factscope.scoring.agreement import Tables, Values

Units = Sequence[tuple[bool | None, ...]]
"""The parts of one sample: for each, the label of every annotator, None for one who has not finished."""
_PAIR = 2  # agreement needs two answers
_MOST_DOMAINS = 20  # more have too few samples each


def agreement(names: Sequence[str], items: Sequence[TaskAnswers]) -> AnnotationAgreement:
    """Return the agreement of these annotators over all tasks, and by domain."""
    by_domain = group_by(items, lambda item: item.stored.task.domain)
    domains = {domain: group for domain, group in by_domain.items() if domain}
    displayed = domains if len(domains) <= _MOST_DOMAINS and len(by_domain) > 1 else {}
    return AnnotationAgreement(
        **_figures(names, items),
        annotators=tuple(names),
        domains=tuple(DomainAgreement(**_figures(names, group), domain=name) for name, group in displayed.items()),
    )


def _figures(names: Sequence[str], items: Sequence[TaskAnswers]) -> dict[str, Any]:
    """Return the fields of `AgreementFigures`."""
    samples: list[Units] = []
    differs = 0
    for item in items:
        supplied = {
            member.name: answer for member, answer in item.answers.items() if member.role == "annotator" and answer.done
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
    return {
        "samples": len(samples),
        "units": sum(map(len, samples)),
        "keep_differs": differs,
        "percent": _measured(samples, _pairs, raw_of),
        "kappa": _measured(samples if len(names) == _PAIR else [], _pairs, kappa_of),
        "alpha": _measured(samples, coincidences, alpha_of),
    }


def _measured(
    samples: Sequence[Units], count: Callable[[Units], PairCounts], measure: Callable[[Tables], Values]
) -> AgreementMeasure:
    value, interval = measure_agreement(samples, count, measure)
    return AgreementMeasure(value=value, low=interval and interval.low, high=interval and interval.high)


def _pairs(units: Units) -> PairCounts:
    """Count pairs of labels of the same unit."""
    return crossed(pair for unit in units for pair in combinations(unit, 2))
