"""Segments → claims by a language model, with a window of segments in each call; and their preparation for a search.

An extracted claim is rewritten to be self-contained, and may be skipped. A model may also split the text into segments
by meaning; together they are exactly the text (FELM, section 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from pydantic import BaseModel

from factscope.claims.text.align import align
from factscope.claims.text.plain_text import plain
from factscope.claims.text.segments import numbered
from factscope.core import KIND_WORDS, BoundaryError, ClaimKind, id_key
from factscope.core.records import Claim, Response, Segment, Span
from factscope.llm.model_errors import ModelError, UnreadableError
from factscope.llm.parsers import bracketed_label, claim_blocks, claim_lines, fenced, separated, typed_units
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, StepQuestion, Variables
from factscope.llm.splitting import Together, ask_together
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Ask, Extract, Relevance, Rewrite

from .cut import cut, silent


async def cut_by_model(job: CheckContext, spec: Ask) -> tuple[Segment, ...]:
    """Return the segments of the response.

    Raises StoreError, and ModelError, also when they are not its exact words.
    """
    text = job.response.text
    variables = {"response": text, "prompt": job.response.prompt or ""}
    spans = (await job.session.ask(StepQuestion(spec, variables), lambda reply: separated(reply, text))).value
    return given_segments(text, [Span(start=start, end=end) for start, end in spans])


def given_segments(text: str, spans: Sequence[Span]) -> tuple[Segment, ...]:
    """Return segments at given positions, in their order, without white space at their ends."""
    return numbered(text, ((span.start, span.end, "given") for span in spans))


_KINDS: dict[str, ClaimKind] = {word: kind for kind, word in KIND_WORDS.items()}
_NOT_CHECKED: dict[ClaimKind, str] = {
    "claim": "a position, not a fact",
    "instruction": "a request",
    "data_format": "code or data",
    "meta": "a remark about the answer",
    "question": "a question",
    "other": "it states nothing to check",
}
_CUT_OFF = "the model's reply was cut off before it"
Window = tuple[Segment, ...]


class _Item(BaseModel, extra="forbid", frozen=True):
    id: int
    segment: str
    quote: str
    standalone: str
    kind: Literal["Fact", "Claim", "Instruction", "Data Format", "Meta Statement", "Question", "Other"]
    depends_on: tuple[int, ...]


class _Items(BaseModel, extra="forbid", frozen=True):
    claims: tuple[_Item, ...]


_SCHEMA, _READ = schema_of(_Items), json_reader(_Items)


class ExtractedClaim(NamedTuple):
    """A claim as a reply states it, before it is located in the text."""

    text: str
    kind: ClaimKind = "fact"
    standalone: str | None = None
    segment: str | None = None
    skipped: str | None = None
    """Reason why it is not checked, whatever its kind."""
    key: int = 0
    """Number by which other claims of the same reply refer to it in `depends_on`."""
    depends_on: tuple[int, ...] = ()


def windows(segments: Sequence[Segment], spec: Extract) -> list[Window]:
    """Return the segments of each call, in order.

    Segments whose form shows that they state nothing are in no window, unless one window is the whole response.
    """
    if spec.segments_per_call == 0:
        return [tuple(segments)] if any(not silent(segment) for segment in segments) else []
    checkable = [segment for segment in segments if not silent(segment)]
    size = spec.segments_per_call
    return [tuple(checkable[start : start + size]) for start in range(0, len(checkable), size)]


def skipped(segments: Sequence[Segment], cut_by_model: Sequence[Window]) -> list[Claim]:
    """Return the segments outside all windows as skipped claims with their reasons."""
    in_windows = {segment.id for window in cut_by_model for segment in window}
    return [cut(segment) for segment in segments if segment.id not in in_windows]


async def extract(job: CheckContext, spec: Extract, window: Window) -> list[Claim]:
    """Return the claims of a window, in order of their ids.

    A failed call is recorded as a failure of each of its segments.
    """
    claims: list[Claim] = []

    async def place_pieces(segments: Window, pieces: list[ExtractedClaim]) -> None:
        claims.extend(_placed(pieces, segments, job.response, spec))

    steps = Together(
        partial(_pieces, job, spec),
        place_pieces,
        lambda group, error: job.fail([segment.id for segment in group], "claims", error),
    )
    if spec.segments_per_call == 0:  # the call shows the whole response, and half of it would need the same call
        checkable = [segment.id for segment in window if not silent(segment)]
        await job.guard(checkable, "claims", steps.work, window, "")
    else:
        await ask_together(window, steps, overlap=False)
    if spec.form == "json":  # each segment must have an entry; a missing one is requested again separately
        with_claims = {claim.segment_id for claim in claims}
        left_out = tuple(segment for segment in window if segment.id not in with_claims | job.failed)
        if left_out:
            await ask_together(left_out, steps, overlap=False)
        with_claims = {claim.segment_id for claim in claims}
        for segment in left_out:
            if segment.id not in with_claims | job.failed:
                job.fail((segment.id,), "claims", BoundaryError("model", "The model left this segment out, twice."))
    return sorted(claims, key=lambda claim: id_key(claim.id))


async def _pieces(job: CheckContext, spec: Extract, window: Window, remark: str) -> list[ExtractedClaim]:
    variables = _variables(job, spec, window)
    units = len(window) if spec.segments_per_call else 0
    question = StepQuestion(spec, variables, {"kind": KIND_WORDS}, units=units, room=_room(spec, window))
    ask = job.session.ask
    if spec.form == "json":
        # Only one attempt where a smaller request can follow, or this is one.
        once = spec.segments_per_call > 0 and (len(window) > 1 or bool(remark))
        answer = await ask(replace(question, schema=_SCHEMA, remark=remark), _items_of(window), once=once)
        return [
            ExtractedClaim(i.quote, _KINDS[i.kind], i.standalone, i.segment, key=i.id, depends_on=i.depends_on)
            for i in answer.value.claims
        ]
    if spec.form == "typed_lines":
        typed = (await ask(question, lambda text: typed_units(text, list(_KINDS)))).value
        return [ExtractedClaim(text, _KINDS[kind]) for text, kind in typed]
    if spec.form == "segment_blocks":
        return await _in_blocks(job, spec, window, variables)
    lines = (await ask(question, claim_lines)).value
    return [ExtractedClaim(line) for line in lines]


def _room(spec: Extract, window: Window) -> int:
    """Return the tokens of a reply about a window: in JSON each claim has its words twice, in lines once."""
    each, times = (100, 6) if spec.form == "json" else (60, 4)
    return room_for((segment.text for segment in window), each, times)


async def _in_blocks(job: CheckContext, spec: Extract, window: Window, variables: Variables) -> list[ExtractedClaim]:
    """Return claims from below lines that name their segments.

    Segments missing from a cut-off reply are marked as such.
    """
    keys = [segment.id for segment in window]
    answer = await job.session.ask(StepQuestion(spec, variables), lambda text: claim_blocks(text, keys))
    for key in answer.value.dropped:
        job.fail(
            (job.response.id,), "claims", BoundaryError("parse", "The model names a segment that there is not."), key
        )
    pieces = [ExtractedClaim(text, segment=key) for key, text in answer.value.claims]
    if answer.reply.finish_reason not in ("length", "max_tokens"):
        return pieces
    last = max((keys.index(piece.segment) for piece in pieces if piece.segment), default=-1)
    remainder = [segment for segment in window[last + 1 :] if not silent(segment)]
    return [*pieces, *(ExtractedClaim(segment.text, segment=segment.id, skipped=_CUT_OFF) for segment in remainder)]


def _items_of(window: Window) -> Callable[[str], _Items]:
    known_ids = {segment.id for segment in window}

    def read_items(text: str) -> _Items:
        items = _READ(text)
        ids = [item.id for item in items.claims]
        if not ids:
            raise UnreadableError("it holds no claim: every segment gets at least one entry.")
        if len(ids) != len(set(ids)):
            raise UnreadableError("two claims have the same id.")
        for item in items.claims:
            if item.segment not in known_ids:
                raise UnreadableError(f"it names segment {item.segment[:40]!r}, which was not in the question.")
            if not item.quote.strip() or not item.standalone.strip():
                raise UnreadableError(f"claim {item.id} has no text.")
        return items

    return read_items


def _variables(job: CheckContext, spec: Extract, window: Window) -> Variables:
    first, last = job.position[window[0].id], job.position[window[-1].id]
    before = job.segments[max(0, first - spec.before) : first]
    after = job.segments[last + 1 : last + 1 + spec.after]
    inside = job.segments[first : last + 1]
    around = (*before, *inside, *after)
    own = {segment.id for segment in window}
    return {
        "response": job.response.text,
        "prompt": job.response.prompt or "",
        "context": _stretch(job, around),
        "paragraph": {f"S{number}": segment.text for number, segment in enumerate(job.paragraph(first), 1)},
        "segment": window[0].text,
        "segments": {segment.id: segment.text for segment in window},
        "before": _stretch(job, before),
        "listed": lines_by_id((segment.id if segment.id in own else "-", segment.text) for segment in inside),
        "after": _stretch(job, after),
    }


def _stretch(job: CheckContext, segments: Sequence[Segment]) -> str:
    return job.response.text[segments[0].span.start : segments[-1].span.end] if segments else ""


def _placed(pieces: Sequence[ExtractedClaim], window: Window, response: Response, spec: Extract) -> Iterator[Claim]:
    """Yield extracted claims, each with its segment, its span, and a number within its segment."""
    by_id = {segment.id: segment for segment in window}
    counts = dict.fromkeys(by_id, 0)
    ids: dict[int, str] = {}
    home = window[0]
    for piece in pieces:
        home = by_id[piece.segment] if piece.segment else home
        span, alignment = align(piece.text, response.text, home.span if piece.segment or len(window) == 1 else None)
        if span and piece.segment is None:
            home = next((segment for segment in window if segment.span.overlaps(span)), home)
        counts[home.id] += 1
        claim_id = f"{home.id}.c{counts[home.id]}"
        parents = [ids[key] for key in piece.depends_on if key in ids and id_key(ids[key]) < id_key(claim_id)]
        text = plain(piece.text) or piece.text
        standalone = piece.standalone or text
        not_checked = None if piece.kind in spec.keep else _NOT_CHECKED.get(piece.kind, "a statement of fact")
        yield Claim(
            id=claim_id,
            segment_id=home.id,
            text=text,
            standalone=standalone,
            independent=same_words(text, standalone),
            kind=piece.kind,
            span=span,
            alignment=alignment,
            depends_on=tuple(parents),
            skipped=piece.skipped or not_checked,
        )
        ids[piece.key] = claim_id


def same_words(text: str, standalone: str) -> bool:
    """Return whether a claim was left as it is, apart from capitals and the full stop."""
    return text.casefold().strip(" .") == standalone.casefold().strip(" .")


async def prepare(job: CheckContext, spec: Extract, claim: Claim) -> Claim:
    """Return the claim, rewritten and checked for relevance as `spec` says. Raises ModelError, StoreError."""
    if claim.skipped is None and spec.rewrite:
        claim = await _rewritten(job, spec.rewrite, claim)
    if claim.skipped is None and spec.relevant and job.response.prompt:  # nothing to be relevant to without one
        claim = await _relevant(job, spec.relevant, claim)
    return claim


async def _rewritten(job: CheckContext, rewrite: Rewrite, claim: Claim) -> Claim:
    variables = {**job.variables(claim), "claim": claim.text}
    room = room_for([variables["segment"], claim.text], each=300, times=2)
    reply = await _answer(job, rewrite, StepQuestion(rewrite, variables, room=room), fenced)
    if reply is None:
        return claim
    rewritten = " ".join(reply.split())
    return claim.model_copy(update={"standalone": rewritten, "independent": same_words(claim.text, rewritten)})


async def _relevant(job: CheckContext, relevant: Relevance, claim: Claim) -> Claim:
    words = {"relevant": "Foo", "irrelevant": "Not Foo"}
    question = StepQuestion(relevant, job.variables(claim), {"relevance": words})
    label = await _answer(job, relevant, question, lambda text: bracketed_label(text, list(words.values())))
    if label == words["irrelevant"]:  # without an answer it is relevant, which is SAFE's own rule
        return claim.model_copy(update={"skipped": "it does not bear on the request"})
    return claim


async def _answer(
    job: CheckContext, step: Rewrite | Relevance, question: StepQuestion, read: Callable[[str], str]
) -> str | None:
    """Return the answer to a question about a claim; None when it is unreadable and the method goes on without it."""
    try:
        return (await job.session.ask(question, read)).value
    except ModelError as error:
        if error.kind != "unreadable" or step.if_unreadable == "fail":
            raise
    return None
