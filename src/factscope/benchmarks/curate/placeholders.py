"""The stage `placeholders`: prompts in which names were replaced before they were published, as by `NAME_1`.

FactBench drops them (30.9 % of LMSYS-Chat-1M). Its published code can also have a model rewrite a logged answer with
plausible names; here the model only assigns names to placeholders, and these are filled in, so that nothing else of a
text changes and request and answer agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from factscope.benchmarks.curate.questions import ask_each, reason_of
from factscope.benchmarks.curate.stage import DROPPED, Stage, StageContext, StageResult
from factscope.llm.model_errors import ModelError, UnreadableError
from factscope.llm.session import ModelSession, StepQuestion, read_prompt
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Ask

ASK = Ask(prompt="curate/deanonymise", role="curate", max_tokens=1_000)
"""The question."""
HELD = "placeholder"
"""Reason for a prompt with placeholders."""
SIDE = "placeholder_names"
"""The side table of names: id, placeholder, name."""
_BASELINE = "baseline"
_NAMES = {"id": pl.String, "placeholder": pl.String, "name": pl.String}
Names = Mapping[str, str]
"""Names by placeholder."""


class _PromptText(NamedTuple):
    prompt: str
    response: str


class PlaceholderName(BaseModel):
    """Name behind a placeholder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    placeholder: str
    name: str = Field(min_length=1, max_length=100)


class PlaceholderNames(BaseModel):
    """Names behind all placeholders of a prompt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[PlaceholderName, ...]


_SCHEMA, _READ = schema_of(PlaceholderNames), json_reader(PlaceholderNames)


async def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Drop prompts with placeholders, or fill in names, and add the column `deanonymised`.

    The side table `placeholder_names` (id, placeholder, name) says which, so that answers get the same (`mended`).
    """
    settings = context.parameters.placeholders
    held = rows["prompt"].str.contains(settings.pattern)
    results: dict[str, Names | ModelError] = {}
    if settings.do == "deanonymise" and context.tools is not None:
        logged = context.scan("responses").filter(pl.col("id").is_in(rows.filter(held)["id"].implode())).collect()
        answers = dict(logged.iter_rows())
        texts = {
            name: _PromptText(prompt, answers.get(name) or "")
            for name, prompt in rows.filter(held)["id", "prompt"].iter_rows()
        }
        results = await _names(texts, settings.pattern, context)
    resolved = {name: names for name, names in results.items() if not isinstance(names, ModelError)}
    failed = {name: error for name, error in results.items() if isinstance(error, ModelError)}
    table = rows.with_columns(deanonymised=pl.Series([name in resolved for name in rows["id"]], dtype=pl.Boolean))
    filled = [
        fill(prompt, resolved[name], settings.pattern) if name in resolved else prompt
        for name, prompt in rows["id", "prompt"].iter_rows()
    ]
    return StageResult(
        table.with_columns(pl.Series("prompt", filled, pl.String)).filter(~held | table["deanonymised"]),
        _dropped(table.filter(held & ~table["deanonymised"])["id"], failed),
        _facts(context, len(resolved)),
        {SIDE: _table(resolved)},
    )


STAGE = Stage(
    "placeholders",
    "Drops prompts in which names were replaced by placeholders, or has a model find names for them.",
    work,
    roles=(ASK.role,),
)


async def mended(rows: pl.DataFrame, context: StageContext) -> dict[str, str]:
    """Return the logged answers (id, prompt, response), with placeholders replaced by names.

    Names that the stage found for the prompt are used; for the others a model is asked. Without one, and where it gives
    no usable answer, as when it refuses, a response stays as it is (so FactBench's published code).
    """
    pattern = context.parameters.placeholders.pattern
    names_before: dict[str, dict[str, str]] = {}
    found_before = context.side(SIDE).iter_rows() if SIDE in context.tables else ()
    for name, placeholder, value in found_before:
        names_before.setdefault(name, {})[placeholder] = value
    held = rows.filter(pl.col("response").str.contains(pattern))
    texts = {name: _PromptText(prompt, text) for name, prompt, text in held["id", "prompt", "response"].iter_rows()}
    to_ask = {
        name: text
        for name, text in texts.items()
        if not set(_placeholders(text, pattern)) <= names_before.get(name, {}).keys()
    }
    models = context.tools.models if context.tools else None
    found_names = await _names(to_ask, pattern, context) if models and models.has(ASK.role) else {}
    names = {
        **names_before,
        **{name: group for name, group in found_names.items() if not isinstance(group, ModelError)},
    }
    return {name: fill(text.response, names[name], pattern) for name, text in texts.items() if name in names}


def fill(text: str, names: Names, pattern: str) -> str:
    """Return the text with placeholders replaced by their names, where they have one."""
    return re.sub(pattern, lambda match: names.get(match[0], match[0]), text)


async def _names(
    texts: Mapping[str, _PromptText], pattern: str, context: StageContext
) -> dict[str, Names | ModelError]:
    """Ask a model for the names behind the placeholders of each text."""
    session = context.session
    return await ask_each(texts, lambda text: _ask(session, text, _placeholders(text, pattern)), context.progress)


async def _ask(session: ModelSession, text: _PromptText, placeholders: list[str]) -> Names:
    offered = {"prompt": text.prompt, "response": text.response, "placeholders": "\n".join(placeholders)}
    return (await session.ask(StepQuestion(ASK, offered, schema=_SCHEMA), _reader(placeholders))).value


def _reader(placeholders: list[str]) -> Callable[[str], Names]:
    def read_names(text: str) -> Names:
        names = {entry.placeholder: entry.name.strip() for entry in _READ(text).names}
        if missing := [index for index in placeholders if not names.get(index)]:
            raise UnreadableError(f"it gives no name for {missing[0]}.")
        return names

    return read_names


def _placeholders(text: _PromptText, pattern: str) -> list[str]:
    """Return the different placeholders of a text, in the order in which they come."""
    return list(dict.fromkeys(match[0] for entry in text for match in re.finditer(pattern, entry)))


def _dropped(ids: pl.Series, failed: Mapping[str, ModelError]) -> pl.DataFrame:
    """Return the dropped rows: a refusal is final, another failure is tried again by the next build."""
    failures = [(name, reason_of(failed[name]), str(failed[name])) for name in ids if name in failed]
    rows = {name: (name, reason, cause) for name, reason, cause in failures if failed[name].kind != "refusal"}
    return pl.DataFrame([rows.get(name, (name, HELD, "")) for name in ids], schema=DROPPED, orient="row")


def _facts(context: StageContext, n_named: int) -> dict[str, object]:
    if context.parameters.placeholders.do == "drop":
        return {"do": "drop"}
    if context.tools is None:
        return {"do": "drop", "by": _BASELINE}
    return {"do": "deanonymise", "named": n_named, "prompt": {ASK.prompt: read_prompt(ASK.prompt).hash}}


def _table(names_by_prompt: Mapping[str, Names]) -> pl.DataFrame:
    rows = [
        (name, placeholder, value) for name, names in names_by_prompt.items() for placeholder, value in names.items()
    ]
    return pl.DataFrame(rows, schema=_NAMES, orient="row")
