"""Everything known about a run of FACTS Grounding, in one value.

Shares of one judge can be corrected for the errors of that judge (Rogan and Gladen 1978).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding.rank_fusion import FusedRank
from factscope.benchmarks.facts_grounding.score_table import (
    Effect,
    Floats,
    ModelDifference,
    ModelRow,
    ScoredVerdicts,
    VerdictArrays,
    differences,
    disqualified,
    effects,
    final,
    known,
    resampled_means,
    rows,
    share,
)
from factscope.benchmarks.facts_grounding.self_preference import Preferences, self_preference
from factscope.core import Interval
from factscope.scoring import RESAMPLES, Confusion, cohen_kappa, krippendorff_alpha, percentiles, raw_agreement


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """Share of accurate responses, corrected for the judge's errors as far as they are known."""

    value: float | None
    """None if the judge does not beat chance, or people labelled only one class."""
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
    `n` independent responses. Resamples in which the judge does not beat chance are left out.

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


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """One of the two tables, unadjusted or final, in the order of the models."""

    rows: tuple[ModelRow, ...]
    standings: tuple[FusedRank, ...]
    differences: tuple[ModelDifference, ...]
    same_model: Preferences
    """Whether judges favour their own answers."""
    same_family: Preferences
    """Whether judges favour models of their family."""


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


@dataclass(frozen=True, slots=True)
class SplitAgreement:
    """Agreement of the judges on one split."""

    split: str
    grounding: JudgeAgreement
    eligibility: JudgeAgreement | None
    """None without phase B."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Responses of one model that only refuse."""

    model: str
    n: int
    n_disqualified: int
    """Of these, responses that are ineligible by consensus."""
    called_accurate: tuple[float | None, ...]
    """For each judge, the share of refusals that it calls grounded; a refusal makes no claim, so some do."""


@dataclass(frozen=True, slots=True)
class CorrectedCell:
    """A cell of the final table corrected for the errors of its judge on eligible responses."""

    model: str
    split: str
    judge: str
    corrected: CorrectedShare


@dataclass(frozen=True, slots=True)
class GroundingSummary:
    """A whole run."""

    models: tuple[str, ...]
    judges: tuple[str, ...]
    splits: tuple[str, ...]
    unadjusted: ScoreTable
    """Phase A alone."""
    final: ScoreTable | None
    """With ineligible responses counted as inaccurate; None without phase B."""
    effects: tuple[Effect, ...]
    """Effects of phase B; empty without it."""
    agreement: tuple[SplitAgreement, ...]
    refusals: tuple[Refusals, ...]
    corrected: tuple[CorrectedCell, ...]
    """For judges with known error rates."""


def summarise(
    verdicts: VerdictArrays,
    *,
    judge_models: Sequence[str] | None = None,
    families: Mapping[str, str | None] | None = None,
    refused: NDArray[np.bool_] | None = None,
    errors: Mapping[str, Confusion] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> GroundingSummary:
    """Return everything about a run.

    `judge_models` has the model of each judge whose name differs from it; `families` the family of each model;
    `refused`, shape (examples, models), is true for responses that only refuse; `errors` has judges' confusion matrices
    on responses that people labelled, with accurate ones as positive.
    """
    with_b = verdicts.ineligible is not None
    judge_names = judge_models or verdicts.judges
    own_models = [[m for m, model in enumerate(verdicts.models) if model == judge] for judge in judge_names]
    family_of = (families or {}).get
    same_family = [
        [m for m, model in enumerate(verdicts.models) if family_of(judge) and family_of(model) == family_of(judge)]
        for judge in judge_names
    ]

    def make_table(scored: ScoredVerdicts) -> ScoreTable:
        preferences = (self_preference(scored, own) for own in (own_models, same_family))
        return ScoreTable(rows(scored), scored.standings, differences(scored), *preferences)

    unadjusted = ScoredVerdicts(verdicts, verdicts.accurate, resamples, seed)
    adjusted = ScoredVerdicts(verdicts, final(verdicts), resamples, seed) if with_b else unadjusted
    return GroundingSummary(
        models=verdicts.models,
        judges=verdicts.judges,
        splits=verdicts.splits,
        unadjusted=make_table(unadjusted),
        final=make_table(adjusted) if with_b else None,
        effects=effects(verdicts),
        agreement=tuple(_agreement(verdicts, s) for s in range(len(verdicts.splits))),
        refusals=() if refused is None else _refusals(verdicts, refused),
        corrected=_corrected(adjusted, errors or {}),
    )


def _agreement(verdicts: VerdictArrays, split: int) -> SplitAgreement:
    def agreed(values: Floats) -> JudgeAgreement:
        return agreement(verdicts.by_judges(values)[verdicts.split == split], verdicts.judges)

    eligibility = None if verdicts.ineligible is None else agreed(verdicts.ineligible)
    return SplitAgreement(verdicts.splits[split], agreed(verdicts.accurate), eligibility)


def _refusals(verdicts: VerdictArrays, refused: NDArray[np.bool_]) -> tuple[Refusals, ...]:
    out = None if verdicts.ineligible is None else disqualified(verdicts.ineligible)
    rows = []
    for m, model in enumerate(verdicts.models):
        these = refused[:, m]
        n_dropped = 0 if out is None else int((out[these, m] == 1).sum())
        labels = verdicts.by_judges(verdicts.accurate)[these, m].T
        shares = tuple(known(share(judge_labels, 0)) for judge_labels in labels)
        rows.append(Refusals(model, int(these.sum()), n_dropped, shares))
    return tuple(rows)


def _corrected(scored: ScoredVerdicts, errors: Mapping[str, Confusion]) -> tuple[CorrectedCell, ...]:
    """Correct each judge's share of accurate responses among those that its verdict decides.

    Ineligible and empty responses are inaccurate whatever it says, so its error rates do not apply to them.
    """
    verdicts = scored.verdicts
    by_rule = _inaccurate_by_rule(verdicts)
    cells = []
    for s, (split, values) in enumerate(zip(verdicts.splits, scored.by_split, strict=True)):
        if not errors or not len(values):
            continue
        decided = np.where(np.isnan(values), np.nan, ~by_rule[verdicts.split == s])
        passed = np.where(decided == 1, values, np.nan)
        seed = scored.seed + s  # the same resamples for both
        passed_draws, decided_draws = (resampled_means(labels, scored.resamples, seed) for labels in (passed, decided))
        for m, model in enumerate(verdicts.models):
            for j, judge in enumerate(verdicts.judges):
                if judge not in errors or known(share(values[:, m, j], verdicts.least_coverage)) is None:
                    continue
                n, right = int(np.nansum(decided[:, m, j])), CorrectedShare(0.0, None)
                if n:
                    right = rogan_gladen(
                        share(passed[:, m, j], 0),
                        n,
                        errors[judge],
                        draws=passed_draws[:, m, j],
                        judged=share(decided[:, m, j], 0),
                        judged_draws=decided_draws[:, m, j],
                        seed=seed,
                    )
                cells.append(CorrectedCell(model, split, judge, right))
    return tuple(cells)


def _inaccurate_by_rule(verdicts: VerdictArrays) -> NDArray[np.bool_]:
    """Mark responses that are inaccurate for every judge: ineligible or empty ones, shape (examples, models, 1)."""
    out = np.zeros(verdicts.accurate.shape[:2], dtype=bool) if verdicts.empty is None else verdicts.empty
    if verdicts.ineligible is not None:
        out = out | (disqualified(verdicts.ineligible) == 1)
    return out[..., None]
