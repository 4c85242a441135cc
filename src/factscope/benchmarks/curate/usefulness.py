"""Usefulness of a prompt for a benchmark: four criteria, scored 0 to 5 by two models (FactBench).

    S(P) = 1/|C| · Σ_c mean_m s_m(c)

The paper's formula lacks the mean over models, so that it would go up to 10; its thresholds (4.0, 4.5 and 5.0) and its
code use the mean. If one model's reply can't be read, only the other's scores count; if neither can, S(P) is 0 and the
row is dropped as failed, so that the next build asks again; it is in no mean over prompts.

Reviewers of FactBench found the criteria and their equal weights unjustified (R12); a release therefore reports the
agreement of the two models, and the effect of each criterion.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.stage import (
    BASELINE,
    FAILED,
    WAITING,
    Stage,
    StageContext,
    StageResult,
    ask_about,
    reason_of,
    sifted,
)
from factscope.benchmarks.rules.request_rule import ambiguous_by_rule, kind_by_rule
from factscope.core import PatternFile, Record
from factscope.llm import ModelError, gather_all, read_prompt
from factscope.methods import Ask
from factscope.scoring.agreement import pearson, pearson_interval, raw_agreement, spearman

_RESAMPLES = 500  # the intervals are shown with two digits

CRITERIA = ("clarity", "generalizability", "relevance", "feasibility")
"""Criteria of usefulness (FactBench)."""
Scores = Mapping[str, int]
"""Ratings of one model: a whole number for each criterion."""


def mean_usefulness(scores: Sequence[Scores], criteria: Sequence[str] = CRITERIA) -> float:
    """Return S(P) from the scores of the models that could be read, all of them on all criteria; 0 when there are none.

    One division of whole numbers, so that the thresholds are met exactly where they should be.
    """
    total = sum(score[name] for score in scores for name in criteria)
    return total / (len(criteria) * len(scores)) if scores else 0.0


def agreement(rated: Sequence[Sequence[Scores]]) -> dict[str, Any]:
    """Measure the agreement of the first two models, by criterion and for their sum: one row per prompt, both read.

    Correlations with a bootstrap interval over prompts, the share of equal scores, and the mean difference, first
    minus second; `None` where undefined.
    """
    figures = {}
    for name in (*CRITERIA, "sum"):
        summed = CRITERIA if name == "sum" else (name,)
        first, second = ([sum(row[rater][each] for each in summed) for row in rated] for rater in (0, 1))
        interval = pearson_interval(first, second, resamples=_RESAMPLES)
        figures[name] = {
            "n": len(rated),
            "pearson": pearson(first, second),
            "pearson_interval": interval and [interval.low, interval.high],
            "spearman": spearman(first, second),
            "equal": raw_agreement(first, second),
            "mean_difference": (sum(first) - sum(second)) / len(first) if first else None,
        }
    return figures


def ablation(read: Sequence[Sequence[Scores]], thresholds: Sequence[float]) -> dict[str, Any]:
    """Count the prompts that would pass without each criterion, and their overlap with those that pass now.

    `read` holds for each prompt the scores of the models that could be read, `thresholds` the one of its tier. The
    overlap is Jaccard's; `None` when nothing passes either way.
    """
    full = _passing(read, thresholds, CRITERIA)
    passing_without: dict[str, Any] = {"all": {"passing": len(full)}}
    for left_out in CRITERIA:
        without_criterion = _passing(read, thresholds, [name for name in CRITERIA if name != left_out])
        either = len(full | without_criterion)
        passing_without[f"without {left_out}"] = {
            "passing": len(without_criterion),
            "overlap": len(full & without_criterion) / either if either else None,
        }
    return passing_without


def _passing(read: Sequence[Sequence[Scores]], thresholds: Sequence[float], criteria: Sequence[str]) -> set[int]:
    pairs = enumerate(zip(read, thresholds, strict=True))
    return {index for index, (scores, least) in pairs if scores and mean_usefulness(scores, criteria) >= least}


TOP = 5
"""Highest score of a criterion; the lowest is 0."""
ASK = Ask(prompt="curate/useful", role="curate", max_tokens=400)
"""The question to the first model."""
SECOND = ASK.model_copy(update={"role": "curate_second"})
"""The same to the second."""
BELOW = "below the threshold of its tier"
"""Reason for prompts that are not useful enough."""
_Score = Annotated[int, Field(ge=0, le=TOP)]


class UsefulnessRatings(Record):
    """The reply of a model."""

    reason: str
    clarity: _Score
    generalizability: _Score
    relevance: _Score
    feasibility: _Score


async def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add the criteria (means over models), `usefulness` and `useful_by`: each model's ratings, as JSON.

    Raises UsageError when no model is configured, and the ModelError that would affect every prompt.
    """
    rows = dict(zip(table["id"], table["prompt"], strict=True))
    if context.tools is None:
        reason = f"{BASELINE}: by its length and words"
        rated: _Rated = {
            BASELINE: {name: UsefulnessRatings(reason=reason, **useful_by_rule(text)) for name, text in rows.items()}
        }
    else:
        rated = await _ask_all(rows, context)
    return _done(table, rated, context.parameters.usefulness.model_dump())


_Rated = dict[str, dict[str, UsefulnessRatings | ModelError]]
"""Replies by model and by id of the prompt."""


async def _ask_all(rows: Mapping[str, str], context: StageContext) -> _Rated:
    models, longest = context.session.models, context.parameters.verifiable.characters
    asks = {models.of(ask.role): ask for ask in (SECOND, ASK) if ask is ASK or models.has(ask.role)}
    for model in asks:
        models.examine(model)
    if len(asks) == 1:
        context.log(
            f"One model alone says how useful prompts are: {next(iter(asks))}. FactBench asks two;"
            f" name another with --model {SECOND.role}=provider/model."
        )
    counts = dict.fromkeys(asks, 0)
    shown = {name: {"prompt": prompt[:longest]} for name, prompt in rows.items()}

    async def rate_prompts(model: str) -> dict[str, UsefulnessRatings | ModelError]:
        def report_slowest(done: int, total: int) -> None:
            counts[model] = done
            context.progress(min(counts.values()), total)

        return await ask_about(shown, asks[model], UsefulnessRatings, context, progress=report_slowest)

    order = sorted(asks)
    return dict(zip(order, await gather_all(map(rate_prompts, order)), strict=True))


def _done(table: pl.DataFrame, rated: _Rated, least: Mapping[str, float]) -> StageResult:
    by_row = [{model: labels[name] for model, labels in rated.items()} for name in table["id"]]
    read: list[list[Scores]] = [
        [rating.model_dump(exclude={"reason"}) for rating in row.values() if isinstance(rating, UsefulnessRatings)]
        for row in by_row
    ]
    means = ([sum(score[name] for score in row) / len(row) if row else None for row in read] for name in CRITERIA)
    table = table.with_columns(
        *(pl.Series(name, values, pl.Float64) for name, values in zip(CRITERIA, means, strict=True)),
        pl.Series("usefulness", [mean_usefulness(row) if row else None for row in read], pl.Float64),
        pl.Series("useful_by", map(_as_json, by_row), pl.String),
    )
    least_of = pl.col("tier").replace_strict(dict(least), return_dtype=pl.Float64)
    failed = {name: cause for name, row in zip(table["id"], by_row, strict=True) if (cause := _unscored_reason(row))}
    whether = (pl.col("usefulness") >= least_of) & ~pl.col("id").is_in(list(failed))
    reason = pl.col("id").replace_strict(failed, default=BELOW, return_dtype=pl.String)
    detail = (
        pl.when(reason == BELOW)
        .then(pl.format("{} < {} ({})", "usefulness", least_of, "tier"))
        .otherwise(pl.lit("its scores could not be read: usefulness 0"))
    )
    by_tier = table.group_by("tier").agg(pl.len().alias("prompts"), pl.col(*CRITERIA, "usefulness").mean()).sort("tier")
    n_read = [len(row) for row in read]
    facts = {
        "by": list(rated),
        "prompt": {ASK.prompt: read_prompt(ASK.prompt).hash} if BASELINE not in rated else {},
        "read_by_all": n_read.count(len(rated)),
        "read_by_some": sum(0 < n < len(rated) for n in n_read),
        "read_by_none": n_read.count(0),
        "means": by_tier.to_dicts(),
        # of the models, and how much each criterion decides (R12 of the reviews)
        "agreement": agreement([row for row in read if len(row) == len(rated)]) if len(rated) > 1 else {},
        "ablation": ablation(read, [least[tier] for tier in table["tier"]]),
    }
    return sifted(table, whether, reason, detail, facts)


def _unscored_reason(row: Mapping[str, UsefulnessRatings | ModelError]) -> str | None:
    """State why a row has no score: no reply could be read, or one is pending. `None` when it has one."""
    reasons = [reason_of(rating) for rating in row.values() if isinstance(rating, ModelError)]
    return WAITING if WAITING in reasons else FAILED if len(reasons) == len(row) else None


def _as_json(row: Mapping[str, UsefulnessRatings | ModelError]) -> str:
    values = {
        model: entry.model_dump() if isinstance(entry, UsefulnessRatings) else {"failed": str(entry)}
        for model, entry in row.items()
    }
    return json.dumps(values, ensure_ascii=False)


_SIGNS = PatternFile(__package__, "usefulness.toml")
_LONG, _SHORT, _TINY = 80, 4, 2
"""Words."""


def useful_by_rule(prompt: str) -> dict[str, int]:
    """Score each criterion from 0 to 5, by length and by a few words that count against it.

    The rule replaces a model where none is configured: coarse, deterministic, and for English only.
    """
    words = len(prompt.split())
    unclear = 2 * ambiguous_by_rule(prompt) + 2 * (words < _SHORT) + (words > _LONG)
    return {
        "clarity": TOP - unclear,
        "generalizability": TOP - min(3, len(_SIGNS["own"].findall(prompt))) - (words > _LONG),
        "relevance": TOP - 3 * (words <= _TINY) - (kind_by_rule(prompt) != "Factual"),
        "feasibility": TOP - min(4, 2 * len(_SIGNS["fresh"].findall(prompt))),
    }


STAGE = Stage(
    "useful",
    "Prompts are scored for usefulness on four criteria, and kept when they reach the threshold of their tier.",
    work,
    roles=(ASK.role, SECOND.role),
    parameters=("verifiable", "usefulness"),
)
