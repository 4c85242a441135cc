"""The sentence of a passage with most words of a claim, for judges that give no quote of their own."""

from __future__ import annotations

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import terms
from factscope.core.records import Span

_LEAST = 1.0  # one content word
_SHORT = 0.1
"""Weight of a word of less than four letters: such words are in every sentence."""


def best_match(text: str, claim: str) -> Span | None:
    """Find the sentence with most words of the claim; of ties, the first.

    It is None when no sentence shares a content word.
    """
    wanted = set(terms(claim))
    scored = [(sum(map(_weight, wanted & set(terms(span.of(text))))), -span.start, span) for span in sentences(text)]
    score, _, best = max(scored, key=lambda one: one[:2], default=(0.0, 0, None))
    return best if score >= _LEAST else None


def _weight(word: str) -> float:
    telling = len(word) > 3 or not word.isascii() or any(letter.isdigit() for letter in word)
    return 1.0 if telling else _SHORT
