"""Sensitivity of the FACTS Grounding table to its panel: without one judge, or with a third only on disagreement."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from factscope.benchmarks.facts_grounding.rank_fusion import fused_rank
from factscope.benchmarks.facts_grounding.score_table import averages, columns
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays, final
from factscope.core.records import Interval, Record
from factscope.scoring.intervals import bootstrap_mean

_PAIR = 2  # judges who are always asked; the third only where they differ


class LeftOut(Record):
    """The table without one judge."""

    judge: str
    """The judge that is left out."""
    averages: tuple[float | None, ...]
    """Of the models, by the others."""
    ranks: tuple[int, ...]
    """Fused ranks of the models, by the others."""
    moved: int
    """Number of models whose rank differs from the whole panel's."""


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


def without_judges(verdicts: VerdictArrays) -> tuple[LeftOut, ...]:
    """Return the final table without each judge in turn; empty for a panel of two, whose consensus needs both."""
    if len(verdicts.judges) <= _PAIR:
        return ()
    whole = fused_ranks(verdicts)
    studies = []
    for place, judge in enumerate(verdicts.judges):
        others = [index for index in range(len(verdicts.judges)) if index != place]
        some = replace(
            verdicts,
            judges=tuple(verdicts.judges[index] for index in others),
            accurate=verdicts.accurate[..., others],
            ineligible=None if verdicts.ineligible is None else verdicts.ineligible[..., others],
        )
        means, ranks = averages(some, final(some)), fused_ranks(some)
        studies.append(
            LeftOut(
                judge=judge,
                averages=tuple(None if np.isnan(mean) else float(mean) for mean in means),
                ranks=ranks,
                moved=sum(a != b for a, b in zip(ranks, whole, strict=True)),
            )
        )
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
    by_example = _row_means(gap)
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


def _row_means(values: Floats) -> list[float]:
    rows = [row[~np.isnan(row)] for row in values]
    return [float(row.mean()) for row in rows if len(row)]


def fused_ranks(verdicts: VerdictArrays) -> tuple[int, ...]:
    """Return fused ranks of the models in the final table."""
    values = final(verdicts)
    return tuple(fused.rank for fused in fused_rank(columns(verdicts, values), averages(verdicts, values)))
