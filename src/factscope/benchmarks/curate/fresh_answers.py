"""The answers whose errors count: those of the logs (FactBench), or fresh answers by a model for each tier.

An empty answer, or a table's mark for one, is not an answer: it is counted and dropped. A refusal is an answer; the
evaluation shows whether it has anything to judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from factscope.benchmarks.curate.conversations import is_nothing
from factscope.benchmarks.curate.placeholders import ASK, mended
from factscope.benchmarks.curate.stage import DROPPED, Stage, StageContext, StageResult, ask_each, reason_of
from factscope.benchmarks.generate import ANSWER
from factscope.benchmarks.rules import refusal_accuracy, refuses
from factscope.core import UsageError
from factscope.engine import Tools
from factscope.judging.user_request import answer_call, read_answer
from factscope.llm.model_errors import ModelError

NO_ANSWER = "no answer"
"""Reason for prompts without an answer."""


def examine(names: Iterable[str], tools: Tools | None) -> None:
    """Raise UsageError when there are no models for fresh answers, or one of these can't be called."""
    models = tools.models if tools else None
    for name in sorted(set(names)):
        if models is None:
            raise UsageError(
                "Fresh answers need models, and there are none.",
                "Use the logged answers, without [answering] in the parameters; or leave out --no-models.",
            )
        models.examine(name)


async def fresh_answers(requests: Mapping[str, tuple[str, str]], context: StageContext) -> dict[str, str | ModelError]:
    """Return the answers of models to prompts by id, or how they failed; they are kept in the cache.

    `requests` are pairs of a model, as `provider/model`, and the prompt that it answers.

    Raises UsageError when there are no models or one can't be called, and the ModelError that would affect every call.
    """
    if not requests:
        return {}
    examine((model for model, _ in requests.values()), context.tools)
    session = context.session

    async def ask_for_answer(request: tuple[str, str]) -> str:
        model, prompt = request
        call = replace(answer_call(session.models, ANSWER, prompt), model=model)
        return (await session.models.ask(call, read_answer, session.ledger)).value

    return await ask_each(requests, ask_for_answer, context.progress)


async def _logged(table: pl.DataFrame, context: StageContext) -> dict[str, str | ModelError | None]:
    """Return the logged answers, with the same names for placeholders as in their prompts; None for a missing one."""
    rows = context.scan("responses").filter(pl.col("id").is_in(table["id"].implode())).collect()
    logged = table.select("id", "prompt").join(rows, on="id", how="left")
    texts = dict(logged["id", "response"].iter_rows())
    if "placeholder_names" in context.tables:
        texts |= await mended(logged, context)
    return texts


async def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add `response` and `answered_by`. Raises the errors of `fresh_answers`."""
    models = context.parameters.answering.fresh
    writers = {name: models.get(tier, model) for name, tier, model in table["id", "tier", "model"].iter_rows()}
    afresh = table.filter(pl.col("tier").is_in(list(models)))
    requests = {name: (writers[name], prompt) for name, prompt in afresh["id", "prompt"].iter_rows()}
    others = table.filter(~pl.col("id").is_in(list(requests)))
    texts = {**await _logged(others, context), **await fresh_answers(requests, context)}
    answers = {name: text for name, text in texts.items() if isinstance(text, str) and not is_nothing(text)}
    table = table.with_columns(
        pl.Series("response", [answers.get(name) for name in table["id"]], pl.String),
        pl.Series("answered_by", [writers[name] for name in table["id"]], pl.String),
    )
    passing, dropped = table.filter(pl.col("response").is_not_null()), table.filter(pl.col("response").is_null())
    reason = [(name, *_drop_reason(texts[name])) for name in dropped["id"]]
    facts: dict[str, Any] = {
        "logged": len(texts) - len(requests),
        "fresh": dict(models),
        "only_refuse": sum(refuses(text) for text in answers.values()),
        "accuracy": refusal_accuracy().sentence(),
    }
    return StageResult(passing, pl.DataFrame(reason, DROPPED, orient="row"), facts)


def _drop_reason(result: str | ModelError | None) -> tuple[str, str]:
    """Return reason and detail of a prompt without an answer."""
    if not isinstance(result, ModelError):
        return NO_ANSWER, "none was logged" if result is None else f"{result.strip()!r}"
    return NO_ANSWER if result.kind == "refusal" else reason_of(result), str(result)


STAGE = Stage(
    "answers",
    "Each prompt gets the answer that is evaluated: the logged one, or a fresh one.",
    work,
    roles=(ANSWER, ASK.role),
    parameters=("answering", "placeholders"),
)
