"""Tiers, and limits on the prompts: a number for each topic, and shares of the tiers in the release.

A tier is that of the model that answered a prompt when it was logged (FactBench): Hard are prompts of strong models. It
reflects the logging model's strength, not the prompt's difficulty (`difficulty` measures that), and does not depend
on the evaluator, which avoids circularity.

The limit on a topic keeps one subject from dominating the benchmark. Its most representative prompts come first
(FactBench takes 100 by class-based TF-IDF), then random ones. The random rank of a prompt depends only on the seed and
its id, so it stays the same whatever else is in the table.

A release has the prompts with the worst answers (FactBench: the top 1,000 by H, 53/34/13 of the tiers). Each tier has a
quota; if it has fewer candidates, all of them are taken and the rest of the quota stays empty, which the build reports:
filling it from another tier would silently change the composition of the benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import islice, takewhile
from typing import Any

import polars as pl

from factscope.benchmarks.curate.evaluate_answers import is_evaluated
from factscope.benchmarks.curate.parameters import TIERS, Selection, Shares, Tier
from factscope.benchmarks.curate.stage import (
    Stage,
    StageContext,
    StageResult,
    by_frequency,
    drops,
    sifted,
    tier_counts,
    topic_count,
)
from factscope.core import many

_VERSION = re.compile(r"-(?:\d{4}|\d{8}|\d{4}-\d\d-\d\d)(?:-preview)?")
"""Suffixes of a model's name that make it a version of it: `-0613`, `-1106-preview`, `-20240229`."""
UNKNOWN = "model without a tier"
"""Reason for prompts whose logging model is not in the table."""
OVER = "its topic has enough"
"""Reason for prompts beyond the number for their topic."""
LOWER = "lower hallucination score"
"""Reason for prompts that others of their tier outrank."""
TIED = "the same hallucination score, another id"
"""Reason for prompts that only the order of ids leaves out."""
NO_QUOTA = "the release takes none of its tier"
"""Reason for prompts of a tier whose share is 0, or rounds to no prompt."""
NOT_DRAWN = "not drawn by lot"
"""Reason for prompts not drawn where no answer was evaluated."""
ALPHAS = tuple(step / 20 for step in range(21))
"""Values of alpha for which the selection is repeated, 0 to 1 (R1 of the reviews)."""
_DIGITS = 12
"""Scores that agree to this many digits are equal, so that the id decides instead of rounding."""


def tier_of(model: str | None, table: Mapping[str, Tier]) -> Tier | None:
    """Return the tier of a logging model, whoever served it and whichever dated version it is.

    `None` when it has none.
    """
    if model is None:
        return None
    plain = _without_owner(model)
    for name, tier in table.items():
        lowered = _without_owner(name)
        if plain == lowered or (plain.startswith(lowered) and _VERSION.fullmatch(plain[len(lowered) :])):
            return tier
    return None


def _without_owner(model: str) -> str:
    """Return the name of a model in lower case, without who served it or whose it is."""
    return model.strip().casefold().rpartition("/")[2]


def assign_tiers(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add `tier`; prompts of models without one are dropped. Where no prompt has a model, all are of the default."""
    tiers = context.parameters.tiers
    nameless = table["model"].is_null().all()
    tiers_found = [tiers.default if nameless else tier_of(model, tiers.models) for model in table["model"]]
    table = table.with_columns(tier=pl.Series(tiers_found, dtype=pl.String))
    tiered, model = pl.col("tier").is_not_null(), pl.col("model").fill_null("(none named)")
    unknown = by_frequency(table.filter(~tiered).select(model).to_series())
    facts = {
        "table": tiers.version,
        "by_default": table.height if nameless else 0,
        "tiers": tier_counts(table),
        "without_tier": dict(islice(unknown.items(), 20)),
    }
    return sifted(table, tiered, UNKNOWN, model, facts)


def sample(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Keep `sampling.per_topic` prompts of each topic; the order of the table stays."""
    settings = context.parameters.sampling
    lists = context.side("topics")["representatives"] if "topics" in context.tables else ()
    first = {name: index for names in lists for index, name in enumerate(names)}  # rank within its topic
    lots = [sha256(f"{settings.seed}:{name}".encode()).hexdigest() for name in table["id"]]
    place = pl.col("id").replace_strict(first, default=len(first), return_dtype=pl.Int64)
    chosen = (
        table.select("id", "topic", place=place, lot=pl.Series(lots, dtype=pl.String))
        .sort("topic", "place", "lot", "id")
        .group_by("topic", maintain_order=True)
        .head(settings.per_topic)
    )
    whether = pl.col("id").is_in(chosen["id"].to_list())
    sizes = table["topic"].value_counts()
    facts = {
        "topics": sizes.height,
        "topics_cut": sizes.filter(pl.col("count") > settings.per_topic).height,
        "representative": chosen.filter(pl.col("id").is_in(list(first))).height,
    }
    return sifted(table, whether, OVER, pl.format("topic {}", "topic"), facts)


def quotas_of(size: int, shares: Shares) -> dict[Tier, int]:
    """Return the quota of each tier by largest remainders; together they are `size`."""
    exact = {tier: size * getattr(shares, tier) for tier in TIERS}
    floors = {tier: int(requested + 1e-9) for tier, requested in exact.items()}
    by_remainder = sorted(TIERS, key=lambda tier: (floors[tier] - exact[tier], TIERS.index(tier)))
    for tier in by_remainder[: size - sum(floors.values())]:
        floors[tier] += 1
    return floors


def score(alpha: float) -> pl.Expr:
    """Return the hallucination score (FactBench, Eq. 1) from the columns `contradicted`, `undecided` and `units`."""
    return (pl.col("contradicted") + alpha * pl.col("undecided")) / pl.col("units").cast(pl.Float64).sqrt()


def select(table: pl.DataFrame, parameters: Selection, alpha: float | None = None) -> pl.DataFrame:
    """Return the rows that are selected, with their `hallucination` at `alpha` and their `rank` among all of them.

    The highest score has rank 1; of equal ones the smaller id comes first, whatever the order of the table. A row is
    never outranked in its tier by one that is left out. Where no answer was evaluated, ranks are drawn by lot.
    """
    quotas = quotas_of(parameters.size, parameters.shares)
    if is_evaluated(table):
        ranked = table.with_columns(hallucination=score(parameters.alpha if alpha is None else alpha)).sort(
            pl.col("hallucination").round(_DIGITS), "id", descending=[True, False]
        )
    else:
        lots = pl.Series([sha256(name.encode()).hexdigest() for name in table["id"]], dtype=pl.String)
        ranked = table.with_columns(lot=lots).sort("lot").drop("lot")
    rank = pl.int_range(pl.len()).over("tier")
    least = pl.col("tier").replace_strict(quotas, return_dtype=pl.Int64)
    return ranked.filter(rank < least).with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32))


def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Keep the selected rows in the order of their `rank`."""
    parameters = context.parameters.selection
    passing = select(table, parameters)
    quotas = quotas_of(parameters.size, parameters.shares)
    available, counts = tier_counts(table), tier_counts(passing)
    short = {tier: {"wanted": n, "there": available[tier]} for tier, n in quotas.items() if available[tier] < n}
    for tier, counted in short.items():
        wanted = many(counted["wanted"], "prompt")
        context.log(f"The tier {tier} is short: {wanted} wanted, {counted['there']:,} there. All of them are taken.")
    lowest = dict(passing.group_by("tier").agg(pl.col("hallucination").min()).iter_rows())
    removed, known_values = table.filter(~pl.col("id").is_in(passing["id"].to_list())), is_evaluated(table)
    facts: dict[str, Any] = {
        "evaluated": known_values,
        "seats": quotas,
        "selected": counts,
        "shares": {tier: count / passing.height if passing.height else None for tier, count in counts.items()},
        "short": short,
        "topics": topic_count(passing),
        "lowest": {tier: lowest.get(tier) for tier in TIERS},
        **({"alpha": sensitivity(table, parameters)} if known_values else {}),
    }
    if not known_values:
        context.log("No answer was evaluated: the prompts are drawn by lot.")
        return StageResult(passing, drops(removed, NOT_DRAWN, "its answer was not evaluated"), facts)
    cut = pl.col("tier").replace_strict(lowest, default=None, return_dtype=pl.Float64).round(_DIGITS)
    reason = pl.when(score(parameters.alpha).round(_DIGITS) >= cut).then(pl.lit(TIED)).otherwise(pl.lit(LOWER))
    reason = (
        pl.when(pl.col("tier").is_in([tier for tier in TIERS if quotas[tier]])).then(reason).otherwise(pl.lit(NO_QUOTA))
    )
    detail = pl.format("{} at alpha {}", score(parameters.alpha).round(4), pl.lit(parameters.alpha))
    return StageResult(passing, drops(removed, reason, detail).sort("reason", maintain_order=True), facts)


def sensitivity(table: pl.DataFrame, parameters: Selection, alphas: Sequence[float] = ALPHAS) -> dict[str, Any]:
    """Compare the selections of other values of alpha (R1): the curve, and the interval in which it is stable.

    Each point has the mean score of its selection, the share of the used selection that is in it, the same for the
    point before, and Kendall's tau between the orders of all candidates. The interval goes from the used alpha as far
    as the overlap stays at or above `parameters.stable` without a gap.
    """
    used = set(select(table, parameters)["id"])
    order = table.select(score(parameters.alpha)).to_series().to_list()
    before: set[str] | None = None
    curve = []
    for alpha in alphas:
        baseline_selection = select(table, parameters, alpha)
        ids = set(baseline_selection["id"])
        curve.append(
            {
                "alpha": alpha,
                "mean": baseline_selection["hallucination"].mean(),
                "overlap": _overlap(used, ids),
                "overlap_before": None if before is None else _overlap(before, ids),
                "tau": _tau(order, table.select(score(alpha)).to_series().to_list()),
            }
        )
        before = ids
    return {"used": parameters.alpha, "curve": curve, "stable": _interval(curve, parameters)}


def _interval(curve: Sequence[Mapping[str, Any]], parameters: Selection) -> list[float]:
    """Return the values of alpha around the used one whose selection is the same except for a few prompts."""
    used = parameters.alpha
    ends = []
    for side in (
        reversed([point for point in curve if point["alpha"] < used]),
        [point for point in curve if point["alpha"] > used],
    ):
        same = takewhile(lambda point: point["overlap"] >= parameters.stable, side)
        ends.append([used, *(point["alpha"] for point in same)][-1])
    return ends


def _overlap(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first) if first else 1.0


def _tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b, in n log n; `None` when one side has no order."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).statistic)


TIERING = Stage(
    "tiers", "Each prompt is put into a tier by the model that answered it when it was logged.", assign_tiers
)
SAMPLING = Stage(
    "sampling", "At most a set number of prompts of each topic go on, the most representative first.", sample
)
STAGE = Stage(
    "selected",
    "The prompts with the highest hallucination scores are selected, with the shares of the tiers kept.",
    work,
    parameters=("selection",),
)
