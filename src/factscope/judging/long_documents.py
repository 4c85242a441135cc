"""A response judged against documents that are longer than its judge can read, in several passes over their chunks.

all chunks → those of the first pass → labels of sentences → the next chunks for sentences still open → …

A sentence is settled by the first pass that finds it grounded, or contradicted; a pass without evidence settles nothing
as long as there are chunks that it was not compared with. So a sentence is only called unsupported when every chunk was
seen. That is not the verdict of a judge who has read the whole document: statements in two different passes are never
combined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from factscope.claims.text.segments import segment
from factscope.core.plurals import many
from factscope.core.records import Passage
from factscope.judging.chunking import PIECE, TextChunk, by_worth, cut, pick, runs
from factscope.judging.document_grounding import (
    PASSING,
    CheckedSentence,
    PendingJudgement,
    at_once,
    emit_labels,
    one_span,
)
from factscope.llm.model_errors import ModelError
from factscope.llm.session import Variables, gather_all, sent_tokens
from factscope.methods import Judge

Show = Callable[[Sequence[Passage]], dict[str, Any]]
"""Passages → the variables of the prompt."""
_SURE = 0.9
"""Share of a window that is filled, since tokens are only estimated."""
_ENOUGH = 0.8
"""Share of a sentence's letters that an entry in a later pass must repeat to count as being about it."""


@dataclass
class _ChunkPasses:
    """Passes over the chunks so far."""

    pending: PendingJudgement
    show: Show
    room: int
    """Tokens of chunks that fit into a call."""
    pieces: tuple[TextChunk, ...]
    n: int = 0
    n_seen: int = 0
    orders: dict[str, list[int]] = field(default_factory=dict)
    """All chunks, ordered by the words that they share with a sentence."""

    def next(self, queries: Sequence[str], unseen: set[int]) -> dict[str, Any]:
        """Return the prompt's variables with the chunks of the next pass, and remove these from `unseen`."""
        for query in queries:
            if query not in self.orders:
                self.orders[query] = by_worth(query, self.pieces)
        selected = pick([self.orders[query] for query in queries], unseen, self.room, self.pieces)
        unseen -= selected
        self.n += 1
        passages = self.pending.passages
        return self.show(
            [
                passages[number].model_copy(update={"text": span.of(passages[number].text), "span": span})
                for number, span in runs(self.pieces, selected)
            ]
        )


def within(spec: Judge) -> Judge:
    """Return the judge with its reply limited to a quarter of its window."""
    if not spec.window:
        return spec
    return spec.model_copy(update={"max_tokens": min(spec.max_tokens, max(1, spec.window // 4))})


def fits(spec: Judge, variables: Variables) -> bool:
    """Return whether the question with these variables and its reply fit into the judge's window."""
    if not spec.window:
        return True
    span_variables = {"span": variables["response"], "number": "1"} if spec.reply.sentences == "each" else {}
    return sent_tokens(spec, {**variables, **span_variables}, _words(spec)) <= _room(spec)


async def in_looks(pending: PendingJudgement, show: Show) -> None:
    """Make a judgement flagged `in_pieces`, and its findings. Raises ModelError."""
    spec, passages = pending.spec, pending.passages
    judges = spec.in_pieces or spec
    windowed = within(judges.model_copy(update={"window": spec.window, "in_pieces": None}))
    empty = [passage.model_copy(update={"text": ""}) for passage in passages[:1]]
    extra = {"span": pending.claim.text, "number": "1"} if windowed.reply.sentences == "each" else {}
    room = _room(windowed) - sent_tokens(windowed, {**show(empty), **extra}, _words(windowed))
    if room < PIECE:
        raise ModelError(
            "bad_request",
            f"The judge's window of {spec.window:,} tokens has no room for a piece of the documents beside the question"
            " and the response.",
            "Use a judge with a larger window, or set --window.",
        )
    passes = _ChunkPasses(pending._replace(spec=windowed), show, room, cut(tuple(passage.text for passage in passages)))
    if windowed.reply.sentences == "each":
        sentences = await gather_all(_span(passes, number, text) for number, text in enumerate(pending.spans, 1))
    else:
        sentences = await _sentences(passes)
    passes_note = (
        f" Judged in pieces: {passes.n_seen} of {len(passes.pieces)} seen, in {many(passes.n, 'pass', 'passes')}."
        " A judge that reads the whole may say otherwise."
    )
    emit_labels(passes.pending, sentences, passes_note, ("in_pieces",))


def _words(spec: Judge) -> dict[str, Any]:
    return {"label": spec.labels}


def _room(spec: Judge) -> int:
    return int(spec.window * _SURE) - within(spec).max_tokens


async def _sentences(passes: _ChunkPasses) -> list[CheckedSentence]:
    """Judge the whole response in the first pass, then only its open sentences."""
    text = passes.pending.job.response.text
    queries = [sentence.text for sentence in segment(text, "sentences")] or [text]
    unseen = set(range(len(passes.pieces)))
    sentences: list[CheckedSentence] = []
    while unseen and queries:
        text_shown = "\n".join(queries) if sentences else text
        variables = {**passes.next(queries, unseen), "response": text_shown}
        labels, _ = await at_once(passes.pending, variables, every=True)
        sentences = [_settled(sentence, labels) for sentence in sentences] if sentences else labels
        queries = [sentence.labelled.text for sentence in sentences if _open(sentence)]
    passes.n_seen = len(passes.pieces) - len(unseen)
    return sentences


async def _span(passes: _ChunkPasses, number: int, text: str) -> CheckedSentence:
    """Judge one sentence against chunks until one supports it."""
    unseen = set(range(len(passes.pieces)))
    sentence = await one_span(passes.pending, passes.next([text], unseen), number, text)
    while unseen and _open(sentence):
        sentence = await one_span(passes.pending, passes.next([text], unseen), number, text)
    passes.n_seen = max(passes.n_seen, len(passes.pieces) - len(unseen))
    return sentence


def _open(sentence: CheckedSentence) -> bool:
    return sentence.label not in PASSING and sentence.label != "contradicted"


def _settled(old: CheckedSentence, sentences: Sequence[CheckedSentence]) -> CheckedSentence:
    """Merge a later label into an open sentence; unchanged when that label is not about the whole sentence."""
    if not _open(old):
        return old
    target = _letters(old.labelled.text)
    about = [
        sentence
        for sentence in sentences
        if (letters := _letters(sentence.labelled.text)) and (letters in target or target in letters)
    ]
    if not about or sum(len(_letters(sentence.labelled.text)) for sentence in about) < _ENOUGH * len(target):
        return old
    worst = max(about, key=lambda sentence: (sentence.label == "contradicted", _open(sentence)))
    return worst._replace(labelled=worst.labelled._replace(text=old.labelled.text))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
