"""Correction of a contradicted claim: its error, and what the text should say instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from factscope.core.labels import ErrorType
from factscope.core.records import Claim, Correction, Passage, Quote
from factscope.llm.model_errors import UnreadableError
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, Variables
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Correct

from .quotes import find_quote

_WORDS: dict[ErrorType, str] = {name: name for name in ("entity", "relation", "contradictory", "invented")}


class _CorrectionReply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    error: Literal["entity", "relation", "contradictory", "invented"]
    passage: str
    quote: str
    correction: str
    reason: str


_SCHEMA, _READ = schema_of(_CorrectionReply), json_reader(_CorrectionReply)


async def correct(job: CheckContext, spec: Correct, claim: Claim, against: Sequence[Passage]) -> None:
    """Ask a model for the error in a claim that the passages `against` contradict. Raises ModelError.

    A correction that rests on words which are not in the passage is not kept; the kind of error is.
    """
    passages = {f"p{number}": passage for number, passage in enumerate(against, 1)}
    variables: Variables = {
        **job.variables(claim),
        "passages": {key: passage.text for key, passage in passages.items()},
    }
    read = _about(frozenset(passages))
    room = room_for(
        [job.variables(claim)["segment"], *(passage.text for passage in passages.values())], each=150, times=2
    )
    reply = (await job.session.ask(spec, variables, read, words={"error": _WORDS}, schema=_SCHEMA, room=room)).value
    passage = passages[reply.passage]
    span = find_quote(reply.quote, passage.text)
    text = reply.correction.strip()
    job.emit(
        Correction(
            unit_id=claim.id,
            error=reply.error,
            text=text if text and span else None,
            quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
            rationale=reply.reason.strip() or None,
        )
    )


def _about(known_ids: frozenset[str]) -> Callable[[str], _CorrectionReply]:
    def read(text: str) -> _CorrectionReply:
        reply = _READ(text)
        if reply.passage not in known_ids:
            raise UnreadableError(
                f"there is no passage {reply.passage[:40]!r}; there are: {', '.join(sorted(known_ids))}."
            )
        return reply

    return read
