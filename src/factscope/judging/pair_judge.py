"""The form of reply that lists pairs of claim and passage, each with its label and quote.

A call shows the claims of a group, and the passages of each; shared passages once. Quotes are looked up: a label whose
quoted words are not in the passage, or not about the claim, is asked for once more with the reason, and then counts as
a failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from factscope.core import Label
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
    samples = [_PairsSample(job, spec, first, sample) for sample in range(1, spec.samples + 1)]
    await gather_all(sample.judge(group) for sample in samples for group in groups)


@dataclass(frozen=True)
class _PairsSample:
    """One sample of a judge's judgements on pairs."""

    job: CheckContext
    spec: Judge
    first: int
    """Number of the judge's first judgement."""
    sample: int

    async def judge(self, cases: Sequence[JudgeCase]) -> None:
        """Judge the cases of one call: in the call that a run shares, if there is one, or in a call of their own."""
        if self.job.member and await self._in_shared_call(self.job.member, cases):
            return

        async def judge_group(group: tuple[JudgeCase, ...], remark: str) -> tuple[list[Pair], PairReply]:
            pairs, once = pairs_of(group), len(group) > 1 or bool(remark)
            return pairs, await put_pairs(self.job.session, self.spec, pairs, self._call(pairs, remark), once=once)

        async def complete_group(group: tuple[JudgeCase, ...], answer: tuple[list[Pair], PairReply]) -> None:
            claim_ids = {case.claim.id for case in group}
            pairs, reply = answer
            await self._complete([pair for pair in pairs if pair.claim.id in claim_ids], reply)

        await ask_together(cases, Together(judge_group, complete_group, self._fail))

    def _fail(self, cases: Sequence[JudgeCase], error: Exception) -> None:
        self.job.fail([case.claim.id for case in cases], "judging", error)

    async def _in_shared_call(self, member: GroupMember, cases: Sequence[JudgeCase]) -> bool:
        """Judge the cases in a call that several responses share. Return False when they need a call of their own."""
        pairs = pairs_of(cases)
        try:
            reply = await shared_reply(member, self.job.session, self.spec, pairs, self._call(pairs))
            if not reply:
                return False
            await self._complete(pairs, reply)
        except Exception as error:  # noqa: BLE001 - see CheckContext.guard
            self._fail(cases, error)
        return True

    async def _complete(self, pairs: Sequence[Pair], reply: PairReply) -> None:
        """Record a reply. Pairs that it left out, or misquoted, are asked for once more; no others."""
        job, answered = self.job, self._record(pairs, reply)
        if not (left := [pair for pair in pairs if pair.name not in answered.kept]):
            return
        call = self._call(left, _refused(answered, left))
        reply_again = await job.guard(_claims(left), "judging", put_pairs, job.session, self.spec, left, call)
        if reply_again is None:
            return
        again = self._record(left, reply_again)
        job.emit(*again.refused.values())
        if lost := [pair for pair in left if pair.name not in again.kept and pair.name not in again.refused]:
            job.fail(_claims(lost), "judging", ModelError("unreadable", "The judge left passages out, twice."))

    def _call(self, pairs: Sequence[Pair], remark: str = "") -> Call:
        variables = self.job.variables(pairs[0].claim)
        return pairs_call(self.job.session, self.spec, pairs, variables, self.sample, remark)

    def _record(self, pairs: Sequence[Pair], reply: PairReply) -> _Answered:
        """Emit the judgements in a reply that count."""
        by_name = {pair.name: pair for pair in pairs}
        by_word = {word: label for label, word in self.spec.labels.items()}
        judge = judge_name(self.job.session.models, self.spec.role)
        answered: set[tuple[str, str]] = set()
        void: dict[tuple[str, str], Judgement] = {}
        for row in reply.rows:
            pair = by_name.get((row.values.claim, row.values.passage))
            if pair is None:
                continue
            name = judgement_id(pair.passage.id, self.first, self.sample)
            fields = _judgement(pair, row, by_word[row.values.label])
            judgement = Judgement(id=name, judge=judge, sample=self.sample, call=reply.call, **fields)
            if judgement.failure:
                void[pair.name] = judgement
            else:
                self.job.emit(judgement)
                answered.add(pair.name)
        unusable = {name: reason for name, reason in reply.unusable.items() if name in by_name}
        return _Answered(frozenset(answered), void, unusable)


def _claims(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(pair.claim.id for pair in pairs))


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
