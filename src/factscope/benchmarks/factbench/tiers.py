"""Models on tiers of prompts, as FactBench's leaderboard has them: means over responses, and ranks within each tier.

A tier's rows are compared with each other and never added up over tiers: the published leaderboard has no overall row.
Precision is comparable between models under one checker, not between checkers, each of which cuts its own units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum, sqrt
from typing import Literal

from pydantic import Field

from factscope.benchmarks.factbench.refusal_rates import Refusal, RefusalMix, refusal_mix
from factscope.core.labels import Outcome
from factscope.core.records import Record
from factscope.methods import LEAST_COVERAGE
from factscope.scoring.alpha import DEFAULT, FEWEST, GRID, Alpha, EndedUnits, Sensitivity, estimate_alpha, sensitivity
from factscope.scoring.counts import ReportCounts
from factscope.scoring.intervals import RESAMPLES
from factscope.scoring.means import Mean, mean
from factscope.scoring.measures.factual_precision import factual_precision
from factscope.scoring.measures.hallucination import hallucination
from factscope.scoring.paired_tests import Finding, PairedDifference, finding, holm, paired_difference

OVERALL = "overall"
"""The name of all tiers together, where that is asked for."""


class ResponseEntry(Record):
    """Outcome of one model's response to one prompt.

    Units that say the same are counted once. Units that say the same are counted once.
    """

    id: str
    """The prompt's."""
    tier: str
    model: str
    state: Literal["checked", "no_answer", "withheld", "missing"]
    """`no_answer`: it is empty or NaN; `withheld`: the model's provider refused in its stead; `missing`: it could not
    be had or checked, which says nothing of the model."""
    supported: int = Field(default=0, ge=0)
    contradicted: int = Field(default=0, ge=0)
    undecided: int = Field(default=0, ge=0)
    """Units that evidence does not settle, or for which none was found."""
    failed: int = Field(default=0, ge=0)
    """Units whose check failed: in no mean."""
    repeated: dict[str, int] = Field(default={})
    """Units that say what others say, by the first that does: how often it is said in all, twice or more."""
    words: int = Field(default=0, ge=0)
    """Length of the response: words with white space between them."""
    refusal: bool | None = None
    """Whether it refuses; `None` when that is not known."""
    category: int | None = None
    """Of a refusal: one of `CATEGORIES`; `None` when that could not be told."""
    justified: bool | None = None
    """Of a refusal: whether the prompt called for it; `None` when nobody said."""
    reason: str | None = None
    """Why it was typed so, in the typer's words."""

    @property
    def n(self) -> int:
        """Verifiable units that were judged: the denominator of both scores."""
        return self.supported + self.contradicted + self.undecided

    @property
    def coverage(self) -> float:
        """Judged units of those to judge; 1 when there are none."""
        return self.n / (self.n + self.failed) if self.n + self.failed else 1.0

    def without_units(self) -> ResponseEntry:
        """The same as missing: too little of it could be judged."""
        gone = {"state": "missing", "supported": 0, "contradicted": 0, "undecided": 0, "repeated": {}}
        return self.model_copy(update=gone)

    @property
    def refuses(self) -> bool:
        """Whether it is a refusal."""
        return self.state == "withheld" or self.refusal is True

    @property
    def tally(self) -> ReportCounts:
        """Its counts, as the measures read them."""
        counts: dict[Outcome, int] = {
            "supported": self.supported,
            "contradicted": self.contradicted,
            "undecided": self.undecided,
            "failed": self.failed,
        }
        return ReportCounts(outcomes=counts, labels={}, judgements_failed=0)


class TierRow(Record):
    """One model in one tier."""

    model: str
    precision: Mean
    """Supported / judged units, of each response with such units."""
    hallucination: Mean
    """(Contradicted + alpha × undecided) / √judged units, of the same responses; lower is better."""
    without_refusals: Mean
    """Precision of the responses that are no refusals."""
    refusals_as_zero: Mean
    """Precision with 0 for every refusal and every empty answer."""
    words: float | None
    """Mean length of the same responses as in `precision`."""
    units: float | None
    """Their mean number of judged units."""
    undecided: float | None
    contradicted: float | None
    rank: int = Field(ge=1)
    """By precision, the highest first; equals share the better one."""
    tied: bool
    """Whether another model has the same rank."""
    best: int
    """The rank it might have, were all differences that no paired test confirms turned its way."""
    worst: int
    """The same, turned the other way."""
    refusals: RefusalMix
    n_without_units: int
    """Responses with nothing to verify, such as refusals and code: in no mean."""
    n_no_answer: int
    n_missing: int
    n_failed_units: int
    n_repeated_units: int
    """Units left out because another of the same response says the same."""
    alpha: Alpha | None = None
    """Alpha of this model from people's labels; `None` with too few of them."""
    hallucination_own_alpha: Mean | None = None
    """`hallucination` with that alpha."""


class ModelPair(Record):
    """Two models of a tier on the prompts for which both have judged units."""

    first: str
    second: str
    difference: PairedDifference
    """In factual precision, the second less the first; its p is not corrected."""
    p: float | None
    """Corrected for the number of pairs in the tier (Holm)."""
    finding: Finding


class Tier(Record):
    """The rows of one tier."""

    name: str
    n_prompts: int
    rows: tuple[TierRow, ...]
    """In the order of their ranks."""
    compared: tuple[ModelPair, ...]
    sensitivity: Sensitivity | None
    """What alpha does to the hallucination scores and their order."""
    overlap: dict[float, float]
    """By alpha: of the half of the prompts with the highest mean hallucination score at the leaderboard's, the share
    that is in that half at this alpha too."""


class TierTable(Record):
    """All tiers."""

    alpha: float
    tiers: tuple[Tier, ...]
    alpha_by_model: tuple[Alpha, ...] = ()
    """From people's labels: alpha of all, then of each model."""
    alpha_by_tier: tuple[Alpha, ...] = ()


Wrong = Mapping[tuple[str, str], Sequence[bool]]
"""By model and tier: whether people find each labelled undecided unit wrong."""


def leaderboard(
    entries: Sequence[ResponseEntry],
    models: Sequence[str],
    tiers: Sequence[str],
    *,
    alpha: float = DEFAULT,
    wrong: Wrong | None = None,
    overall: bool = False,
    least_coverage: float = LEAST_COVERAGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> TierTable:
    """Everything that the entries say, tier by tier; with `overall`, of all tiers together too.

    A response of whose units less than `least_coverage` could be judged is missing.
    """
    entries = [entry if entry.coverage >= least_coverage else entry.without_units() for entry in entries]
    by_model = estimate_alpha(_grouped(wrong, 0, models)) if wrong else ()
    by_tier = estimate_alpha(_grouped(wrong, 1, tiers)) if wrong else ()
    own = {one.group: one for one in by_model if one.group is not None and one.n >= FEWEST}

    def of(name: str, entries: Sequence[ResponseEntry]) -> Tier:
        return _tier(name, entries, models, alpha, own, resamples, seed)

    found = [of(name, [entry for entry in entries if entry.tier == name]) for name in tiers]
    if overall:
        found.append(of(OVERALL, entries))
    return TierTable(alpha=alpha, tiers=tuple(found), alpha_by_model=by_model, alpha_by_tier=by_tier)


def plain_scores(entries: Iterable[ResponseEntry], alpha: float = DEFAULT) -> tuple[float | None, float | None]:
    """Mean factual precision and hallucination score of some responses, without intervals."""
    judged = [entry for entry in entries if entry.n]
    if not judged:
        return None, None
    of_each = _hallucination(alpha)
    precision, score = (fsum(read(one) or 0 for one in judged) / len(judged) for read in (_precision, of_each))
    return precision, score


def ranked(scores: Mapping[str, float | None]) -> dict[str, int]:
    """Ranks from 1, the highest score first and those without one last; equals share the better rank."""
    keys = {name: float("-inf") if score is None else score for name, score in scores.items()}
    return {name: 1 + sum(other > mine for other in keys.values()) for name, mine in keys.items()}


def _grouped(wrong: Wrong, part: int, names: Sequence[str]) -> dict[str, list[bool]]:
    groups: dict[str, list[bool]] = {name: [] for name in names}
    for key, labels in wrong.items():
        groups.setdefault(key[part], []).extend(labels)
    return groups


def _tier(
    name: str,
    entries: Sequence[ResponseEntry],
    models: Sequence[str],
    alpha: float,
    own: Mapping[str, Alpha],
    resamples: int,
    seed: int,
) -> Tier:
    by_model = {model: [entry for entry in entries if entry.model == model] for model in models}
    drawn = {"resamples": resamples, "seed": seed}
    scores = {model: mean(map(_precision, some), most=1, **drawn) for model, some in by_model.items()}
    compared = _compared(by_model, seed)
    ranks = ranked({model: score.value for model, score in scores.items()})
    longest = max((sqrt(entry.n) for entry in entries), default=0.0)
    rows = []
    for model, some in by_model.items():
        judged = [one for one in some if one.n]
        better = [_better(pair) for pair in compared if pair.finding == "differs"]
        row = TierRow(
            model=model,
            precision=scores[model],
            hallucination=mean(map(_hallucination(alpha), some), most=longest, **drawn),
            without_refusals=mean((_precision(one) for one in some if not one.refuses), most=1, **drawn),
            refusals_as_zero=mean(map(_with_zeros, some), most=1, **drawn),
            words=_plain_mean(one.words for one in judged),
            units=_plain_mean(one.n for one in judged),
            undecided=_plain_mean(one.undecided for one in judged),
            contradicted=_plain_mean(one.contradicted for one in judged),
            rank=ranks[model],
            tied=list(ranks.values()).count(ranks[model]) > 1,
            best=1 + sum(second == model for _, second in better),
            worst=len(models) - sum(first == model for first, _ in better),
            refusals=_refusals(some),
            n_without_units=sum(one.state == "checked" and not one.n and not one.failed for one in some),
            n_no_answer=sum(one.state == "no_answer" for one in some),
            n_missing=sum(one.state == "missing" for one in some),
            n_failed_units=sum(one.failed for one in some),
            n_repeated_units=sum(times - 1 for one in some for times in one.repeated.values()),
            alpha=own.get(model),
            hallucination_own_alpha=mean(map(_hallucination(own[model].value), some), most=longest, **drawn)
            if model in own
            else None,
        )
        rows.append(row)
    return Tier(
        name=name,
        n_prompts=len({entry.id for entry in entries}),
        rows=tuple(sorted(rows, key=lambda row: row.rank)),
        compared=compared,
        sensitivity=sensitivity({model: [_ended(one) for one in some] for model, some in by_model.items()}, alpha),
        overlap=_overlap(entries, alpha),
    )


def _plain_mean(values: Iterable[int]) -> float | None:
    found = list(values)
    return fsum(found) / len(found) if found else None


def _precision(entry: ResponseEntry) -> float | None:
    return factual_precision.read(entry.tally, {}).value


def _hallucination(alpha: float) -> Callable[[ResponseEntry], float | None]:
    return lambda one: hallucination.read(one.tally, {"alpha": alpha}).value


def _with_zeros(entry: ResponseEntry) -> float | None:
    return 0.0 if entry.refuses or entry.state == "no_answer" else _precision(entry)


def _refusals(entries: Sequence[ResponseEntry]) -> RefusalMix:
    found = [Refusal(one.category, one.justified) for one in entries if one.refuses]
    return refusal_mix(found, sum(one.state in ("checked", "withheld") for one in entries))


def _ended(entry: ResponseEntry) -> EndedUnits:
    return EndedUnits(entry.contradicted, entry.undecided, entry.n)


def _compared(by_model: Mapping[str, Sequence[ResponseEntry]], seed: int) -> tuple[ModelPair, ...]:
    """All pairs of models over the prompts, corrected together."""
    values = {model: {one.id: _precision(one) for one in some} for model, some in by_model.items()}
    pairs = list(combinations(values, 2))
    found = []
    for first, second in pairs:
        both = sorted(values[first].keys() & values[second].keys())
        a, b = ([values[model][name] for name in both] for model in (first, second))
        found.append(paired_difference(a, b, seed=seed))
    ps = holm([1.0 if one.p is None else one.p for one in found])
    return tuple(
        ModelPair(
            first=first,
            second=second,
            difference=one,
            p=None if one.p is None else p,
            finding=finding(p, one.n, len(pairs)),
        )
        for (first, second), one, p in zip(pairs, found, ps, strict=True)
    )


def _better(pair: ModelPair) -> tuple[str, str]:
    """The better of a pair, and the worse."""
    return (pair.second, pair.first) if (pair.difference.value or 0) > 0 else (pair.first, pair.second)


def _overlap(entries: Sequence[ResponseEntry], reference: float) -> dict[float, float]:
    at_zero: dict[str, list[tuple[float, float]]] = {}
    for entry in entries:
        if entry.n:
            root = sqrt(entry.n)
            at_zero.setdefault(entry.id, []).append((entry.contradicted / root, entry.undecided / root))
    size = len(at_zero) // 2
    if not size:
        return {}

    def highest(alpha: float) -> set[str]:
        means = {name: fsum(a + alpha * b for a, b in some) / len(some) for name, some in at_zero.items()}
        return set(sorted(means, key=lambda name: (-means[name], name))[:size])

    chosen = highest(reference)
    return {alpha: len(highest(alpha) & chosen) / size for alpha in GRID}
