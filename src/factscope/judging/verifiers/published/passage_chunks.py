"""Chunks of a passage for a checker: sentences packed into chunks that fit, each with its offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import terms
from factscope.core.records import Span
from factscope.judging.verifiers.packing import nearest, packed

Offsets = Callable[[Sequence[str]], list[list[tuple[int, int]]]]
"""Returns, for each text, the positions of its tokens."""


class PassageChunk(NamedTuple):
    """A part of a passage, and the sentences in it, all as offsets into the passage."""

    span: Span
    sentences: tuple[Span, ...]


def chunks(text: str, budget: int, offsets: Offsets) -> list[PassageChunk]:
    """Split a passage into chunks of at most `budget` tokens, between sentences, in order.

    Empty when it has no words. A sentence that exceeds the limit alone is split between tokens. Tokens are counted
    sentence by sentence, which may differ by a few from those of the whole.
    """
    pieces = _pieces(text, budget, offsets)
    runs = packed([count for _, count in pieces], budget)
    return [_chunk([span for span, _ in pieces[low:high]]) for low, high in runs]


def halves(chunk: PassageChunk) -> list[PassageChunk]:
    """Split a chunk that is too long in two; a single sentence is split in its middle."""
    if len(chunk.sentences) > 1:
        middle = len(chunk.sentences) // 2
        return [_chunk(chunk.sentences[:middle]), _chunk(chunk.sentences[middle:])]
    start, end = chunk.span.start, chunk.span.end
    middle = (start + end) // 2
    return [_chunk([Span(start=start, end=middle)]), _chunk([Span(start=middle, end=end)])]


@dataclass
class ChunkedPassage:
    """A passage in chunks."""

    text: str
    chunks: list[PassageChunk]

    @cached_property
    def words(self) -> list[frozenset[str]]:
        """The words of each chunk, normalised."""
        return [frozenset(terms(chunk.span.of(self.text))) for chunk in self.chunks]

    def nearest(self, claim: str, most: int) -> list[PassageChunk]:
        """Return the `most` chunks that share most words with the claim, in the order of the text."""
        claim_terms = set(terms(claim))
        indices = nearest(range(len(self.chunks)), most, lambda index: len(claim_terms & self.words[index]))
        return [self.chunks[index] for index in indices]


def likeliest(chunk: PassageChunk, text: str, claim: str, most: int) -> list[Span]:
    """Return the sentences of a chunk that share most words with the claim."""
    claim_terms = set(terms(claim))
    shared = {span: len(claim_terms & set(terms(span.of(text)))) for span in chunk.sentences}
    return sorted(chunk.sentences, key=lambda span: (-shared[span], span.start))[:most]


def _pieces(text: str, budget: int, offsets: Offsets) -> list[tuple[Span, int]]:
    """Return sentences, or parts of overlong ones, with their number of tokens."""
    spans = sentences(text)
    pieces_made: list[tuple[Span, int]] = []
    for span, tokens in zip(spans, offsets([span.of(text) for span in spans]), strict=True):
        if len(tokens) <= budget:
            pieces_made.append((span, len(tokens)))
            continue
        for first in range(0, len(tokens), budget):
            piece_tokens = tokens[first : first + budget]
            start, end = span.start + piece_tokens[0][0], min(span.start + piece_tokens[-1][1], span.end)
            if start < end:
                pieces_made.append((Span(start=start, end=end), len(piece_tokens)))
    return pieces_made


def _chunk(group: Sequence[Span]) -> PassageChunk:
    return PassageChunk(Span(start=group[0].start, end=group[-1].end), tuple(group))
