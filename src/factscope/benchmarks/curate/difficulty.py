"""Difficulty of a prompt from five factors, beside FactBench's tier by logging model; and checks of this difficulty.

FactBench's reviews ask for more than the rank of the model that logged the answer, and that the selection does not
depend on the evaluator that is reported later. Each factor is a rank among all prompts, from 0 for the easiest to 1 for
the hardest, and the difficulty is their mean, weighted by `Parameters.difficulty`:

complexity: words, requests and conditions of the prompt; domain: how rare its topic's words are among all prompts;
task: the kind of answer it asks for, by `Difficulty.tasks`; scarcity: share of the answers' units for which no evidence
was found; panel: mean hallucination score of the answers of several models.

The last two depend on evaluators. `difficulty_apart` leaves out the one that is reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt
from typing import NamedTuple

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.parameters import TIERS, CurationParameters, Difficulty
from factscope.claims.text.terms import terms
from factscope.core.records import Record
from factscope.scoring.agreement import ranks, spearman
from factscope.scoring.means import Mean, mean

FACTORS = ("complexity", "domain", "task", "scarcity", "panel")
PANEL = pl.Schema(
    {
        **dict.fromkeys(("id", "model", "evaluator"), pl.String),
        **dict.fromkeys(("judged", "contradicted", "undecided", "no_evidence"), pl.Int64),
    }
)
"""Columns of the answers that were evaluated: one row for each prompt, model and evaluator.

`undecided` does not include `no_evidence`; an empty `no_evidence` means that the two were not distinguished."""

_ASKS = re.compile(r"\?|\b(?:who|what|when|where|which|why|how|explain|describe|compare|list)\b", re.IGNORECASE)
_CONDITIONS = re.compile(
    r"\d+|[\"“«]|\b(?:and|or|but|not|only|must|without|between|except|exactly|at (?:least|most)|more than|less than"
    r"|before|after|if|in (?:the )?(?:style|form) of)\b",
    re.IGNORECASE,
)
_TASKS = (
    ("compare", r"\bcompar\w+|\bdifferences?\b|\bversus\b|\bvs\b|\bpros and cons\b|\bbetter than\b"),
    ("list", r"\blist\b|\b(?:name|give|top|tell) (?:me )?(?:\d+|some|several|all)\b|\bexamples of\b|\bwhat are\b"),
    ("write", r"\b(?:write|compose|draft|summari[sz]e|outline|essay|article|report|post)\b"),
    ("recommend", r"\b(?:recommend|suggest|should i|best|advice)\b"),
    ("instruct", r"\bhow (?:do|can|to|should)\b|\b(?:steps?|guide|recipe|tutorial|plan)\b"),
    ("look-up", r"^\W*(?:who|when|where|which|how (?:many|much|old|tall|long|far|big)|what (?:is|was) the)\b"),
    ("describe", r"\b(?:tell me|biograph\w+|histor\w+|describe|overview|introduc\w+|what do you know|who)\b"),
    ("explain", r"\b(?:why|explain|how|what)\b"),
)
"""Kinds of task and their patterns; the first that fits counts, `other` when none does."""
_PERMUTATIONS = 2000


class DifficultyStep(Record):
    """Prompts between two levels of difficulty."""

    low: float
    high: float
    n: int = Field(ge=0)
    hallucination: Mean
    factual_precision: Mean


class Trend(Record):
    """Whether answers get worse for harder prompts."""

    steps: tuple[DifficultyStep, ...]
    """From the easiest prompts to the hardest, in steps of equal size."""
    rho: float | None
    """Spearman's correlation of difficulty and hallucination score; `None` when one of them is constant."""
    p: float | None
    """Two-sided, by permutation: how often chance alone would give a correlation as strong."""
    monotonic: bool
    """Whether the mean hallucination score never decreases from one step to the next."""


class Circularity(Record):
    """Influence of the reported evaluator on the difficulty."""

    reported: str
    rho: float | None
    """Spearman's correlation of the difficulty with and without it."""
    overlap: float = Field(ge=0, le=1)
    """Share of the hardest step that both difficulties have in common."""
    evaluators: tuple[str, ...]
    """The remaining evaluators; empty when only the prompts themselves count."""


class TierDifficulty(Record):
    """The difficulty of FactBench's tiers."""

    tier: str
    difficulty: Mean


class DifficultyChecks(Record):
    """Checks to read before relying on the difficulty."""

    trend: Trend
    """Trend of `difficulty_apart` against the reported evaluator, which is not part of it."""
    circularity: Circularity
    tiers: tuple[TierDifficulty, ...]
    tiers_rho: float | None
    """Spearman's correlation of the tier, easy to hard, and the difficulty."""


class AssessedPrompts(NamedTuple):
    """Prompts with their difficulty."""

    table: pl.DataFrame
    """id, words, asks, conditions, rarity, kind, the five factors, `difficulty`, `difficulty_apart`, `step` from 1."""
    checks: DifficultyChecks


def assess(
    prompts: pl.DataFrame, panel: pl.DataFrame, reported: str, parameters: CurationParameters
) -> AssessedPrompts:
    """Return the difficulty of each of `prompts` (id, prompt, topic, tier), from the evaluated answers in `panel`.

    `reported` names the evaluator whose figures are published. An unknown factor, such as the panel of a prompt that
    nobody answered, is left out of that prompt's mean.
    """
    factors = _of_text(prompts, parameters.difficulty)
    with_all = _of_answers(factors, panel, parameters)
    with_answers = _of_answers(factors, panel.filter(pl.col("evaluator") != reported), parameters)
    table = with_all.with_columns(difficulty_apart=with_answers["difficulty"])
    steps = parameters.difficulty.steps
    table = table.with_columns(step=pl.Series(_steps(table["difficulty"].to_list(), steps), dtype=pl.Int64))
    outcome = prompts.select("id").join(
        _scores(panel.filter(pl.col("evaluator") == reported), parameters), on="id", how="left", maintain_order="left"
    )
    apart_steps = _steps(with_answers["difficulty"].to_list(), steps)
    hardest = [
        {i for i, step in enumerate(group) if step == max(group)} for group in (table["step"].to_list(), apart_steps)
    ]
    union = hardest[0] | hardest[1]
    levels = {tier: -index for index, tier in enumerate(TIERS)}
    tiered = [(levels[tier], d) for tier, d in zip(prompts["tier"], table["difficulty"], strict=True) if tier in levels]
    checks = DifficultyChecks(
        trend=trend(with_answers["difficulty"].to_list(), outcome, steps, parameters.difficulty.seed),
        circularity=Circularity(
            reported=reported,
            rho=spearman(table["difficulty"].to_list(), with_answers["difficulty"].to_list()),
            overlap=len(hardest[0] & hardest[1]) / len(union) if union else 1.0,
            evaluators=tuple(sorted({*panel["evaluator"].to_list()} - {reported})),
        ),
        tiers=tuple(
            TierDifficulty(tier=tier, difficulty=mean([d for level, d in tiered if level == levels[tier]]))
            for tier in TIERS
        ),
        tiers_rho=spearman([level for level, _ in tiered], [d for _, d in tiered]),
    )
    return AssessedPrompts(table, checks)


def trend(difficulty: Sequence[float], outcome: pl.DataFrame, steps: int, seed: int = 0) -> Trend:
    """Return scores by step of difficulty; `outcome` has `hallucination` and `factual_precision` in the same order."""
    step_numbers = _steps(difficulty, steps)
    scores = outcome["hallucination"].to_list(), outcome["factual_precision"].to_list()
    steps_found = []
    for step in sorted(set(step_numbers)):
        inside = [i for i, step_number in enumerate(step_numbers) if step_number == step]
        steps_found.append(
            DifficultyStep(
                low=min(difficulty[i] for i in inside),
                high=max(difficulty[i] for i in inside),
                n=len(inside),
                hallucination=mean([scores[0][i] for i in inside], seed=seed),
                factual_precision=mean([scores[1][i] for i in inside], most=1, seed=seed),
            )
        )
    means = [result.hallucination.value for result in steps_found if result.hallucination.value is not None]
    defined = [(d, h) for d, h in zip(difficulty, scores[0], strict=True) if h is not None]
    rho = spearman([d for d, _ in defined], [h for _, h in defined])
    return Trend(
        steps=tuple(steps_found),
        rho=rho,
        p=None if rho is None else _permuted(defined, abs(rho), seed),
        monotonic=all(a <= b for a, b in pairwise(means)),
    )


def task(prompt: str) -> str:
    """Return the kind of task that a prompt sets."""
    return next((kind for kind, pattern in _TASKS if re.search(pattern, prompt, re.IGNORECASE)), "other")


def _of_text(prompts: pl.DataFrame, weights: Difficulty) -> pl.DataFrame:
    """Compute the first three factors, which depend on the prompts alone, and their components."""
    texts: list[str] = prompts["prompt"].to_list()
    words = [terms(text) for text in texts]
    different = [sorted(set(word)) for word in words]  # in order, as a sum of fractions depends on it in its last digit
    counts = Counter(word for group in different for word in group)
    rarity = [
        sum(log(len(texts) / counts[word]) for word in group) / len(group) if group else 0.0 for group in different
    ]
    kinds = [task(text) for text in texts]
    table = prompts.select("id", "topic").with_columns(
        words=pl.Series([len(word) for word in words], dtype=pl.Int64),
        asks=pl.Series([len(_ASKS.findall(text)) for text in texts], dtype=pl.Int64),
        conditions=pl.Series([len(_CONDITIONS.findall(text)) for text in texts], dtype=pl.Int64),
        rarity=pl.Series(rarity, dtype=pl.Float64),
        kind=pl.Series(kinds, dtype=pl.String),
    )
    ranks_by_factor = [_rank_shares(table[name].to_list()) for name in ("words", "asks", "conditions")]
    of_topic = table.select(pl.col("rarity").mean().over("topic")).to_series().to_list()
    return table.with_columns(
        complexity=pl.Series([sum(three) / 3 for three in zip(*ranks_by_factor, strict=True)], dtype=pl.Float64),
        domain=pl.Series(_rank_shares(of_topic), dtype=pl.Float64),
        task=pl.Series([weights.tasks.get(kind, weights.tasks["other"]) for kind in kinds], dtype=pl.Float64),
    )


def _of_answers(factors: pl.DataFrame, panel: pl.DataFrame, parameters: CurationParameters) -> pl.DataFrame:
    """Add the factors from answers, and the mean of all five factors."""
    table = factors.join(_scores(panel, parameters), on="id", how="left", maintain_order="left")
    table = table.with_columns(
        scarcity=pl.Series(_rank_shares(table["unfound"].to_list()), dtype=pl.Float64),
        panel=pl.Series(_rank_shares(table["hallucination"].to_list()), dtype=pl.Float64),
    )
    weights = {name: getattr(parameters.difficulty, name) for name in FACTORS}
    weighed = pl.sum_horizontal(pl.col(name).fill_null(0) * weight for name, weight in weights.items())
    total = pl.sum_horizontal(pl.col(name).is_not_null() * weight for name, weight in weights.items())
    return table.with_columns(difficulty=pl.when(total > 0).then(weighed / total).otherwise(0.5).round(12)).drop(
        "topic", "unfound", "hallucination", "factual_precision"
    )


def _scores(panel: pl.DataFrame, parameters: CurationParameters) -> pl.DataFrame:
    """Return means over the answers to each prompt: hallucination (FactBench, Eq. 1), factual_precision, unfound.

    Each model weighs the same, however many evaluators saw its answer.
    """
    alpha = parameters.selection.alpha
    undecided = pl.col("undecided") + pl.col("no_evidence").fill_null(0)
    judged = pl.col("judged")
    means = pl.col("hallucination", "factual_precision", "unfound").mean()
    return (
        panel.filter(judged > 0)
        .with_columns(
            hallucination=(pl.col("contradicted") + alpha * undecided) / judged.sqrt(),
            factual_precision=(judged - pl.col("contradicted") - undecided) / judged,
            unfound=pl.col("no_evidence") / judged,
        )
        .group_by("id", "model")
        .agg(means)
        .group_by("id")
        .agg(means.round(12))  # what the order of adding up changes would part equals
    )


def _rank_shares(values: Sequence[float | None]) -> list[float | None]:
    """Return the rank of each value from 0 to 1, ties sharing theirs; `None` stays."""
    defined = [value for value in values if value is not None]
    rank_iterator = iter(ranks(defined))
    return [None if value is None else (next(rank_iterator) - 0.5) / len(defined) for value in values]


def _steps(difficulty: Sequence[float], steps: int) -> list[int]:
    """Return the step of each prompt, from 1 for the easiest; ties share one."""
    n = len(difficulty)
    return [min(steps, int((rank - 0.5) * steps / n) + 1) for rank in ranks(difficulty)] if n else []


def _permuted(pairs: Sequence[tuple[float, float]], observed: float, seed: int) -> float:
    """Estimate how often a correlation as strong arises when the two sides are paired by chance; never 0."""
    import numpy as np

    random = np.random.default_rng(seed)
    first_ranks, two = (np.array(ranks([pair[side] for pair in pairs])) for side in (0, 1))
    first_ranks, two = ((side - side.mean()) / (side.std() * sqrt(len(side))) for side in (first_ranks, two))
    strong = sum(abs(float(first_ranks @ random.permutation(two))) >= observed - 1e-12 for _ in range(_PERMUTATIONS))
    return (strong + 1) / (_PERMUTATIONS + 1)
