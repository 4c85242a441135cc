"""A long passage → the few parts of it that may be about a claim, short enough for the encoder."""

from __future__ import annotations

from typing import NamedTuple

from factscope.judging.verifiers.packing import nearest, packed
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, AnalysedText

WORDS = 110
"""Words of a chunk at most, unless one sentence has more."""
MOST = 8
"""Chunks of a passage that are read: those with most words of the claim."""


class SentenceChunk(NamedTuple):
    """Consecutive sentences: `passage.stretches[low:high]`."""

    low: int
    high: int

    def of(self, passage: AnalysedText) -> str:
        """Return its text."""
        return passage.text[passage.stretches[self.low].start : passage.stretches[self.high - 1].end]


def chunks(passage: AnalysedText) -> list[SentenceChunk]:
    """Split a passage into runs of whole sentences, each with as many as fit."""
    return [
        SentenceChunk(low, high) for low, high in packed([len(stretch.words) for stretch in passage.stretches], WORDS)
    ]


def worth_reading(
    claim: AnalysedSentence, passage: AnalysedText, all_chunks: list[SentenceChunk]
) -> list[SentenceChunk]:
    """Return the chunks that share most of the claim's words, weighted by rarity, in the order of the passage."""

    def shared(chunk: SentenceChunk) -> float:
        keys = {item.key for stretch in passage.stretches[chunk.low : chunk.high] for item in stretch.items}
        return sum(item.weight for item in claim.items if item.key in keys)

    return nearest(all_chunks, MOST, shared)
