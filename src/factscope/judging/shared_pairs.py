"""Pairs of claim and passage of several responses in one call.

A response's part of such a call is cached under the key of the call that would ask for it alone, marked as shared. All
parts of a call are cached at once, so that a killed run finds all of them or none. Each claim is listed with its own
passages; a passage that several responses have is listed once. When the call fails, each response asks its question
alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from factscope.judging.cases import PassageKeys, passage_key
from factscope.judging.pair_calls import JudgedRow, Pair, PairReply, pairs_call, put_pairs, row_form
from factscope.llm.call import Call, Reply, one_line
from factscope.llm.cost import DividedLedger, message_tokens
from factscope.llm.model_errors import ModelError
from factscope.llm.session import ModelSession, outside_variables, read_prompt
from factscope.llm.shared_calls import GroupMember
from factscope.methods import CITED, Cascade, Judge, Method
from factscope.methods.method_file import variants

_VARIABLES = frozenset({"passages", "claims", "pairs"})
"""Variables of a prompt that can be filled from several responses."""


def shares_calls(method: Method) -> bool:
    """Return whether responses can share calls: the method's judge is asked about pairs, once for each pair."""
    return all(_shares_calls(variant) for variant in variants(method))


def _shares_calls(method: Method) -> bool:
    judge = method.judge.judge if isinstance(method.judge, Cascade) else method.judge
    if not isinstance(judge, Judge) or not judge.reply.pairs or judge.samples > 1 or method.evidence.source == CITED:
        return False
    queries = method.evidence.queries
    by_round = queries is None or (queries.stop == "settled" and judge is method.judge)
    return by_round and outside_variables(read_prompt(judge.prompt)) <= _VARIABLES


@dataclass(frozen=True)
class _PairsQuestion:
    """A response's part of a call."""

    session: ModelSession
    spec: Judge
    pairs: Sequence[Pair]
    single_call: Call
    """The call that would judge these pairs by themselves."""

    @property
    def claims(self) -> int:
        """Count the claims."""
        return len({pair.claim.id for pair in self.pairs})


async def shared_reply(
    member: GroupMember, session: ModelSession, spec: Judge, pairs: Sequence[Pair], single_call: Call
) -> PairReply | None:
    """Return a response's part of the reply to a shared call; None when its pairs must be judged by themselves.

    `single_call` is the call that would judge them. Raises StoreError, and ModelError when that call would fail in the
    same way.
    """
    client = session.models.client
    if reply := await client.lookup(replace(single_call, shared=True)):
        with suppress(ValueError, LookupError, TypeError):  # written by a version with other rows
            answer = _from_json(reply.text, spec)
            session.ledger.add(single_call, replace(reply, cached=True))
            return answer
    if await client.lookup(single_call):
        return None
    return await member.share(_PairsQuestion(session, spec, pairs, single_call), _fits, _ask_together)


def _fits(questions: Sequence[_PairsQuestion], question: _PairsQuestion) -> bool:
    most = question.spec.claims_per_call
    return questions[0].spec == question.spec and sum(other.claims for other in questions) + question.claims <= most


async def _ask_together(questions: Sequence[_PairsQuestion]) -> list[PairReply | None]:
    """Judge the pairs of several responses in one call. Raises ModelError when all calls would fail alike."""
    client = questions[0].session.models.client
    keys = [client.key(question.single_call) for question in questions]
    different = dict(zip(keys, questions, strict=True))  # responses with the same text are judged alike
    if len(different) == 1:
        return [None] * len(questions)
    spec, numbered = questions[0].spec, _numbered(different.values())
    ledger = DividedLedger(
        [(question.session.ledger, message_tokens(question.single_call.messages)) for question in questions]
    )
    session = ModelSession(questions[0].session.models, ledger)
    pairs = [pair for call_pairs in numbered for pair in call_pairs]
    try:
        reply = await put_pairs(session, spec, pairs, pairs_call(session, spec, pairs, {}), once=True)
    except ModelError as error:
        if error.fatal or error.kind == "pending":
            raise
        return [None] * len(questions)
    numbered_questions = zip(different.items(), numbered, strict=True)
    replies = {key: _part_of(reply, call_pairs, question.pairs) for (key, question), call_pairs in numbered_questions}
    await client.keep_all(
        [
            (replace(question.single_call, shared=True), Reply(text=_to_json(replies[key]), finish_reason="stop"))
            for key, question in different.items()
        ]
    )
    return [replies[key] for key in keys]


def _numbered(questions: Iterable[_PairsQuestion]) -> list[list[Pair]]:
    """Return the pairs of each question with names for one call about all of them.

    Equal passages have one key.
    """
    keys: PassageKeys = {}
    return [
        [pair._replace(key=passage_key(pair.passage, keys), owner=f"r{number}.") for pair in question.pairs]
        for number, question in enumerate(questions, 1)
    ]


def _part_of(reply: PairReply, call_pairs: Sequence[Pair], pairs: Sequence[Pair]) -> PairReply:
    """Return the part of a reply about some pairs, under the names that they have in their own call."""
    by_name = {pair.name: plain for pair, plain in zip(call_pairs, pairs, strict=True)}
    rows = []
    for values, likely in reply.rows:
        plain = by_name.get((values.claim, values.passage))
        if plain:
            quote = values.quote.replace(f"\n{values.passage}: ", "\n")
            names = {"claim": plain.claim.id, "passage": plain.key, "quote": quote}
            rows.append(JudgedRow(values.model_copy(update=names), likely))
    unusable = {by_name[name].name: reason for name, reason in reply.unusable.items() if name in by_name}
    return PairReply(rows, unusable, reply.call)


def _to_json(reply: PairReply) -> str:
    return one_line(
        {
            "call": reply.call,
            "rows": [[row.values.model_dump(), row.likely] for row in reply.rows],
            "unusable": [[*name, reason] for name, reason in reply.unusable.items()],
        }
    )


def _from_json(text: str, spec: Judge) -> PairReply:
    values: Mapping[str, Any] = json.loads(text)
    form = row_form(tuple(spec.labels.values()))
    return PairReply(
        [JudgedRow(form.model_validate(row), likely) for row, likely in values["rows"]],
        {(claim, key): reason for claim, key, reason in values["unusable"]},
        values["call"],
    )
