"""Difficulty of a prompt from five factors, beside FactBench's tier by logging model; and checks of this difficulty.

FactBench's reviews ask for more than the rank of the model that logged the answer, and that the selection does not
depend on the evaluator that is reported later. Each factor goes from 0 for the easiest to 1 for the hardest, all except
the task as a rank among all prompts. The difficulty is their mean, weighted by `Parameters.difficulty`:

complexity: words, requests and conditions of the prompt; domain: how rare its topic's words are among all prompts;
task: the kind of answer it asks for, by `Difficulty.tasks`; scarcity: share of the answers' units for which no evidence
was found; panel: mean hallucination score of the answers of several models.

The last two depend on evaluators. `difficulty_apart` leaves out the one that is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.folders import Folder
from factscope.benchmarks.curate.parameters import TIERS, CurationParameters, Difficulty
from factscope.benchmarks.factbench.factbench_run import read_results
from factscope.claims.text.terms import terms
from factscope.core import InputError, PatternFile, Record
from factscope.scoring import Mean, mean, ranks, spearman

FACTORS = ("complexity", "domain", "task", "scarcity", "panel")
PANEL = pl.Schema(
    {
        **dict.fromkeys(("id", "model", "evaluator"), pl.String),
        **dict.fromkeys(("judged", "contradicted", "undecided", "no_evidence"), pl.Int64),
    }
)
"""Columns of the answers that were evaluated: one row for each prompt, model and evaluator.

`undecided` does not include `no_evidence`; an empty `no_evidence` means that the two were not distinguished."""

_SIGNS = PatternFile(__package__, "difficulty.toml")
_TASKS = ("compare", "list", "write", "recommend", "instruct", "look-up", "describe", "explain")
"""Kinds of task; the first whose pattern fits counts, `other` when none does."""
_PERMUTATIONS = 2000
"""Pairings by chance: the standard error of a p of .05 is then .005."""


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


class DifficultyChecks(Record):
    """Checks to read before relying on the difficulty."""

    trend: Trend
    """Trend of `difficulty_apart` against the reported evaluator, which is not part of it."""
    circularity: Circularity
    tiers: Mapping[str, Mean]
    """The difficulty of FactBench's tiers."""
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
    settings = parameters.difficulty
    factors = _of_text(prompts, settings)
    apart = _of_answers(factors, panel.filter(pl.col("evaluator") != reported), parameters)["difficulty"]
    table = _of_answers(factors, panel, parameters).with_columns(
        difficulty_apart=apart, step=_step(pl.col("difficulty"), settings.steps)
    )
    scores = _scores(panel.filter(pl.col("evaluator") == reported), parameters)
    outcome = prompts.select("id").join(scores, on="id", how="left", maintain_order="left")
    apart_steps = table.select(_step(pl.col("difficulty_apart"), settings.steps)).to_series()
    hardest, hardest_apart = (
        {i for i, step in enumerate(all_steps) if step == all_steps.max()} for all_steps in (table["step"], apart_steps)
    )
    union = hardest | hardest_apart
    tiered = table.select("difficulty", tier=prompts["tier"]).filter(pl.col("tier").is_in(TIERS))
    by_tier = {tier: tiered.filter(pl.col("tier") == tier)["difficulty"].to_list() for tier in TIERS}
    checks = DifficultyChecks(
        trend=trend(apart.to_list(), outcome, settings.steps, settings.seed),
        circularity=Circularity(
            reported=reported,
            rho=spearman(table["difficulty"].to_list(), apart.to_list()),
            overlap=len(hardest & hardest_apart) / len(union) if union else 1.0,
            evaluators=tuple(sorted({*panel["evaluator"]} - {reported})),
        ),
        tiers={tier: mean(values) for tier, values in by_tier.items()},
        tiers_rho=spearman([-TIERS.index(tier) for tier in tiered["tier"]], tiered["difficulty"].to_list()),
    )
    return AssessedPrompts(table, checks)


def trend(difficulty: Sequence[float], outcome: pl.DataFrame, steps: int, seed: int = 0) -> Trend:
    """Return scores by step of difficulty; `outcome` has `hallucination` and `factual_precision` in the same order."""
    table = outcome.select(
        "hallucination", "factual_precision", difficulty=pl.Series(difficulty, dtype=pl.Float64)
    ).with_columns(step=_step(pl.col("difficulty"), steps))
    steps_found = []
    for _, rows in table.sort("step", maintain_order=True).group_by("step", maintain_order=True):
        levels: list[float] = rows["difficulty"].to_list()
        steps_found.append(
            DifficultyStep(
                low=min(levels),
                high=max(levels),
                n=rows.height,
                hallucination=mean(rows["hallucination"].to_list(), seed=seed),
                factual_precision=mean(rows["factual_precision"].to_list(), most=1, seed=seed),
            )
        )
    means = [step.hallucination.value for step in steps_found if step.hallucination.value is not None]
    pairs = list(table.select("difficulty", "hallucination").drop_nulls().iter_rows())
    rho = spearman([level for level, _ in pairs], [score for _, score in pairs])
    return Trend(
        steps=tuple(steps_found),
        rho=rho,
        p=None if rho is None else _permuted(pairs, abs(rho), seed),
        monotonic=all(a <= b for a, b in pairwise(means)),
    )


def task(prompt: str) -> str:
    """Return the kind of task that a prompt sets."""
    return next((kind for kind in _TASKS if _SIGNS[kind].search(prompt)), "other")


def _of_text(prompts: pl.DataFrame, weights: Difficulty) -> pl.DataFrame:
    """Compute the first three factors, which depend on the prompts alone, and their components."""
    texts: list[str] = prompts["prompt"].to_list()
    words = [terms(text) for text in texts]
    different = [sorted(set(group)) for group in words]  # in order, as a sum of fractions depends on it
    counts = Counter(word for group in different for word in group)
    rarity = [
        sum(log(len(texts) / counts[word]) for word in group) / len(group) if group else 0.0 for group in different
    ]
    table = prompts.select("id", "topic").with_columns(
        words=pl.Series(map(len, words), dtype=pl.Int64),
        asks=pl.Series([len(_SIGNS["asks"].findall(text)) for text in texts], dtype=pl.Int64),
        conditions=pl.Series([len(_SIGNS["conditions"].findall(text)) for text in texts], dtype=pl.Int64),
        rarity=pl.Series(rarity, dtype=pl.Float64),
        kind=pl.Series(map(task, texts), dtype=pl.String),
    )
    of_words, of_asks, of_conditions = (_rank_share(pl.col(name)) for name in ("words", "asks", "conditions"))
    other = weights.tasks["other"]
    return table.with_columns(
        complexity=(of_words + of_asks + of_conditions) / 3,
        domain=_rank_share(pl.col("rarity").mean().over("topic")),
        task=pl.col("kind").replace_strict(dict(weights.tasks), default=other, return_dtype=pl.Float64),
    )


def _of_answers(factors: pl.DataFrame, panel: pl.DataFrame, parameters: CurationParameters) -> pl.DataFrame:
    """Add the factors from answers, and the mean of all five factors."""
    table = factors.join(_scores(panel, parameters), on="id", how="left", maintain_order="left")
    table = table.with_columns(scarcity=_rank_share(pl.col("unfound")), panel=_rank_share(pl.col("hallucination")))
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


def _rank_share(values: pl.Expr) -> pl.Expr:
    """Return the rank of each value from 0 to 1, ties sharing theirs; null stays."""
    return (values.rank() - 0.5) / values.count()


def _step(difficulty: pl.Expr, steps: int) -> pl.Expr:
    """Return the step of each prompt, from 1 for the easiest; ties share one."""
    number = ((difficulty.rank() - 0.5) * steps / pl.len()).floor().cast(pl.Int64) + 1
    return number.clip(upper_bound=steps)


def _permuted(pairs: Sequence[tuple[float, float]], observed: float, seed: int) -> float:
    """Estimate how often a correlation as strong arises when the two sides are paired by chance; never 0."""
    import numpy as np

    random = np.random.default_rng(seed)
    first_ranks, second_ranks = (np.array(ranks([pair[side] for pair in pairs])) for side in (0, 1))
    first_ranks, second_ranks = (
        (side - side.mean()) / (side.std() * sqrt(len(side))) for side in (first_ranks, second_ranks)
    )
    strong = sum(
        abs(float(first_ranks @ random.permutation(second_ranks))) >= observed - 1e-12 for _ in range(_PERMUTATIONS)
    )
    return (strong + 1) / (_PERMUTATIONS + 1)


def difficulty_of(folder: Folder, more: pl.DataFrame | None = None) -> AssessedPrompts:
    """Return the difficulty of all prompts of a release that were evaluated, with `more` evaluated answers.

    Raises InputError when it has not come so far, or none of the answers is to a prompt of it; StoreError.
    """
    evaluator, panel = _own_answers(folder)
    prompts = folder.table("evaluated")
    if more is not None:
        more = more.filter(pl.col("id").is_in(prompts["id"].implode()))
        if not more.height:
            raise InputError(
                f"The panel has no judged answer to a prompt of {folder.path}.",
                "Name results of this release: factscope bench factbench --data RELEASE",
            )
        panel = pl.concat([panel, more])
    return assess(prompts, panel, evaluator, folder.manifest.parameters)


def read_panel(paths: Sequence[Path]) -> pl.DataFrame:
    """Return the answers in results of `bench factbench`, with the columns of `PANEL`; without those hardly judged.

    Raises UsageError for a file that is not there, InputError for one that is not such a result.
    """
    return pl.DataFrame([row for path in paths for row in _answers(path)], PANEL, orient="row")


def _answers(path: Path) -> Iterator[tuple[str | int | None, ...]]:
    result = read_results([path])
    evaluator = _evaluator_name(str(result.first.method.get("name")), result.first.models)
    for entry in result.entries:
        if entry.coverage >= result.first.settings.least_coverage:  # else it is missing in the benchmark's table, too
            # Such a result does not tell units without evidence from the other undecided ones.
            yield entry.id, entry.model, evaluator, entry.n, entry.contradicted, entry.undecided, None


def _own_answers(folder: Folder) -> tuple[str, pl.DataFrame]:
    """Return a release's evaluator, and the answers that it was made with."""
    rows = folder.table("evaluated").filter(pl.col("hallucination").is_not_null())
    about = folder.manifest.facts("evaluated").get("evaluator", {})
    evaluator = _evaluator_name(str(about.get("method", "the evaluator of the release")), about.get("models") or {})
    unfound = folder.side("units").filter(pl.col("outcome") == "no_evidence").group_by("id").agg(no_evidence=pl.len())
    result = pl.col("no_evidence").fill_null(0)
    answers = rows.join(unfound, on="id", how="left", maintain_order="left").select(
        "id",
        "contradicted",
        model=pl.col("answered_by").fill_null("unknown"),
        evaluator=pl.lit(evaluator),
        judged="units",
        undecided=pl.col("undecided") - result,
        no_evidence=result,
    )
    return evaluator, answers.select(*PANEL).cast(PANEL)


def _evaluator_name(method: str, models: Mapping[str, str]) -> str:
    """Return text such as `verify by openai/gpt-4.1`, which is equal for equal evaluators."""
    return " by ".join(filter(None, [method, ", ".join(sorted(set(models.values())))]))
