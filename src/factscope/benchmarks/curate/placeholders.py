"""The stage `placeholders`: prompts in which names were replaced before they were published, as by `NAME_1`.

FactBench drops them (30.9 % of LMSYS-Chat-1M). Its published code can also have a model rewrite a logged answer with
plausible names; here the model only assigns names to placeholders, and these are filled in, so that nothing else of a
text changes and request and answer agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.stage import BASELINE, DROPPED, Stage, StageContext, StageResult, ask_each, reason_of
from factscope.core import Record
from factscope.llm import ModelError, StepQuestion, UnreadableError, json_reader, read_prompt, schema_of
from factscope.methods import Ask

ASK = Ask(prompt="curate/deanonymise", role="curate", max_tokens=1_000)
"""The question."""
HELD = "placeholder"
"""Reason for a prompt with placeholders."""
SIDE = "placeholder_names"
"""The side table of names: id, placeholder, name."""
_NAMES = {"id": pl.String, "placeholder": pl.String, "name": pl.String}
Names = Mapping[str, str]
"""Names by placeholder."""


_Text = tuple[str, str]
"""A prompt, and the logged answer to it."""


class PlaceholderName(Record):
    """Name behind a placeholder."""

    placeholder: str
    name: str = Field(min_length=1, max_length=100)


class PlaceholderNames(Record):
    """Names behind all placeholders of a prompt."""

    names: tuple[PlaceholderName, ...]


_SCHEMA, _READ = schema_of(PlaceholderNames), json_reader(PlaceholderNames)


async def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Drop prompts with placeholders, or fill in names, and add the column `deanonymised`.

    The side table `placeholder_names` (id, placeholder, name) says which, so that answers get the same (`mended`).
    """
    settings = context.parameters.placeholders
    held = rows.filter(pl.col("prompt").str.contains(settings.pattern))
    results: dict[str, Names | ModelError] = {}
    if asks := settings.do == "deanonymise" and context.tools is not None:
        logged = context.scan("responses").filter(pl.col("id").is_in(held["id"].implode())).collect()
        answers = dict(logged.iter_rows())
        texts = {name: (prompt, answers.get(name) or "") for name, prompt in held["id", "prompt"].iter_rows()}
        results = await _names(texts, settings.pattern, context)
    resolved = {name: names for name, names in results.items() if not isinstance(names, ModelError)}
    facts: dict[str, object] = {"do": "drop"} if settings.do == "drop" else {"do": "drop", "by": BASELINE}
    if asks:
        facts = {"do": "deanonymise", "named": len(resolved), "prompt": {ASK.prompt: read_prompt(ASK.prompt).hash}}
    filled = [
        fill(prompt, resolved[name], settings.pattern) if name in resolved else prompt
        for name, prompt in rows["id", "prompt"].iter_rows()
    ]
    named = pl.col("id").is_in(list(resolved))
    table = rows.with_columns(pl.Series("prompt", filled, pl.String), deanonymised=named)
    dropped = [(name, *_drop_reason(results.get(name))) for name in held.filter(~named)["id"]]
    sides = [(name, *pair) for name, names in resolved.items() for pair in names.items()]
    return StageResult(
        table.filter(named | ~pl.col("id").is_in(held["id"].implode())),
        pl.DataFrame(dropped, DROPPED, orient="row"),
        facts,
        {SIDE: pl.DataFrame(sides, _NAMES, orient="row")},
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
    names: dict[str, Names] = {}
    for name, placeholder, value in context.side(SIDE).iter_rows() if SIDE in context.tables else ():
        names[name] = {**names.get(name, {}), placeholder: value}
    held = rows.filter(pl.col("response").str.contains(pattern))
    texts = {name: (prompt, text) for name, prompt, text in held["id", "prompt", "response"].iter_rows()}
    models = context.tools.models if context.tools else None
    if models and models.has(ASK.role):
        to_ask = {
            name: text for name, text in texts.items() if set(_placeholders(text, pattern)) - names.get(name, {}).keys()
        }
        found_names = await _names(to_ask, pattern, context)
        names |= {name: group for name, group in found_names.items() if not isinstance(group, ModelError)}
    return {name: fill(response, names[name], pattern) for name, (_, response) in texts.items() if name in names}


def fill(text: str, names: Names, pattern: str) -> str:
    """Return the text with placeholders replaced by their names, where they have one."""
    return re.sub(pattern, lambda match: names.get(match[0], match[0]), text)


async def _names(texts: Mapping[str, _Text], pattern: str, context: StageContext) -> dict[str, Names | ModelError]:
    """Ask a model for the names behind the placeholders of each text."""
    session = context.session

    async def ask_for_names(text: _Text) -> Names:
        placeholders = _placeholders(text, pattern)

        def read_names(reply: str) -> Names:
            names = {entry.placeholder: entry.name.strip() for entry in _READ(reply).names}
            missing = (name for name in placeholders if not names.get(name) or re.search(pattern, names[name]))
            if (placeholder := next(missing, None)) is not None:
                raise UnreadableError(f"it gives no name for {placeholder}.")
            return names

        offered = {"prompt": text[0], "response": text[1], "placeholders": "\n".join(placeholders)}
        return (await session.ask(StepQuestion(ASK, offered, schema=_SCHEMA), read_names)).value

    return await ask_each(texts, ask_for_names, context.progress)


def _placeholders(text: _Text, pattern: str) -> list[str]:
    """Return the different placeholders of a text, in the order in which they come."""
    return list(dict.fromkeys(match[0] for entry in text for match in re.finditer(pattern, entry)))


def _drop_reason(result: Names | ModelError | None) -> tuple[str, str]:
    """Return reason and detail: a refusal is final, another failure is tried again by the next build."""
    if isinstance(result, ModelError) and result.kind != "refusal":
        return reason_of(result), str(result)
    return HELD, ""
