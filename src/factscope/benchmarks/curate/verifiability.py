"""Verifiability of prompts (FactBench, section on collection: 45.8 % pass), and which of them are ambiguous.

A model puts each prompt into one of three classes, and only `Factual` goes on. A failed call is not a class: its row
is dropped as failed, and the next build asks again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from factscope.benchmarks.curate.stage import BASELINE, Stage, StageContext, StageResult, ask_about, reason_of, sifted
from factscope.benchmarks.rules import KINDS, Kind, ambiguous_by_rule, kind_by_rule, request_accuracy
from factscope.core import Record
from factscope.llm import ModelError, read_prompt
from factscope.methods import Ask

ASK = Ask(prompt="curate/verifiable", role="curate", max_tokens=400)
"""The question."""
KIND_WORDS = {kind.casefold(): kind for kind in KINDS}


class PromptClass(Record):
    """The class of a prompt, and whether it can be read in several ways."""

    reason: str
    kind: Kind
    ambiguous: bool
    readings: tuple[str, ...]


async def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Add `verifiable_class`, `verifiable_reason`, `verifiable_by`, `ambiguous` and `readings` (R13 of the reviews).

    Raises UsageError when no model is configured for the role, and the ModelError that would affect every prompt.
    """
    rows = dict(zip(table["id"], table["prompt"], strict=True))
    replies: dict[str, PromptClass | ModelError]
    if context.tools is None:
        by, replies = BASELINE, {name: _by_rule(prompt) for name, prompt in rows.items()}
        about: dict[str, Any] = {"accuracy": request_accuracy().sentence()}
    else:
        models, longest = context.session.models, context.parameters.verifiable.characters
        models.examine(by := models.of(ASK.role))
        shown = {name: {"prompt": prompt[:longest]} for name, prompt in rows.items()}
        replies = await ask_about(shown, ASK, PromptClass, context, {"kind": KIND_WORDS})
        about = {"prompt": {ASK.prompt: read_prompt(ASK.prompt).hash}}
    return _done(table, replies, by, about)


def _by_rule(prompt: str) -> PromptClass:
    reason = f"{BASELINE}: by the words that it holds"
    return PromptClass(reason=reason, kind=kind_by_rule(prompt), ambiguous=ambiguous_by_rule(prompt), readings=())


def _done(
    table: pl.DataFrame, replies: Mapping[str, PromptClass | ModelError], by: str, about: Mapping[str, Any]
) -> StageResult:
    answers = [replies[name] for name in table["id"]]
    read = [answer if isinstance(answer, PromptClass) else None for answer in answers]
    reasons = [answer.reason if isinstance(answer, PromptClass) else str(answer) for answer in answers]
    table = table.with_columns(
        pl.Series("verifiable_class", [reading and reading.kind for reading in read], pl.String),
        pl.Series("verifiable_reason", reasons, pl.String),
        pl.Series("verifiable_by", [by] * len(read), pl.String),
        pl.Series("ambiguous", [reading and reading.ambiguous for reading in read], pl.Boolean),
        pl.Series("readings", [list(reading.readings) if reading else [] for reading in read], pl.List(pl.String)),
    )
    factual = pl.col("verifiable_class").eq_missing("Factual")
    facts = {
        "by": by,
        "classes": dict(sorted(Counter(reading.kind for reading in read if reading).items())),
        "not_read": read.count(None),
        "ambiguous": int(table.filter(factual)["ambiguous"].sum()),
        **about,
    }
    failed = {name: reason_of(entry) for name, entry in replies.items() if isinstance(entry, ModelError)}
    reason = pl.coalesce("verifiable_class", pl.col("id").replace_strict(failed, default=None, return_dtype=pl.String))
    return sifted(table, factual, reason, pl.col("verifiable_reason"), facts)


STAGE = Stage(
    "verifiable",
    "Only prompts whose answers state facts of the world are kept.",
    work,
    roles=(ASK.role,),
)
