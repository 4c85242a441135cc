"""Usefulness of a prompt for a benchmark: four criteria, scored 0 to 5 by two models (FactBench).

    S(P) = 1/|C| · Σ_c mean_m s_m(c)

The paper's formula lacks the mean over models, so that it would go up to 10; its thresholds (4.0, 4.5 and 5.0) and its
code use the mean. If one model's reply can't be read, only the other's scores count; if neither can, S(P) is 0 and the
row is dropped as failed, so that the next build asks again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from factscope.benchmarks.curate.baselines import BASELINE, CRITERIA, TOP, useful_by_rule
from factscope.benchmarks.curate.parameters import TIERS, Usefulness
from factscope.benchmarks.curate.questions import ask_each, reason_of
from factscope.benchmarks.curate.rater_agreement import Scores, ablation, agreement
from factscope.benchmarks.curate.stage import FAILED, WAITING, Stage, StageContext, StageResult, drops
from factscope.llm.model_errors import ModelError
from factscope.llm.session import ModelSession, StepQuestion, gather_all, read_prompt
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Ask

ASK = Ask(prompt="curate/useful", role="curate", max_tokens=400)
"""The question to the first model."""
SECOND = ASK.model_copy(update={"role": "curate_second"})
"""The same to the second."""
BELOW = "below the threshold of its tier"
"""Reason for prompts that are not useful enough."""
_Score = Annotated[int, Field(ge=0, le=TOP)]


class UsefulnessRatings(BaseModel):
    """The reply of a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reason: str
    clarity: _Score
    generalizability: _Score
    relevance: _Score
    feasibility: _Score


_SCHEMA, _READ = schema_of(UsefulnessRatings), json_reader(UsefulnessRatings)


def usefulness(scores: Sequence[Scores]) -> float:
    """Return S(P) from the scores of the models that could be read, all of them on all criteria; 0 when there are none.

    One division of whole numbers, so that the thresholds are met exactly where they should be.
    """
    total = sum(score[name] for score in scores for name in CRITERIA)
    return total / (len(CRITERIA) * len(scores)) if scores else 0.0


def threshold(tier: str, least: Usefulness) -> float:
    """Return the least usefulness of a tier."""
    return {"hard": least.hard, "moderate": least.moderate, "easy": least.easy}[tier]


async def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add the criteria (means over models), `usefulness` and `useful_by`: each model's ratings, as JSON.

    Raises UsageError when no model is configured, and the ModelError that would affect every prompt.
    """
    rows = dict(zip(table["id"], table["prompt"], strict=True))
    rated: dict[str, dict[str, UsefulnessRatings | ModelError]]
    if context.tools is None:
        rated = {BASELINE: {name: _by_rule(prompt) for name, prompt in rows.items()}}
    else:
        rated = await _ask_all(rows, context)
    return _done(table, rated, context.parameters.usefulness)


async def _ask_all(
    rows: Mapping[str, str], context: StageContext
) -> dict[str, dict[str, UsefulnessRatings | ModelError]]:
    """Return the replies of each model, by its name."""
    session, longest = context.session, context.parameters.verifiable.characters
    asks = {session.models.of(ask.role): ask for ask in (SECOND, ASK) if ask is ASK or session.models.has(ask.role)}
    for model in asks:
        session.models.examine(model)
    if len(asks) == 1:
        context.log(
            f"One model alone says how useful prompts are: {next(iter(asks))}. FactBench asks two;"
            f" name another with --model {SECOND.role}=provider/model."
        )
    counts = dict.fromkeys(asks, 0)

    def report_slowest(model: str, done: int) -> None:
        counts[model] = done
        context.progress(min(counts.values()), len(rows))

    async def rate_prompts(model: str, ask: Ask) -> dict[str, UsefulnessRatings | ModelError]:
        return await ask_each(
            rows, lambda prompt: _ask(session, ask, prompt[:longest]), lambda done, _: report_slowest(model, done)
        )

    order = sorted(asks)
    return dict(zip(order, await gather_all(rate_prompts(model, asks[model]) for model in order), strict=True))


async def _ask(session: ModelSession, ask: Ask, prompt: str) -> UsefulnessRatings:
    return (await session.ask(StepQuestion(ask, {"prompt": prompt}, schema=_SCHEMA), _READ)).value


def _by_rule(prompt: str) -> UsefulnessRatings:
    return UsefulnessRatings(reason=f"{BASELINE}: by its length and words", **useful_by_rule(prompt))


def _done(
    table: pl.DataFrame, rated: Mapping[str, Mapping[str, UsefulnessRatings | ModelError]], least: Usefulness
) -> StageResult:
    by_row = [{model: labels[name] for model, labels in rated.items()} for name in table["id"]]
    read = [[_scores(rating) for rating in row.values() if isinstance(rating, UsefulnessRatings)] for row in by_row]
    table = table.with_columns(
        *(pl.Series(name, [_mean(scores, name) for scores in read], pl.Float64) for name in CRITERIA),
        pl.Series("usefulness", [usefulness(scores) for scores in read], pl.Float64),
        pl.Series("useful_by", [_as_json(row) for row in by_row], pl.String),
    )
    least_of = pl.col("tier").replace_strict({tier: threshold(tier, least) for tier in TIERS}, return_dtype=pl.Float64)
    failed = {name: cause for name, row in zip(table["id"], by_row, strict=True) if (cause := _unscored_reason(row))}
    whether = (pl.col("usefulness") >= least_of) & ~pl.col("id").is_in(list(failed))
    passing, dropped = table.filter(whether), table.filter(~whether)
    reason = pl.col("id").replace_strict(failed, default=BELOW, return_dtype=pl.String)
    detail = (
        pl.when(reason == BELOW)
        .then(pl.format("{} < {} ({})", "usefulness", least_of, "tier"))
        .otherwise(pl.lit("its scores could not be read: usefulness 0"))
    )
    return StageResult(passing, drops(dropped, reason, detail), _facts(table, read, rated, least))


def _unscored_reason(row: Mapping[str, UsefulnessRatings | ModelError]) -> str | None:
    """State why a row has no score: no reply could be read, or one is pending. `None` when it has one."""
    reasons = [reason_of(rating) for rating in row.values() if isinstance(rating, ModelError)]
    return WAITING if WAITING in reasons else FAILED if len(reasons) == len(row) else None


def _scores(ratings: UsefulnessRatings) -> dict[str, int]:
    return {name: getattr(ratings, name) for name in CRITERIA}


def _mean(scores: Sequence[Scores], name: str) -> float | None:
    return sum(score[name] for score in scores) / len(scores) if scores else None


def _as_json(row: Mapping[str, UsefulnessRatings | ModelError]) -> str:
    values = {
        model: entry.model_dump() if isinstance(entry, UsefulnessRatings) else {"failed": str(entry)}
        for model, entry in row.items()
    }
    return json.dumps(values, ensure_ascii=False)


def _facts(
    table: pl.DataFrame,
    read: Sequence[Sequence[Scores]],
    rated: Mapping[str, Mapping[str, UsefulnessRatings | ModelError]],
    least: Usefulness,
) -> dict[str, Any]:
    """Return scores by criterion, the models' agreement, and how much each criterion decides (R12 of the reviews)."""
    both = [[_scores(rating) for rating in row] for row in _complete(table["id"].to_list(), rated)]
    thresholds = [threshold(tier, least) for tier in table["tier"]]
    means = table.group_by("tier").agg(pl.len().alias("prompts"), pl.col(*CRITERIA, "usefulness").mean()).sort("tier")
    return {
        "by": list(rated),
        "prompt": {ASK.prompt: read_prompt(ASK.prompt).hash} if BASELINE not in rated else {},
        "read_by_all": sum(len(scores) == len(rated) for scores in read),
        "read_by_some": sum(0 < len(scores) < len(rated) for scores in read),
        "read_by_none": sum(not scores for scores in read),
        "means": means.to_dicts(),
        "agreement": agreement(both) if len(rated) > 1 else {},
        "ablation": ablation(read, thresholds),
    }


def _complete(
    names: Sequence[str], rated: Mapping[str, Mapping[str, UsefulnessRatings | ModelError]]
) -> list[list[UsefulnessRatings]]:
    """Collect all models' ratings of the prompts for which all of them could be read."""
    rows = [[text[name] for text in rated.values()] for name in names]
    return [
        [rating for rating in row if isinstance(rating, UsefulnessRatings)]
        for row in rows
        if all(isinstance(o, UsefulnessRatings) for o in row)
    ]


STAGE = Stage(
    "useful",
    "Prompts are scored for usefulness on four criteria, and kept when they reach the threshold of their tier.",
    work,
    roles=(ASK.role, SECOND.role),
    parameters=("verifiable", "usefulness"),
)
