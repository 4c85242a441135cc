"""Input that no verifier can judge: texts without words, or in a language that it does not read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from factscope.claims.text.language import surely
from factscope.claims.text.terms import tokens
from factscope.core.records import JudgementFlag
from factscope.judging.verifiers.protocol import ClaimPair

MOST_CHUNKS = 48
"""Parts of a passage from which on silence of those that were read is no verdict on the others."""
_SAMPLE = 4_000
"""Characters by which the language of a text is told."""


class UnsupportedInput(NamedTuple):
    """Reason why a pair is not judged."""

    flag: JudgementFlag
    why: str


def unread(pair: ClaimPair, languages: Sequence[str]) -> UnsupportedInput | None:
    """Return why this pair can't be judged by a verifier of these languages (none for any); None when it can."""
    texts = (("claim", pair.claim), ("passage", pair.passage))
    for what, text in texts:
        if not tokens(text[:_SAMPLE]) and not tokens(text):
            return UnsupportedInput("nothing_to_read", f"the {what} holds no words")
    for what, text in texts:
        language = other_language(text, languages)
        if language:
            reads = ", ".join(languages)
            return UnsupportedInput("other_language", f"the {what} is in {language}, and this verifier reads {reads}")
    return None


def other_language(text: str, languages: Sequence[str]) -> str | None:
    """The language of the text when it is surely none of these; None otherwise, and when these are none, for any."""
    language = _language(text[:_SAMPLE]) if languages else None
    return None if language in languages else language


@lru_cache(maxsize=1024)
def _language(sample: str) -> str | None:
    return surely(sample)
