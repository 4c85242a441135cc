"""Agreement among the judges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factscope.benchmarks.facts_grounding.verdict_arrays import Floats
from factscope.scoring.agreement import cohen_kappa, krippendorff_alpha, raw_agreement


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Agreement of two judges."""

    first: str
    second: str
    share: float | None
    """Share of the responses judged by both on which they agree."""
    kappa: float | None
    """Cohen's kappa; None when both give everything the same label, as chance would."""
    n: int
    """Responses that both judged."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of all judges."""

    pairs: tuple[JudgePair, ...]
    alpha: float | None
    """Krippendorff's alpha, which allows for missing labels."""
    n: int
    """Responses with labels of two judges or more."""


def agreement(values: Floats, judges: tuple[str, ...]) -> JudgeAgreement:
    """Return the agreement on verdicts of shape (examples, models, judges), such as those of one split.

    NaN is missing.
    """
    flat = values.reshape(-1, values.shape[-1])
    pairs = tuple(_pair(judges[a], judges[b], flat[:, a], flat[:, b]) for a, b in combinations(range(len(judges)), 2))
    labels = [[None if label != label else label for label in row] for row in flat.tolist()]
    n_several = ((~np.isnan(flat)).sum(axis=1) >= 2).sum()
    return JudgeAgreement(pairs, krippendorff_alpha(labels), int(n_several))


def _pair(first: str, second: str, a: Floats, b: Floats) -> JudgePair:
    both = ~np.isnan(a) & ~np.isnan(b)
    left, other = a[both].tolist(), b[both].tolist()
    return JudgePair(first, second, raw_agreement(left, other), cohen_kappa(left, other), len(left))
