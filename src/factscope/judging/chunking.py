"""Documents in chunks, for judges that can't read them whole.

Chunks end where sentences do, and begin with the sentence before, so that a statement that crosses a border is complete
in one of them. BM25 decides which are shown first; they are shown in the order of the documents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from factscope.claims.text.terms import terms
from factscope.core.records import Span
from factscope.llm.cost import estimate_tokens

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
