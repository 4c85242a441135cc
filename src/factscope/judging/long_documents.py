"""A response judged against documents that are longer than its judge can read, in several looks at their pieces.

    all pieces → those of the first look → labels of sentences → the next pieces for what is still open → …

A sentence is settled by the first look that finds it grounded, or contradicted; silence settles nothing as long as
there are pieces that it was not held against. So a sentence is only called unsupported when every piece was seen. That
is not the verdict of a judge who has read the whole: two places that are shown in two looks are never put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from factscope.claims.text.segments import segment
from factscope.core.records import Claim, Passage
from factscope.judging.chunking import PIECE, TextChunk, by_worth, cut, pick, runs
from factscope.judging.document_grounding import PASSING, CheckedSentence, at_once, emit_labels, one_span, spans_of
from factscope.llm.model_errors import ModelError
from factscope.llm.session import CheckContext, Places, gather_all, sent_tokens
from factscope.methods import Judge

Show = Callable[[Sequence[Passage]], dict[str, Any]]
"""Passages → the places of the prompt."""
_SURE = 0.9
"""Share of a window that is filled: tokens are estimated."""
_ENOUGH = 0.8
"""Share of a sentence's letters that what is said of it in a later look must have, to be about it."""


@dataclass
class _ChunkPasses:
    """Passes over the chunks so far."""

    pieces: tuple[TextChunk, ...]
    n: int = 0
    seen: int = 0
    orders: dict[str, list[int]] = field(default_factory=dict)
    """All pieces by what they share with a sentence."""


def within(spec: Judge) -> Judge:
    """The judge with no longer a reply than a quarter of its window."""
    if not spec.window:
        return spec
    return spec.model_copy(update={"max_tokens": min(spec.max_tokens, max(1, spec.window // 4))})


def fits(spec: Judge, places: Places) -> bool:
    """Whether the question with these places and its reply fit into the judge's window."""
    if not spec.window:
        return True
    one = {"span": places["response"], "number": "1"} if spec.reply.sentences == "each" else {}
    return sent_tokens(spec, {**places, **one}, _words(spec)) <= _room(spec)


async def in_looks(
    job: CheckContext, spec: Judge, claim: Claim, passages: Sequence[Passage], show: Show, name: str, judge: str
) -> None:
    """A judgement called `name`, flagged `in_pieces`, and its findings. Raises ModelError."""
    judges = spec.in_pieces or spec
    asked = within(judges.model_copy(update={"window": spec.window, "in_pieces": None}))
    empty = [passage.model_copy(update={"text": ""}) for passage in passages[:1]]
    extra = {"span": claim.text, "number": "1"} if asked.reply.sentences == "each" else {}
    room = _room(asked) - sent_tokens(asked, {**show(empty), **extra}, _words(asked))
    if room < PIECE:
        raise ModelError(
            "bad_request",
            f"The judge's window of {spec.window:,} tokens has no room for a piece of the documents beside the question"
            " and the response.",
            "Take a judge that can read more, or say so: --window.",
        )
    looks = _ChunkPasses(cut(tuple(passage.text for passage in passages)))
    if asked.reply.sentences == "each":
        spans = spans_of(job, claim)
        found = await gather_all(
            _span(job, asked, passages, show, room, looks, number, text) for number, text in enumerate(spans, 1)
        )
    else:
        found = await _sentences(job, asked, passages, show, room, looks)
    how = (
        f" Judged in pieces: {looks.seen} of {len(looks.pieces)} seen, in {looks.n} looks. A judge that reads the whole"
        " may say otherwise."
    )
    emit_labels(job, asked, claim, passages, found, name, judge, how, ("in_pieces",))


def _words(spec: Judge) -> dict[str, Any]:
    return {"label": spec.labels}


def _room(spec: Judge) -> int:
    return int(spec.window * _SURE) - within(spec).max_tokens


async def _sentences(
    job: CheckContext, spec: Judge, passages: Sequence[Passage], show: Show, room: int, looks: _ChunkPasses
) -> list[CheckedSentence]:
    """The whole response in the first look, then only what is open."""
    text = job.response.text
    queries = [one.text for one in segment(text, "sentences")] or [text]
    unseen = set(range(len(looks.pieces)))
    found: list[CheckedSentence] = []
    while unseen and queries:
        some = _next(queries, unseen, room, passages, looks)
        shown = "\n".join(queries) if found else text
        said, _ = await at_once(job, spec, passages, {**show(some), "response": shown}, every=True)
        found = [_settled(one, said) for one in found] if found else said
        queries = [one.said.text for one in found if _open(one)]
    looks.seen = len(looks.pieces) - len(unseen)
    return found


async def _span(
    job: CheckContext,
    spec: Judge,
    passages: Sequence[Passage],
    show: Show,
    room: int,
    looks: _ChunkPasses,
    number: int,
    text: str,
) -> CheckedSentence:
    """One sentence, held against pieces until some bear it out."""
    unseen = set(range(len(looks.pieces)))
    found = await one_span(job, spec, show(_next([text], unseen, room, passages, looks)), number, text)
    while unseen and _open(found):
        found = await one_span(job, spec, show(_next([text], unseen, room, passages, looks)), number, text)
    looks.seen = max(looks.seen, len(looks.pieces) - len(unseen))
    return found


def _next(
    queries: Sequence[str], unseen: set[int], room: int, passages: Sequence[Passage], looks: _ChunkPasses
) -> list[Passage]:
    """The pieces of the next look as passages; they are unseen no more."""
    for query in queries:
        if query not in looks.orders:
            looks.orders[query] = by_worth(query, looks.pieces)
    chosen = pick([looks.orders[query] for query in queries], unseen, room, looks.pieces)
    unseen -= chosen
    looks.n += 1
    return [
        passages[number].model_copy(update={"text": span.of(passages[number].text), "span": span})
        for number, span in runs(looks.pieces, chosen)
    ]


def _open(sentence: CheckedSentence) -> bool:
    return sentence.label not in PASSING and sentence.label != "contradicted"


def _settled(old: CheckedSentence, sentences: Sequence[CheckedSentence]) -> CheckedSentence:
    """Merge a later label into a sentence that was open; unchanged when it does not speak of the whole of it."""
    if not _open(old):
        return old
    wanted = _letters(old.said.text)
    about = [one for one in sentences if (own := _letters(one.said.text)) and (own in wanted or wanted in own)]
    if not about or sum(len(_letters(one.said.text)) for one in about) < _ENOUGH * len(wanted):
        return old
    worst = max(about, key=lambda one: (one.label == "contradicted", _open(one)))
    return worst._replace(said=worst.said._replace(text=old.said.text))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
