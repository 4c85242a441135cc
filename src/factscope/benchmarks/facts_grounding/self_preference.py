"""Whether a judge favours its own model, or its own family.

A judge's score for its own model less that of the other judges is mostly how lenient the judge is. So the same gap is
taken for all other models, and taken away: a difference in differences. The paper reports a mean of +3.23 % and gives
no formula; no natural one gives that number from its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factscope.benchmarks.facts_grounding.bootstrap import draw
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays
from factscope.core.records import Interval
from factscope.scoring.intervals import RESAMPLES, percentiles


@dataclass(frozen=True, slots=True)
class Preference:
    """Scores that one judge gives its own models, less those that others give them."""

    judge: str
    own: tuple[str, ...]
    """The models that count as its own."""
    raw: float
    """Its score for its own less the mean of the other judges' for the same."""
    value: float
    """`raw` less the mean of the same for all other models: the difference in differences."""
    interval: Interval | None
    """Bootstrap over examples, drawn within their split."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """All judges with an own model among the candidates, and their mean."""

    judges: tuple[Preference, ...]
    raw: float | None
    """None when no judge has one."""
    value: float | None
    interval: Interval | None


def gaps(scores: Floats) -> Floats:
    """Each judge's score less the mean of the other judges': (…, models, judges) → the same shape."""
    judges = scores.shape[-1]
    gap: Floats = (
        (scores - (scores.sum(axis=-1, keepdims=True) - scores) / (judges - 1)) if judges > 1 else scores * np.nan
    )
    return gap


def contrast(scores: Floats, judge: int, own: Sequence[int]) -> Floats:
    """The difference in differences of one judge: (…, models, judges) → (…)."""
    gap = gaps(scores)[..., judge]
    others = [m for m in range(gap.shape[-1]) if m not in own]
    return np.asarray(gap[..., list(own)].mean(axis=-1) - gap[..., others].mean(axis=-1))


def self_preference(
    verdicts: VerdictArrays,
    values: Floats,
    own: Sequence[Sequence[int]],
    *,
    floats: Floats | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Preferences:
    """Measure how far each judge favours its own models.

    `own` holds, for each judge, the places of its models in `verdicts.models`.

    A judge without one is left out, and so is one whose own are all there is. For its very model give that place, for
    its family the places of all models of it. Scores are means of the splits'; `drawn` is what `draw` makes of the
    values. Raises ValueError for lists that do not
    fit.
    """
    if len(own) != len(verdicts.judges):
        raise ValueError(f"own must name models for each of the {len(verdicts.judges)} judges, not {len(own)}")
    there = [s for s in range(len(verdicts.splits)) if (verdicts.split == s).any()]
    n_models = len(verdicts.models)
    wanted = [(j, tuple(places)) for j, places in enumerate(own) if 0 < len(set(places)) < n_models]
    if not wanted or not there or len(verdicts.judges) < 2:
        return Preferences((), None, None, None)
    with np.errstate(invalid="ignore"):
        scores = np.mean([_means(values[verdicts.split == s]) for s in there], axis=0)
        every = draw(verdicts, values, resamples, seed) if floats is None else floats
        resampled = every[there].mean(axis=0)
    found = [contrast(resampled, j, places) for j, places in wanted]
    judges = tuple(
        Preference(
            verdicts.judges[j],
            tuple(verdicts.models[m] for m in places),
            float(gaps(scores)[list(places), j].mean()),
            float(contrast(scores, j, places)),
            percentiles(contrasts, len(values)),
        )
        for (j, places), contrasts in zip(wanted, found, strict=True)
    )
    return Preferences(
        judges,
        float(np.mean([judge.raw for judge in judges])),
        float(np.mean([judge.value for judge in judges])),
        percentiles(np.mean(found, axis=0), len(values)),
    )


def _means(values: Floats) -> Floats:
    there = ~np.isnan(values)
    means: Floats = np.where(there, values, 0.0).sum(axis=0) / there.sum(axis=0)
    return means
