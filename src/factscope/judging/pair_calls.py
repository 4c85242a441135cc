"""A call about pairs of claim and passage: its question, and the rows of its reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from factscope.core.records import Claim, Passage
from factscope.judging.cases import JudgeCase
from factscope.judging.confidence import json_label_confidences
from factscope.judging.pair_replies import GAPS, pairs_reader, reply_form
from factscope.llm.call import Call
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.session import ModelSession, StepQuestion
from factscope.llm.structured import schema_of
from factscope.methods import Judge

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
    """In the form of `pair_replies`."""
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
    keys: dict[tuple[str, int, int], str] = {}
    pairs = []
    for case in cases:
        for passage in case.passages:
            where = (passage.document_id, passage.span.start, passage.span.end)
            pairs.append(Pair(case.claim, passage, keys.setdefault(where, f"p{len(keys) + 1}")))
    return pairs


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
    listed: dict[str, list[str]] = {}
    for pair in pairs:
        listed.setdefault(pair.name[0], []).append(pair.key)
    variables: dict[str, Any] = {
        **more,
        "passages": lines_by_id({pair.key: pair.passage.text for pair in pairs}.items()),
        "claims": lines_by_id({pair.name[0]: pair.claim.standalone for pair in pairs}.items()),
        "pairs": "\n".join(f"{claim}: {', '.join(keys)}" for claim, keys in listed.items()),
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
    rows = answer.value.rows
    words = [row.label for row in rows]
    confidences = json_label_confidences(answer.reply, words, labels) if spec.logprobs else [None] * len(words)
    return PairReply(
        [JudgedRow(row, likely) for row, likely in zip(rows, confidences, strict=True)],
        answer.value.unusable,
        answer.key,
    )
