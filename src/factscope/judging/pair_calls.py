"""A call about pairs of claim and passage: its question, and the schema and the rows of its reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from factscope.core import Gap, group_by
from factscope.core.records import Claim, Passage
from factscope.judging.cases import JudgeCase, PassageKeys, passage_key
from factscope.judging.confidence import json_label_confidences
from factscope.llm.call import Call
from factscope.llm.model_errors import UnreadableError
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.session import ModelSession, StepQuestion
from factscope.llm.structured import first_error, json_reader, schema_of
from factscope.methods import Judge

GAPS: dict[Gap, str] = {gap: gap for gap in ("insufficient", "partial", "outdated", "subjective")}
_STRICT = ConfigDict(extra="forbid", frozen=True)


@cache
def reply_form(words: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of a reply to a list of pairs, with the labels of the method."""
    return create_model("Said_of_pairs", __config__=_STRICT, judgements=(tuple[row_form(words), ...], ...))  # type: ignore[misc, arg-type]


@cache
def row_form(words: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of one pair's row in such a reply."""
    gaps = ("", *GAPS)
    return create_model(
        "Said",
        __config__=_STRICT,
        claim=(str, ...),
        passage=(str, ...),
        reason=(str, ...),
        label=(Literal[words], ...),  # type: ignore[arg-type]
        quote=(str, ...),
        gap=(Literal[gaps], ...),  # type: ignore[arg-type]
        confidence=(float, Field(ge=0, le=1)),
    )


_AnyRows = create_model("AnyRows", __config__=_STRICT, judgements=(tuple[dict[str, Any], ...], ...))


def pairs_reader(
    words: tuple[str, ...], pairs_asked: Collection[tuple[str, str]]
) -> Callable[[str], tuple[list[Any], dict[tuple[str, str], str]]]:
    """Return a reader of replies in this form, row by row: the usable rows, and the reasons why others are not.

    A reply may leave out pairs of the list. A row that does not fit the schema, or the rows of a pair that occurs
    twice, are unusable and do not affect the other rows. The reader raises UnreadableError where no row can be used,
    and where a row names a pair that is not in the list: then the ids were mixed up.
    """
    reader, form = json_reader(_AnyRows), row_form(words)

    def read(text: str) -> tuple[list[Any], dict[tuple[str, str], str]]:
        """Parse a reply into its rows."""
        rows: dict[tuple[str, str], Any] = {}
        unusable: dict[tuple[str, str], str] = {}
        reason = "it holds no judgement."
        for values in reader(text).judgements:  # type: ignore[attr-defined]
            pair = (str(values.get("claim")), str(values.get("passage")))
            if pair not in pairs_asked:
                raise UnreadableError(f"the pair {pair[0][:40]!r}, {pair[1][:40]!r} is not in the list.")
            try:
                row = form.model_validate(values, strict=True)
            except ValidationError as error:
                reason = unusable[pair] = first_error(error)
                continue
            if pair in rows:
                reason = unusable[pair] = "a pair comes twice."
            rows[pair] = row
        usable = [row for pair, row in rows.items() if pair not in unusable]
        if not usable:
            raise UnreadableError(reason)
        return usable, unusable

    return read


_ROW_TOKENS = 120
"""Tokens of one judgement in JSON without its quote; a row of the prompt's example has 50."""


class Pair(NamedTuple):
    """A claim and a passage to judge it against, with their names in a call."""

    claim: Claim
    passage: Passage
    key: str
    """Key of the passage in the call, the same for equal passages."""
    owner: str = ""
    """Prefix of the claim's id in a call about several responses, whose claims have the same ids."""

    @property
    def name(self) -> tuple[str, str]:
        """Name of the claim and key of the passage in the call."""
        return f"{self.owner}{self.claim.id}", self.key


class JudgedRow(NamedTuple):
    """The part of a reply about one pair."""

    values: Any
    """In the form of `row_form`."""
    likely: float | None
    """Probability of the label's tokens, where the server returns it."""


class PairReply(NamedTuple):
    """The usable parts of a reply, and the reasons why others are not."""

    rows: Sequence[JudgedRow]
    unusable: Mapping[tuple[str, str], str]
    """Reason by claim and passage."""
    call: str | None
    """Key of the call."""


def pairs_of(cases: Iterable[JudgeCase]) -> list[Pair]:
    """Return the pairs of a response's claims and passages, each passage under one key."""
    keys: PassageKeys = {}
    return [Pair(case.claim, passage, passage_key(passage, keys)) for case in cases for passage in case.passages]


def pairs_call(
    session: ModelSession,
    spec: Judge,
    pairs: Sequence[Pair],
    more: Mapping[str, str],
    sample: int = 1,
    remark: str = "",
) -> Call:
    """Return the call that judges pairs.

    `more` are further variables for its prompt, and `remark` is as for `StepQuestion`.
    """
    listed = group_by(pairs, lambda pair: pair.name[0])
    variables: dict[str, Any] = {
        **more,
        "passages": lines_by_id({pair.key: pair.passage.text for pair in pairs}.items()),
        "claims": lines_by_id({pair.name[0]: pair.claim.standalone for pair in pairs}.items()),
        "pairs": "\n".join(f"{claim}: {', '.join(pair.key for pair in group)}" for claim, group in listed.items()),
    }
    question = StepQuestion(
        spec,
        variables,
        {"label": spec.labels, "gap": GAPS},
        schema_of(reply_form(tuple(spec.labels.values()))),
        sample=sample,
        logprobs=0 if spec.logprobs else None,
        remark=remark,
        units=len(listed),
        room=room_for((pair.passage.text for pair in pairs), _ROW_TOKENS),
    )
    return session.call(question)


async def put_pairs(
    session: ModelSession, spec: Judge, pairs: Sequence[Pair], call: Call, *, once: bool = False
) -> PairReply:
    """Make the call for some pairs; `once` is as for `session.ask_call`. Raises ModelError, StoreError."""
    labels = tuple(spec.labels.values())
    answer = await session.ask_call(spec, call, pairs_reader(labels, {pair.name for pair in pairs}), once=once)
    rows, unusable = answer.value
    words = [row.label for row in rows]
    confidences = json_label_confidences(answer.reply, words, labels) if spec.logprobs else [None] * len(words)
    return PairReply(list(map(JudgedRow, rows, confidences)), unusable, answer.key)
