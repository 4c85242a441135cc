"""Agreement of annotators on right and wrong, with intervals by resampling samples: their segments are dependent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

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
from factscope.web.annotation.task_answers import Answers, mark_at, stretches

if TYPE_CHECKING:
    from factscope.scoring.agreement import Tables, Values

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
