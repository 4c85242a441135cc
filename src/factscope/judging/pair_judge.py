"""The form of reply that lists pairs of claim and passage, each with its label and quote.

A call shows the claims of a group, and the passages of each; shared passages once. Quotes are looked up: a label whose
quoted words are not in the passage, or not about the claim, is asked for once more with the reason, and then counts as
a failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from factscope.core.labels import Label
from factscope.core.records import ConfidenceFrom, Judgement, Quote
from factscope.judging.cases import JudgeCase, judge_name, judgement_id
from factscope.judging.pair_calls import JudgedRow, Pair, PairReply, pairs_call, pairs_of, put_pairs
from factscope.judging.quotes import look_up
from factscope.judging.shared_pairs import shared_reply
from factscope.llm.call import Call
from factscope.llm.model_errors import ModelError
from factscope.llm.session import CheckContext, gather_all
from factscope.llm.shared_calls import GroupMember
from factscope.llm.splitting import Together, ask_together
from factscope.methods import Judge

_SETTLING = ("supported", "contradicted")


class _Numbering(NamedTuple):
    """Numbers of a call's judgements among those of a claim."""

    first: int
    """Number of the judge's first judgement."""
    sample: int


class _Answered(NamedTuple):
    """The judgements of one reply."""

    kept: frozenset[tuple[str, str]]
    """Names of the pairs that have a judgement."""
    refused: Mapping[tuple[str, str], Judgement]
    """Judgements that count as failures, because their quotes are not in the passage or not about the claim."""
    unusable: Mapping[tuple[str, str], str]
    """Reasons why a pair's row could not be read."""


async def judge_pairs(job: CheckContext, spec: Judge, first: int, cases: Sequence[JudgeCase]) -> None:
    """Judge in the form in which a reply lists pairs of claim and passage."""
    groups = [cases[n : n + spec.claims_per_call] for n in range(0, len(cases), spec.claims_per_call)]
    if len(groups) > 1 or spec.samples > 1:
        job = replace(job, member=None)  # a response shares one question at a time
    await gather_all(
        _in_pairs(job, spec, _Numbering(first, sample), group)
        for sample in range(1, spec.samples + 1)
        for group in groups
    )


async def _in_pairs(job: CheckContext, spec: Judge, numbering: _Numbering, cases: Sequence[JudgeCase]) -> None:
    """Judge the cases of one call: in the call that a run shares, if there is one, or in a call of their own."""
    if job.member and await _in_shared_call(job, job.member, spec, numbering, cases):
        return

    async def judge_group(group: tuple[JudgeCase, ...], remark: str) -> tuple[list[Pair], PairReply]:
        pairs = pairs_of(group)
        call = _call(job, spec, numbering, pairs, remark)
        return pairs, await put_pairs(job.session, spec, pairs, call, once=len(group) > 1 or bool(remark))

    async def complete_group(group: tuple[JudgeCase, ...], answer: tuple[list[Pair], PairReply]) -> None:
        claim_ids = {case.claim.id for case in group}
        pairs, reply = answer
        await _complete(job, spec, numbering, [pair for pair in pairs if pair.claim.id in claim_ids], reply)

    def fail_group(group: Sequence[JudgeCase], error: Exception) -> None:
        job.fail([case.claim.id for case in group], "judging", error)

    await ask_together(cases, Together(judge_group, complete_group, fail_group))


async def _in_shared_call(
    job: CheckContext, member: GroupMember, spec: Judge, numbering: _Numbering, cases: Sequence[JudgeCase]
) -> bool:
    """Judge the cases in a call that several responses share. Return False when they need a call of their own."""
    pairs = pairs_of(cases)
    try:
        reply = await shared_reply(member, job.session, spec, pairs, _call(job, spec, numbering, pairs))
        if not reply:
            return False
        await _complete(job, spec, numbering, pairs, reply)
    except Exception as error:  # noqa: BLE001 - see CheckContext.guard
        job.fail([case.claim.id for case in cases], "judging", error)
    return True


async def _complete(
    job: CheckContext, spec: Judge, numbering: _Numbering, pairs: Sequence[Pair], reply: PairReply
) -> None:
    """Record a reply. Pairs that it left out, or misquoted, are asked for once more; no others."""
    answered = _record(job, spec, numbering, pairs, reply)
    if not (left := [pair for pair in pairs if pair.name not in answered.kept]):
        return
    call = _call(job, spec, numbering, left, _refused(answered, left))
    reply_again = await job.guard(_claims(left), "judging", put_pairs, job.session, spec, left, call)
    if reply_again is None:
        return
    again = _record(job, spec, numbering, left, reply_again)
    job.emit(*again.refused.values())
    if lost := [pair for pair in left if pair.name not in again.kept and pair.name not in again.refused]:
        job.fail(_claims(lost), "judging", ModelError("unreadable", "The judge left passages out, twice."))


def _call(job: CheckContext, spec: Judge, numbering: _Numbering, pairs: Sequence[Pair], remark: str = "") -> Call:
    return pairs_call(job.session, spec, pairs, job.variables(pairs[0].claim), numbering.sample, remark)


def _claims(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(pair.claim.id for pair in pairs))


def _record(
    job: CheckContext, spec: Judge, numbering: _Numbering, pairs: Sequence[Pair], reply: PairReply
) -> _Answered:
    """Emit the judgements in a reply that count."""
    by_name = {pair.name: pair for pair in pairs}
    by_word = {word: label for label, word in spec.labels.items()}
    judge = judge_name(job.session.models, spec.role)
    answered: set[tuple[str, str]] = set()
    void: dict[tuple[str, str], Judgement] = {}
    for row in reply.rows:
        pair = by_name.get((row.values.claim, row.values.passage))
        if pair is None:
            continue
        number = judgement_id(pair.passage.id, *numbering)
        fields = _judgement(pair, row, by_word[row.values.label])
        judgement = Judgement(id=number, judge=judge, sample=numbering.sample, call=reply.call, **fields)
        if judgement.failure:
            void[pair.name] = judgement
        else:
            job.emit(judgement)
            answered.add(pair.name)
    unusable = {name: reason for name, reason in reply.unusable.items() if name in by_name}
    return _Answered(frozenset(answered), void, unusable)


def _judgement(pair: Pair, row: JudgedRow, label: Label) -> dict[str, Any]:
    """Make the fields of a judgement from a pair's part of a reply, its quote checked."""
    values = row.values
    fields = {
        "unit_id": pair.claim.id,
        "passage_ids": (pair.passage.id,),
        "raw_label": values.label,
        "rationale": values.reason or None,
    }
    if label not in _SETTLING:
        gap = (values.gap or None) if label == "not_enough_evidence" else None
        return {**fields, "label": label, "gap": gap, **_confidence(row)}
    # The id before each line of a passage may be copied into a quote of several lines.
    words = values.quote.replace(f"\n{pair.key}: ", "\n")
    span_found = look_up(words, pair.passage.text, pair.claim.standalone)
    if isinstance(span_found, str):
        return {**fields, "failure": span_found, "flags": ("quote_not_found",)}
    quote = Quote(passage_id=pair.passage.id, span=span_found, text=span_found.of(pair.passage.text))
    return {**fields, "label": label, "quote": quote, **_confidence(row)}


def _confidence(row: JudgedRow) -> dict[str, Any]:
    source: ConfidenceFrom = "stated" if row.likely is None else "logprobs"
    return {"confidence": row.values.confidence if row.likely is None else row.likely, "confidence_from": source}


def _refused(answered: _Answered, pairs: Sequence[Pair]) -> str:
    """Return the reason why pairs are asked for again.

    It contains only ids and our own words: a quote is outside text.
    """
    keys = {pair.passage.id: pair.key for pair in pairs}
    reasons = [
        f"{refusal.unit_id}, {keys[refusal.passage_ids[0]]}: {refusal.failure}" for refusal in answered.refused.values()
    ]
    reasons += [f"{claim}, {key}: {reason}" for (claim, key), reason in answered.unusable.items()]
    if not reasons:
        return ""
    return "\n".join(["Your earlier judgements of these pairs could not be used. Judge them again:", *reasons])
