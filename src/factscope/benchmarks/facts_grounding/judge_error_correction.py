"""Scores corrected for the errors of their judge (Rogan and Gladen 1978)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factscope.benchmarks.facts_grounding.score_table import Floats
from factscope.core.records import Interval
from factscope.scoring import RESAMPLES, Confusion, percentiles


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """Share of accurate responses, corrected for the judge's errors as far as they are known."""

    value: float | None
    """None when the judge is no better than chance, or one class was never labelled."""
    interval: Interval | None
    """With the uncertainty of the judge's error rates in it."""
    clipped: bool = False
    """Whether the formula left 0 to 1 and gave way to the nearer end: the error rates do not fit these responses."""


def rogan_gladen(
    observed: float,
    n: int,
    judge: Confusion,
    *,
    draws: Floats | None = None,
    judged: float = 1.0,
    judged_draws: Floats | float = 1.0,
    seed: int = 0,
) -> CorrectedShare:
    """Correct a share of `n` responses: (observed + specificity − 1) / (sensitivity + specificity − 1).

    `judge` holds its confusion matrix on responses that people labelled, with the accurate ones as positive:
    sensitivity is the share of these that it passed, specificity the share of the others that it rejected. The interval
    draws both from these counts, and the observed share from `draws`, shape (resamples,), where there is one, else from
    `n` independent responses. Resamples in which the judge is no better than chance are left out.

    If the `n` responses are only a share of all, `judged`, and the others are inaccurate whatever the judge says of
    them, the result is the corrected share of all; `judged_draws` are resamples of `judged`.
    """
    accurate, inaccurate = judge.tp + judge.fn, judge.fp + judge.tn
    if not accurate or not inaccurate:
        return CorrectedShare(None, None)
    sensitivity, specificity = judge.tp / accurate, judge.tn / inaccurate
    if sensitivity + specificity <= 1:
        return CorrectedShare(None, None)
    exact = (observed + specificity - 1) / (sensitivity + specificity - 1)
    random = np.random.default_rng(seed)
    observed_shares = random.binomial(n, observed, RESAMPLES) / n if draws is None else draws
    catches = random.binomial(accurate, sensitivity, len(observed_shares)) / accurate
    rejects = random.binomial(inaccurate, specificity, len(observed_shares)) / inaccurate
    informed = catches + rejects - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(informed > 0, (observed_shares + rejects - 1) / informed, np.nan)
    return CorrectedShare(
        judged * min(max(exact, 0.0), 1.0),
        percentiles(judged_draws * np.clip(values, 0.0, 1.0), min(n, accurate, inaccurate)),
        clipped=not 0 <= exact <= 1,
    )
