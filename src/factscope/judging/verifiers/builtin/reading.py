"""The texts of a passage that the encoder reads: the closest sentence first, then the chunks unless they can't matter.

Most passages of a search leave a claim open. Where the closest sentence alone clearly does, the chunks are not read,
which take most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.cross_encoder import CrossEncoder, EncoderTexts
from factscope.judging.verifiers.unsupported_input import other_language
from factscope.judging.verifiers.wording.features import ClaimComparison
from factscope.judging.verifiers.wording.text_items import AnalysedText
from factscope.judging.verifiers.wording.windows import SentenceChunk, chunks, worth_reading

LANGUAGES = ("en",)
"""Languages that the encoder reads."""
OPEN = 0.97
"""Probability of not enough evidence, by the closest sentence alone, from which the chunks are not read. With 0.9, as
before, the chunks of 134 of our own 777 pairs went unread, 41 of them settled by the passage: by the sum .656 of the
pairs came out right in ten folds, and .676 with all read. With 0.97 that loses nothing."""
Floats = NDArray[np.float64]


class Reading(NamedTuple):
    """A sentence of a claim, and the texts of a passage to compare it with."""

    claim: str
    sentence: str
    """The passage's sentence that is closest to it."""
    chunks: tuple[str, ...]


def to_read(claim: AnalysedText, passage: AnalysedText, comparison: ClaimComparison) -> list[SentenceChunk]:
    """Return the chunks for the encoder; none without words, or in a language that it can't read."""
    if comparison.sentence is None or any(other_language(text, LANGUAGES) for text in (claim.text, passage.text)):
        return []
    return worth_reading(claim.stretches[0], passage, chunks(passage))


def read_logits(encoder: CrossEncoder, readings: Sequence[Reading], open_from: float = OPEN) -> list[Floats]:
    """Return each reading's logits, × 3: of its chunks, then of its sentence.

    The sentence's replace those of the chunks where these are not read, from the probability `open_from` on.
    """
    alone = encoder.logits([EncoderTexts(reading.claim, reading.sentence) for reading in readings])
    left_open = [share_of(own, 2) >= open_from for own in alone]
    further = (
        EncoderTexts(reading.claim, chunk)
        for reading, is_open in zip(readings, left_open, strict=True)
        if not is_open
        for chunk in reading.chunks
    )
    chunk_logits = iter(encoder.logits(list(further)))
    return [
        np.array([*(own if is_open else next(chunk_logits) for _ in reading.chunks), own])
        for reading, own, is_open in zip(readings, alone, left_open, strict=True)
    ]


def share_of(logits: Floats, label: int) -> float:
    """Return the probability of one label of three, by its place."""
    return float(np.exp(logits[label] - np.logaddexp.reduce(logits)))
