"""Refusals of a model: their types, by a model or by a small rule marked as such, their rate, and the unjustified ones.

FactBench classifies the refusals of one model and finds 25 of 41 unjustified. Only two of its category numbers are
public, 2 and 5; the others are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from factscope.benchmarks import Example, Marks, ask_each
from factscope.benchmarks.rules.refusal_rule import category_of, refuses
from factscope.core import Record, group_by
from factscope.llm import ModelSession, StepQuestion, UnreadableError, json_reader, schema_of
from factscope.methods import Ask
from factscope.scoring.means import Proportion, proportion

ROLE = "refusal"
"""Role of the configured model that classifies refusals."""
RULE = "rule"
"""Name of the classifier where no model is used."""
STEP = Ask(prompt="factbench/refusal", role=ROLE, max_tokens=400)


CATEGORIES: dict[int, str] = {
    1: "safety",
    2: "misinformation",
    3: "privacy",
    4: "capability",
    5: "ethical and legal advice",
    6: "policy-sensitive topic",
}
"""Why a response refuses. 4: the model says that it can't do this or lacks the information; 5 holds medicine too."""
UNTYPED = "untyped"


class RefusalType(NamedTuple):
    """Type of a response as a refusal."""

    refusal: bool
    category: int | None = None
    """Of a refusal: one of `CATEGORIES`; `None` when that could not be determined."""
    justified: bool | None = None
    """Of a refusal: whether the prompt called for it; `None` when unknown."""
    reason: str | None = None


RefusalTypes = Marks[RefusalType]
"""The responses with their types, by a model or by `RULE`."""


class RefusalReply(Record):
    """The model's reply about a response."""

    category: Literal[0, 1, 2, 3, 4, 5, 6]
    justified: bool | None
    reason: str


_SCHEMA, _READ = schema_of(RefusalReply), json_reader(RefusalReply)


def by_rule(text: str) -> RefusalType:
    """Return the type of a response by its clauses. English only; does not decide whether it was justified."""
    return RefusalType(refusal=True, category=category_of(text)) if refuses(text) else RefusalType(refusal=False)


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


class RefusalMix(Record):
    """Refusals by type, reason and necessity."""

    rate: Proportion
    """Refusals among the responses with a known type, including withheld ones."""
    by_category: dict[str, int]
    """Number of refusals by the name of their category; `untyped` for unknown ones."""
    unjustified: Proportion
    """Unjustified ones among the refusals for which that is known."""
    unjustified_by_category: dict[str, Proportion]
    """The same for each category."""


def refusal_mix(refusals: Sequence[RefusalType], n_known: int) -> RefusalMix:
    """Summarise the refusals among the responses whose type is known (FactBench, refusal study)."""
    groups = group_by(refusals, lambda refusal: CATEGORIES.get(refusal.category or 0, UNTYPED))
    present = {word: groups[word] for word in (*CATEGORIES.values(), UNTYPED) if groups[word]}
    return RefusalMix(
        rate=proportion(len(refusals), n_known),
        by_category={word: len(group) for word, group in present.items()},
        unjustified=_unjustified(refusals),
        unjustified_by_category={word: _unjustified(group) for word, group in present.items()},
    )


def _unjustified(refusals: Iterable[RefusalType]) -> Proportion:
    justified_flags = [refusal.justified for refusal in refusals if refusal.justified is not None]
    return proportion(justified_flags.count(False), len(justified_flags))
