"""Types of refusals and whether they were justified: by a model, or by a small rule marked as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from factscope.benchmarks.examples import Example
from factscope.benchmarks.factbench.refusal_rates import CATEGORIES
from factscope.benchmarks.generate import ask_each
from factscope.benchmarks.rules.refusal_rule import category_of, refuses
from factscope.core.records import Usage
from factscope.llm.model_errors import UnreadableError
from factscope.llm.session import ModelSession, StepQuestion
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Ask

ROLE = "refusal"
"""Role of the configured model that classifies refusals."""
RULE = "rule"
"""Name of the classifier where no model is used."""
STEP = Ask(prompt="factbench/refusal", role=ROLE, max_tokens=400)


class RefusalType(NamedTuple):
    """Type of a response as a refusal."""

    refuses: bool
    category: int | None = None
    """Of a refusal: one of `CATEGORIES`; `None` when that could not be determined."""
    justified: bool | None = None
    reason: str | None = None


class RefusalTypes(NamedTuple):
    """The responses with their types."""

    types: Mapping[tuple[str, str], RefusalType]
    """By model and prompt."""
    by: str
    """The model that typed them, or `rule`."""
    missing: Mapping[tuple[str, str], str] = {}
    """Responses that could not be typed, and why."""
    usage: tuple[Usage, ...] = ()


class RefusalReply(BaseModel):
    """The model's reply about a response."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    category: Literal[0, 1, 2, 3, 4, 5, 6]
    justified: bool | None
    reason: str


_SCHEMA, _READ = schema_of(RefusalReply), json_reader(RefusalReply)


def by_rule(text: str) -> RefusalType:
    """Return the type of a response by its clauses. English only; does not decide whether it was justified."""
    return RefusalType(refuses=True, category=category_of(text)) if refuses(text) else RefusalType(refuses=False)


def type_by_rule(texts: Mapping[tuple[str, str], str]) -> RefusalTypes:
    """Return the types of all responses by the rule."""
    return RefusalTypes({key: by_rule(text) for key, text in texts.items() if text}, RULE)


async def type_by_model(
    rows: Sequence[Example],
    texts: Mapping[tuple[str, str], str],
    session: ModelSession,
    on_typed: Callable[[int, int], None] = lambda done, total: None,
) -> RefusalTypes:
    """Return the types of all responses that are not empty, as classified by the model of the role `refusal`.

    Replies are cached, so that the same call resumes after any stop. A response that can't be typed is missing. Raises
    UsageError when the role has no model, and errors that would affect every call.
    """
    prompts = {row.id: row.request.prompt or "" for row in rows}
    to_type = [key for key, text in texts.items() if text and key[1] in prompts]

    async def type_one(key: tuple[str, str]) -> RefusalType:
        """Classify one refusal."""
        variables = {"prompt": prompts[key[1]], "response": texts[key]}
        words = {"category": {f"c{number}": word for number, word in CATEGORIES.items()}}
        reply = (await session.ask(StepQuestion(STEP, variables, words, _SCHEMA), read_said)).value
        return RefusalType(bool(reply.category), reply.category or None, reply.justified, reply.reason.strip())

    types, missing = await ask_each(to_type, type_one, on_typed)
    return RefusalTypes(types, session.models.described(ROLE), missing, session.ledger.usage())


def read_said(text: str) -> RefusalReply:
    """Read a reply to the prompt. Raises UnreadableError."""
    reply = _READ(text)
    if (reply.justified is None) != (reply.category == 0):
        raise UnreadableError('"justified" is null for category 0, and true or false for every other.')
    return reply
