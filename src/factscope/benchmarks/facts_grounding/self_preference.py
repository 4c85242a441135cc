"""Whether a judge favours its own model, or its own family.

A judge's score for its own model minus that of the other judges mostly reflects how lenient the judge is. So the same
gap for all other models is subtracted: a difference in differences. The paper reports a mean of +3.23 % without a
formula; no obvious formula gives that number from its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factscope.benchmarks.facts_grounding.score_table import Floats, ScoredVerdicts
from factscope.core import Interval
from factscope.scoring.intervals import percentiles


@dataclass(frozen=True, slots=True)
class Preference:
    """Scores that one judge gives its own models, minus those that others give them."""

    judge: str
    own_models: tuple[str, ...]
    """The models that count as its own."""
    raw: float
    """Its score for its own models minus the other judges' mean for the same models."""
    value: float
    """`raw` minus the mean of the same for all other models: the difference in differences."""
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
    """Return each judge's score minus the mean of the other judges': (…, models, judges) → the same shape."""
    judges = scores.shape[-1]
    gap: Floats = (
        (scores - (scores.sum(axis=-1, keepdims=True) - scores) / (judges - 1)) if judges > 1 else scores * np.nan
    )
    return gap


def contrast(scores: Floats, judge: int, own_models: Sequence[int]) -> Floats:
    """Return the difference in differences of one judge: (…, models, judges) → (…)."""
    gap = gaps(scores)[..., judge]
    others = [m for m in range(gap.shape[-1]) if m not in own_models]
    return np.asarray(gap[..., list(own_models)].mean(axis=-1) - gap[..., others].mean(axis=-1))


def self_preference(scored: ScoredVerdicts, own_models: Sequence[Sequence[int]]) -> Preferences:
    """Measure how far each judge favours its own models.

    `own_models` holds, for each judge, the indices of its own models: of its very model, or of all models of its
    family. A judge is left out if it has none or if all models are its own, and also if one of its scores is undefined.
    Scores are means of the splits'.
    """
    verdicts, n = scored.verdicts, len(scored.values)
    if not scored.present:
        return Preferences((), None, None, None)
    by_split = scored.columns.reshape(len(verdicts.models), len(verdicts.splits), -1)
    scores = by_split[:, scored.present].mean(axis=1)
    models: list[int] = np.flatnonzero(~np.isnan(scores).all(axis=1)).tolist()
    judge_indices: list[int] = np.flatnonzero(~np.isnan(scores[models]).any(axis=0)).tolist()
    at = {m: index for index, m in enumerate(models)}
    own = [(j, tuple(at[m] for m in own_models[judge] if m in at)) for j, judge in enumerate(judge_indices)]
    judges_with_own = [(j, indices) for j, indices in own if 0 < len(set(indices)) < len(models)]
    if not judges_with_own or len(judge_indices) < 2:
        return Preferences((), None, None, None)
    scores = scores[np.ix_(models, judge_indices)]
    resampled = scored.draws[scored.present].mean(axis=0)[:, models][:, :, judge_indices]
    contrasts_made = [contrast(resampled, j, indices) for j, indices in judges_with_own]
    judges = tuple(
        Preference(
            verdicts.judges[judge_indices[j]],
            tuple(verdicts.models[models[m]] for m in indices),
            float(gaps(scores)[list(indices), j].mean()),
            float(contrast(scores, j, indices)),
            percentiles(contrasts, n),
        )
        for (j, indices), contrasts in zip(judges_with_own, contrasts_made, strict=True)
    )
    return Preferences(
        judges,
        float(np.mean([judge.raw for judge in judges])),
        float(np.mean([judge.value for judge in judges])),
        percentiles(np.mean(contrasts_made, axis=0), n),
    )
