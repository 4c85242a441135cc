"""Corrections of contradicted claims: the error in each, and the wording that would be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from factscope.core import ErrorType
from factscope.core.records import Claim, Correction, Passage, Quote
from factscope.judging.cases import PassageKeys, passage_key
from factscope.llm.model_errors import UnreadableError
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, StepQuestion, Variables, gather_all
from factscope.llm.splitting import Together, ask_together
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Correct

from .quotes import find_quote

_WORDS: dict[ErrorType, str] = {name: name for name in ("entity", "relation", "contradictory", "invented")}


class _CorrectionForm(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Corrected(_CorrectionForm):
    claim: str
    error: Literal["entity", "relation", "contradictory", "invented"]
    passage: str
    quote: str
    correction: str
    reason: str


class _CorrectionReply(_CorrectionForm):
    corrections: tuple[_Corrected, ...]


_SCHEMA, _READ = schema_of(_CorrectionReply), json_reader(_CorrectionReply)


class Contradicted(NamedTuple):
    """A claim and the passages that contradict it."""

    claim: Claim
    passages: Sequence[Passage]


async def correct(job: CheckContext, spec: Correct, cases: Sequence[Contradicted]) -> None:
    """Ask a model for the errors in claims; failures are recorded for the claims that they affect.

    If a correction rests on words that are not in the passage, only the kind of error is kept.
    """

    async def emit_corrections(group: tuple[Contradicted, ...], answer: tuple[Correction, ...]) -> None:
        claim_ids = {case.claim.id for case in group}
        job.emit(*(correction for correction in answer if correction.unit_id in claim_ids))

    size = spec.claims_per_call
    steps = Together(
        partial(_corrections, job, spec),
        emit_corrections,
        lambda group, error: job.fail([case.claim.id for case in group], "correction", error),
    )
    await gather_all(ask_together(cases[start : start + size], steps) for start in range(0, len(cases), size))


async def _corrections(
    job: CheckContext, spec: Correct, cases: Sequence[Contradicted], remark: str
) -> tuple[Correction, ...]:
    keys: PassageKeys = {}
    listed = {case.claim.id: {passage_key(p, keys): p for p in case.passages} for case in cases}
    segments = {case.claim.segment_id: job.variables(case.claim)["segment"] for case in cases}
    texts = {key: passage.text for passages in listed.values() for key, passage in passages.items()}
    variables: Variables = {
        "response": job.response.text,
        "prompt": job.response.prompt or "",
        "claims": lines_by_id((case.claim.id, case.claim.standalone) for case in cases),
        "segments": lines_by_id(segments.items()),
        "passages": lines_by_id(texts.items()),
        "pairs": "\n".join(
            f"{case.claim.id}: {case.claim.segment_id}; {', '.join(listed[case.claim.id])}" for case in cases
        ),
    }
    room = room_for([*(segments[case.claim.segment_id] for case in cases), *texts.values()], each=150, times=2)
    question = StepQuestion(spec, variables, {"error": _WORDS}, _SCHEMA, remark=remark, units=len(cases), room=room)
    answer = await job.session.ask(question, _about(listed), once=len(cases) > 1 or bool(remark))
    return tuple(_correction(row, listed[row.claim][row.passage]) for row in answer.value)


def _correction(row: _Corrected, passage: Passage) -> Correction:
    span = find_quote(row.quote.replace(f"\n{row.passage}: ", "\n"), passage.text, whole=True)
    text = row.correction.strip()
    return Correction(
        unit_id=row.claim,
        error=row.error,
        text=text if text and span else None,
        quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
        rationale=row.reason.strip() or None,
    )


def _about(listed: Mapping[str, Mapping[str, Passage]]) -> Callable[[str], tuple[_Corrected, ...]]:
    def read_corrections(text: str) -> tuple[_Corrected, ...]:
        rows = _READ(text).corrections
        if sorted(row.claim for row in rows) != sorted(listed):
            raise UnreadableError(f"it must name each of these claims once: {', '.join(listed)}.")
        for row in rows:
            if row.passage not in listed[row.claim]:
                raise UnreadableError(
                    f"{row.claim} has no passage {row.passage[:40]!r}; it has: {', '.join(listed[row.claim])}."
                )
        return rows

    return read_corrections
