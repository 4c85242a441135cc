"""A segment as one claim, checked or skipped for a reason: for methods without a language model.

A skipped segment stays in the report as a claim with the reason, so that no text disappears.
"""

from __future__ import annotations

from factscope.claims.checkability import unstated
from factscope.claims.text.plain_text import plain
from factscope.claims.text.terms import tokens
from factscope.core.labels import ClaimKind
from factscope.core.records import Claim, Segment

_REFERRING = """
    he she it they this that these those his her its their him them here there such another both neither
"""
_DEPENDENT = frozenset(_REFERRING.split())
_FEWEST_WORDS = 3  # fewer words can't state anything checkable (our choice)


def silent(segment: Segment) -> bool:
    """Return whether a segment's form alone shows that it states nothing, so that no model needs to read it."""
    return segment.kind in ("code", "heading") or not tokens(plain(segment.text))


def cut(segment: Segment) -> Claim:
    """Return the claim that a segment makes, skipped with a reason when evidence could not decide it."""
    text = plain(segment.text)
    kind, reason = _sort_out(segment, text)
    words = tokens(text)
    independent = not (words and words[0].text.casefold() in _DEPENDENT)
    about = {"text": text, "standalone": text, "independent": independent, "kind": kind, "skipped": reason}
    return as_it_stands(segment).model_copy(update=about)


def as_it_stands(segment: Segment) -> Claim:
    """Return a segment as a claim in its exact words, to be judged whatever it states."""
    return Claim(
        id=f"{segment.id}.c1",
        segment_id=segment.id,
        text=segment.text,
        standalone=segment.text,
        span=segment.span,
        alignment="exact",
    )


def _sort_out(segment: Segment, text: str) -> tuple[ClaimKind, str | None]:
    """Return the unit type in VERIFY's terms, and the reason if the segment is not checked."""
    words = tokens(text)
    if segment.kind == "whole":  # a whole text can't be judged by its first or last words
        return ("fact", None) if words else ("other", "no words")
    if segment.kind == "code":
        return "data_format", "code"
    if segment.kind == "heading":
        return "other", "a heading states nothing"
    if not words:
        return "other", "no words"
    if reason := unstated(text):
        return reason
    if len(words) < _FEWEST_WORDS and not any(word.text[0].isdigit() for word in words):
        return "other", "too short to state anything"
    return "fact", None
