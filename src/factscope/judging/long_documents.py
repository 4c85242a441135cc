"""A response judged against documents that are longer than its judge can read, in several passes over their chunks.

all chunks → those of the first pass → labels of sentences → the next chunks for sentences still open → …

A sentence is settled by the first pass that finds it grounded, or contradicted; a pass without evidence settles nothing
as long as there are chunks that it was not compared with. So a sentence is only called unsupported when every chunk was
seen. That is not the verdict of a judge who has read the whole document: statements in two different passes are never
combined.

Chunks end where sentences do, and begin with the sentence before, so that a statement that crosses a border is complete
in one of them. BM25 decides which are shown first; they are shown in the order of the documents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any, NamedTuple, TypeVar

from factscope.claims.text.segments import segment
from factscope.claims.text.terms import terms
from factscope.core import many
from factscope.core.records import Passage, Span
from factscope.judging.document_grounding import (
    PASSING,
    CheckedSentence,
    PendingJudgement,
    at_once,
    emit_labels,
    one_span,
)
from factscope.judging.grounding_parsers import ENOUGH, letters
from factscope.llm.cost import estimate_tokens
from factscope.llm.model_errors import ModelError
from factscope.llm.session import Variables, gather_all, sent_tokens
from factscope.methods import Judge, Rubric

PIECE = 300
"""Approximate tokens of a chunk."""
_OVERLAP = 200
"""Characters before a chunk in which the sentence before it is looked for."""
_AROUND = 40
"""Tokens for the marks around a text in a prompt."""
_K1, _B = 1.5, 0.75
"""BM25 as in Robertson and Zaragoza (2009), section 3.2, its rarity plus 1 in the logarithm so that no word counts
against a piece. Not the index of `evidence`, a room beside this one: a text has few pieces, ranked once or twice."""
_BLANK, _SPACE = re.compile(r"\n\s*\n"), re.compile(r"\s+")
_END = re.compile(r"\n|(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])")


class TextChunk(NamedTuple):
    """A part of one of several texts."""

    text: int
    """Number of its text."""
    start: int
    end: int
    tokens: int
    """Approximate tokens needed to show it by itself."""
    terms: Counter[str]


@lru_cache(maxsize=64)
def cut(texts: tuple[str, ...]) -> tuple[TextChunk, ...]:
    """Return all texts in chunks of about `PIECE` tokens, in order; every character but white space is in one."""
    return tuple(piece for number, text in enumerate(texts) for piece in _cut(number, text))


def _cut(number: int, text: str) -> Iterator[TextChunk]:
    size = max(50, len(text) * PIECE // max(1, estimate_tokens(text)))
    low = 0
    while low < len(text):
        high = _edge(text, low + size // 2, low + size) if low + size < len(text) else len(text)
        start = _before(text, low)
        chunk_text = text[start:high]
        if chunk_text.strip():
            tokens = estimate_tokens(chunk_text) + chunk_text.count("\n") + _AROUND
            yield TextChunk(number, start, high, tokens, Counter(terms(chunk_text)))
        low = high


def _edge(text: str, low: int, high: int) -> int:
    """Return the last position in the range where a paragraph ends, else a sentence, else a word; else `high`."""
    for pattern in (_BLANK, _END, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high


def _before(text: str, low: int) -> int:
    """Return the start of the sentence that ends at `low`; `low` itself when that sentence is long."""
    ends = [match.end() for match in _END.finditer(text, max(0, low - _OVERLAP), max(0, low - 1))]
    ends = [end for end in ends if text[end:low].strip()]
    return ends[-1] if ends else low


def by_worth(query: str, pieces: Sequence[TextChunk]) -> list[int]:
    """Return the indices of all chunks, those with most words of a query first; ties in their order."""
    mean = sum(piece.terms.total() for piece in pieces) / max(1, len(pieces))
    scores = [0.0] * len(pieces)
    for word in set(terms(query)):
        having = [index for index, piece in enumerate(pieces) if word in piece.terms]
        rare = log(1 + (len(pieces) - len(having) + 0.5) / (len(having) + 0.5))
        for index in having:
            often = pieces[index].terms[word]
            damped = _K1 * (1 - _B + _B * pieces[index].terms.total() / mean)
            scores[index] += rare * often * (_K1 + 1) / (often + damped)
    return sorted(range(len(pieces)), key=lambda index: (-round(scores[index], 9), index))


def pick(orders: Sequence[Sequence[int]], unseen: set[int], room: int, pieces: Sequence[TextChunk]) -> set[int]:
    """Return unseen chunks that fit into `room` tokens: the best of each order in turn, then the second of each.

    At least one is returned, however small the room is.
    """
    selected: set[int] = set()
    left = room
    for index in (index for turn in zip(*orders, strict=True) for index in turn):
        if index in unseen and index not in selected:
            if selected and pieces[index].tokens > left:
                break
            selected.add(index)
            left -= pieces[index].tokens
    return selected


def runs(pieces: Sequence[TextChunk], selected: Iterable[int]) -> list[tuple[int, Span]]:
    """Merge adjacent chosen chunks, in order; return each run's text number and span."""
    runs_found: list[tuple[int, Span]] = []
    for piece in (pieces[index] for index in sorted(selected)):
        if runs_found and runs_found[-1][0] == piece.text and piece.start <= runs_found[-1][1].end:
            runs_found[-1] = (piece.text, Span(start=runs_found[-1][1].start, end=piece.end))
        else:
            runs_found.append((piece.text, Span(start=piece.start, end=piece.end)))
    return runs_found


def shortened(texts: Sequence[str], query: str, room: int) -> list[str]:
    """Shorten the texts to `room` tokens together, keeping the chunks with most words of the query."""
    pieces = cut(tuple(texts))
    if sum(piece.tokens for piece in pieces) <= room:
        return list(texts)
    texts_left: list[list[str]] = [[] for _ in texts]
    for number, span in runs(pieces, pick([by_worth(query, pieces)], set(range(len(pieces))), room, pieces)):
        texts_left[number].append(span.of(texts[number]).strip())
    return ["\n[…]\n".join(chunk_texts) for chunk_texts in texts_left]


J = TypeVar("J", Judge, Rubric)
Show = Callable[[Sequence[Passage]], dict[str, Any]]
"""Passages → the variables of the prompt."""
_SURE = 0.9
"""Share of a window that is filled, since tokens are only estimated."""


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


def within(spec: J) -> J:
    """Return the judge with its reply limited to a quarter of its window."""
    if not spec.window:
        return spec
    return spec.model_copy(update={"max_tokens": min(spec.max_tokens, max(1, spec.window // 4))})


def fits(spec: Judge, variables: Variables) -> bool:
    """Return whether the question with these variables and its reply fit into the judge's window."""
    if not spec.window:
        return True
    span_variables = {"span": variables["response"], "number": "1"} if spec.reply.sentences == "each" else {}
    return sent_tokens(spec, {**variables, **span_variables}, {"label": spec.labels}) <= _room(spec)


async def in_looks(pending: PendingJudgement, show: Show) -> None:
    """Make a judgement flagged `in_pieces`, and its findings. Raises ModelError."""
    spec, passages = pending.spec, pending.passages
    judges = spec.in_pieces or spec
    windowed = within(judges.model_copy(update={"window": spec.window, "in_pieces": None}))
    empty = [passage.model_copy(update={"text": ""}) for passage in passages[:1]]
    extra = {"span": pending.claim.text, "number": "1"} if windowed.reply.sentences == "each" else {}
    room = _room(windowed) - sent_tokens(windowed, {**show(empty), **extra}, {"label": windowed.labels})
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
        # A sentence that a later reply leaves out stays open.
        expected = () if sentences else passes.pending.expected
        labels, _ = await at_once(passes.pending, variables, expected, every=True)
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
    target = letters(old.labelled.text)
    about = [
        sentence
        for sentence in sentences
        if (copied := letters(sentence.labelled.text)) and (copied in target or target in copied)
    ]
    if not about or sum(len(letters(sentence.labelled.text)) for sentence in about) < ENOUGH * len(target):
        return old
    worst = max(about, key=lambda sentence: (sentence.label == "contradicted", _open(sentence)))
    return worst._replace(labelled=worst.labelled._replace(text=old.labelled.text))
