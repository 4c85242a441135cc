"""Models on tiers of prompts, as FactBench's leaderboard has them: means over responses, and ranks within each tier.

A tier's rows are compared with each other and never added up over tiers: the published leaderboard has no overall row.
Precision is comparable between models under one checker, not between checkers, each of which cuts its own units.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import fsum, sqrt
from statistics import fmean
from typing import Annotated, Literal

from pydantic import Field

from factscope.benchmarks.comparisons import ModelComparison, Pair, ResultPart, Standing, confirmed, n_tests, standings
from factscope.benchmarks.factbench.refusals import RefusalMix, RefusalType, refusal_mix
from factscope.core import Record, group_by
from factscope.methods import LEAST_COVERAGE
from factscope.scoring import RESAMPLES, Mean, PairedDifference, finding, holm, mean, paired_difference
from factscope.scoring.alpha import DEFAULT, FEWEST, GRID, Alpha, EndedUnits, Sensitivity, estimate_alpha, sensitivity

OVERALL = "overall"
"""Name of all tiers together, where that is requested."""


UnitCount = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""A count in a response. The bound, far above any, is for files of others: sums stay numbers that a float can hold."""


class ResponseEntry(Record):
    """Outcome of one model's response to one prompt.

    Units that say the same are counted once.
    """

    id: str
    """The prompt's."""
    tier: str
    model: str
    state: Literal["checked", "no_answer", "withheld", "missing"]
    """`no_answer`: it is empty or NaN; `withheld`: the model's provider refused in its stead; `missing`: it could not
    be fetched or checked, which is not the model's fault."""
    supported: UnitCount = 0
    contradicted: UnitCount = 0
    undecided: UnitCount = 0
    """Units that evidence does not settle, or for which none was found."""
    failed: UnitCount = 0
    """Units whose check failed, or whose language the judge does not read: in no mean."""
    repeated: dict[str, int] = Field(default={})
    """Units with the same words, by the first of them: number of occurrences, at least two."""
    words: UnitCount = 0
    """Length of the response: words with white space between them."""
    refusal: bool | None = None
    """Whether it refuses; `None` when that is not known."""
    category: int | None = None
    """Of a refusal: one of `CATEGORIES`; `None` when that could not be determined."""
    justified: bool | None = None
    """Of a refusal: whether the prompt called for it; `None` when nobody said."""
    reason: str | None = None
    """Why it was typed so, in the typer's words."""

    @property
    def n(self) -> int:
        """Return the number of judged verifiable units: the denominator of both scores."""
        return self.supported + self.contradicted + self.undecided

    @property
    def coverage(self) -> float:
        """Return the share of units to judge that were judged; 1 when there are none."""
        return self.n / (self.n + self.failed) if self.n + self.failed else 1.0

    def without_units(self) -> ResponseEntry:
        """Return the response as missing, because too little of it could be judged."""
        reset = {"state": "missing", "supported": 0, "contradicted": 0, "undecided": 0, "repeated": {}}
        return self.model_copy(update=reset)

    @property
    def refuses(self) -> bool:
        """Whether it is a refusal."""
        return self.state == "withheld" or self.refusal is True

    @property
    def precision(self) -> float | None:
        """Factual precision: supported / judged units; `None` without any."""
        return self.supported / self.n if self.n else None

    def hallucination(self, alpha: float) -> float | None:
        """Return the hallucination score, equation 1 of FactBench; `None` without judged units."""
        return (self.contradicted + alpha * self.undecided) / sqrt(self.n) if self.n else None


class TierRow(Record):
    """One model in one tier."""

    model: str
    coverage: float | None
    """Share of units with a verdict, times the share of responses that are there; `None` where nothing was judged."""
    precision: Mean
    """Supported / judged units, of each response with such units."""
    hallucination: Mean
    """(Contradicted + alpha × undecided) / √judged units, of the same responses; lower is better."""
    without_refusals: Mean
    """Precision of the responses that are not refusals."""
    refusals_as_zero: Mean
    """Precision with 0 for every refusal and every empty answer."""
    words: float | None
    """Mean length of the same responses as in `precision`."""
    units: float | None
    """Their mean number of judged units."""
    undecided: float | None
    contradicted: float | None
    rank: int = Field(ge=1)
    """By precision, the highest first; ties share the better rank."""
    tied: bool
    """Whether another model has the same rank."""
    best: int
    """Best possible rank, if all differences that no paired test confirms went its way."""
    worst: int
    """Worst possible rank, likewise."""
    refusals: RefusalMix
    n_without_units: int
    """Responses without verifiable units, such as refusals and code, which are in no mean."""
    n_no_answer: int
    n_missing: int
    n_failed_units: int
    n_repeated_units: int
    """Units left out because another of the same response has the same words."""
    alpha: Alpha | None = None
    """Alpha of this model from people's labels; `None` with too few of them."""
    hallucination_own_alpha: Mean | None = None
    """`hallucination` with that alpha."""


class ModelPair(ModelComparison):
    """Two models of a tier on the prompts for which both have judged units."""

    difference: PairedDifference
    """In factual precision, the second less the first; its p is not corrected."""


class Tier(Record):
    """The rows of one tier."""

    name: str
    n_prompts: int
    rows: tuple[TierRow, ...]
    """In the order of their ranks."""
    compared: tuple[ModelPair, ...]
    sensitivity: Sensitivity | None
    """Effect of alpha on the hallucination scores and their order."""
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


class FactBenchSettings(ResultPart):
    """Settings of the figures."""

    alpha: float = Field(default=DEFAULT, ge=0, le=1)
    overall: bool = False
    """Whether to add a table of all tiers together."""
    least_coverage: float = Field(default=LEAST_COVERAGE, ge=0, le=1)
    """Least share of a response's units that must be judged; below it, the response counts as missing."""
    resamples: int = Field(default=RESAMPLES, ge=2)
    seed: int = Field(default=0, ge=0)


class Labels(ResultPart):
    """Undecided units of one model in one tier that people labelled."""

    model: str
    tier: str
    wrong: tuple[bool, ...]


def leaderboard(
    entries: Sequence[ResponseEntry],
    models: Sequence[str],
    tiers: Sequence[str],
    settings: FactBenchSettings,
    labels: Sequence[Labels] = (),
) -> TierTable:
    """Return everything that the entries say, tier by tier."""
    by_model = estimate_alpha(_grouped(labels, "model", models)) if labels else ()
    by_tier = estimate_alpha(_grouped(labels, "tier", tiers)) if labels else ()
    own_alphas = {alpha.group: alpha for alpha in by_model if alpha.group is not None and alpha.n >= FEWEST}
    groups = {name: [entry for entry in entries if entry.tier == name] for name in tiers}
    if settings.overall:
        groups[OVERALL] = list(entries)
    tables = (_tier(name, group, models, settings, own_alphas) for name, group in groups.items())
    return TierTable(alpha=settings.alpha, tiers=tuple(tables), alpha_by_model=by_model, alpha_by_tier=by_tier)


def plain_scores(entries: Iterable[ResponseEntry], alpha: float) -> tuple[float | None, float | None]:
    """Return the mean factual precision and hallucination score of some responses, without intervals."""
    judged = [entry for entry in entries if entry.n]
    if not judged:
        return None, None
    precisions, scores = zip(
        *((entry.precision or 0, entry.hallucination(alpha) or 0) for entry in judged), strict=True
    )
    return fsum(precisions) / len(judged), fsum(scores) / len(judged)


def hardest_prompts(entries: Iterable[ResponseEntry], alpha: float, n: int) -> set[str]:
    """Return the `n` prompts whose answers have the highest mean hallucination score."""
    by_prompt = group_by((entry for entry in entries if entry.n), lambda entry: entry.id)
    means = {name: plain_scores(group, alpha)[1] or 0.0 for name, group in by_prompt.items()}
    return set(sorted(means, key=lambda name: (-means[name], name))[:n])


def _grouped(labels: Sequence[Labels], by: Literal["model", "tier"], names: Sequence[str]) -> dict[str, list[bool]]:
    groups: dict[str, list[bool]] = {name: [] for name in names}
    for label in labels:
        groups.setdefault(getattr(label, by), []).extend(label.wrong)
    return groups


def _tier(
    name: str,
    entries: Sequence[ResponseEntry],
    models: Sequence[str],
    settings: FactBenchSettings,
    own_alphas: Mapping[str, Alpha],
) -> Tier:
    coverages = {model: _coverage([entry for entry in entries if entry.model == model]) for model in models}
    entries = [entry if entry.coverage >= settings.least_coverage else entry.without_units() for entry in entries]
    by_model = {model: [entry for entry in entries if entry.model == model] for model in models}
    averaged = partial(mean, resamples=settings.resamples, seed=settings.seed)
    scores = {model: averaged((entry.precision for entry in group), most=1) for model, group in by_model.items()}
    compared = _compared(by_model, settings.seed)
    better = confirmed(compared, lambda pair: -(pair.difference.value or 0))
    places = _standings_of({model: score.value for model, score in scores.items()}, better)
    longest = max((sqrt(entry.n) for entry in entries), default=0.0)
    rows = []
    for model, group in by_model.items():
        judged, own_alpha = [entry for entry in group if entry.n], own_alphas.get(model)
        row = TierRow(
            model=model,
            coverage=coverages[model],
            precision=scores[model],
            hallucination=averaged((entry.hallucination(settings.alpha) for entry in group), most=longest),
            without_refusals=averaged((entry.precision for entry in group if not entry.refuses), most=1),
            refusals_as_zero=averaged(map(_with_zeros, group), most=1),
            words=_plain_mean(entry.words for entry in judged),
            units=_plain_mean(entry.n for entry in judged),
            undecided=_plain_mean(entry.undecided for entry in judged),
            contradicted=_plain_mean(entry.contradicted for entry in judged),
            **places[model]._asdict(),
            refusals=refusal_mix(
                [RefusalType(True, entry.category, entry.justified) for entry in group if entry.refuses],
                sum(entry.refuses or entry.refusal is False for entry in group),
            ),
            n_without_units=sum(entry.state == "checked" and not entry.n and not entry.failed for entry in group),
            n_no_answer=sum(entry.state == "no_answer" for entry in group),
            n_missing=sum(entry.state == "missing" for entry in group),
            n_failed_units=sum(entry.failed for entry in group),
            n_repeated_units=sum(times - 1 for entry in group for times in entry.repeated.values()),
            alpha=own_alpha,
            hallucination_own_alpha=own_alpha
            and averaged((entry.hallucination(own_alpha.value) for entry in group), most=longest),
        )
        rows.append(row)
    units = {
        model: [EndedUnits(entry.contradicted, entry.undecided, entry.n) for entry in group]
        for model, group in by_model.items()
    }
    return Tier(
        name=name,
        n_prompts=len({entry.id for entry in entries}),
        rows=tuple(sorted(rows, key=lambda row: row.rank)),
        compared=compared,
        sensitivity=sensitivity(units, settings.alpha),
        overlap=_overlap(entries, settings.alpha),
    )


def _standings_of(scores: Mapping[str, float | None], better: Sequence[Pair]) -> dict[str, Standing]:
    """Return the standings of models with a score; those without one come after these, and leave their range alone."""
    without = [model for model, score in scores.items() if score is None]
    first = len(scores) - len(without) + 1
    behind = dict.fromkeys(without, Standing(first, len(without) > 1, first, len(scores)))
    return standings({model: score for model, score in scores.items() if score is not None}, better) | behind


def _coverage(entries: Sequence[ResponseEntry]) -> float | None:
    """Return the share of units with a verdict, times the share of responses that are there."""
    judged = sum(entry.n for entry in entries)
    total = judged + sum(entry.failed for entry in entries)
    n_present = sum(entry.state != "missing" for entry in entries)
    return judged / total * n_present / len(entries) if judged else None


def _plain_mean(values: Iterable[int]) -> float | None:
    defined = list(values)
    return fmean(defined) if defined else None


def _with_zeros(entry: ResponseEntry) -> float | None:
    return 0.0 if entry.refuses or entry.state == "no_answer" else entry.precision


def _compared(by_model: Mapping[str, Sequence[ResponseEntry]], seed: int) -> tuple[ModelPair, ...]:
    """Return all pairs of models over the prompts, corrected together."""
    values = {model: {entry.id: entry.precision for entry in group} for model, group in by_model.items()}
    pairs = list(combinations(values, 2))
    differences = []
    for first, second in pairs:
        both = sorted(values[first].keys() & values[second].keys())
        a, b = ([values[model][name] for name in both] for model in (first, second))
        differences.append(paired_difference(a, b, seed=seed))
    ps = holm([result.p for result in differences])
    tests = n_tests(ps)
    return tuple(
        ModelPair(first=first, second=second, difference=item, p=p, finding=finding(p, item.n, tests))
        for (first, second), item, p in zip(pairs, differences, ps, strict=True)
    )


def _overlap(entries: Sequence[ResponseEntry], reference: float) -> dict[float, float]:
    half = len({entry.id for entry in entries if entry.n}) // 2
    hardest = hardest_prompts(entries, reference, half)
    return {alpha: len(hardest_prompts(entries, alpha, half) & hardest) / half for alpha in GRID} if half else {}
