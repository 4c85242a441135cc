"""A segment as one claim, kept or skipped with a reason: for methods without a language model.

A skipped segment stays in the report as a claim that says why, so nothing of the text is lost.
"""

from __future__ import annotations

from factscope.claims.checkability import unstated
from factscope.claims.text.plain_text import plain
from factscope.claims.text.terms import tokens
from factscope.core.labels import ClaimKind
from factscope.core.records import Claim, Segment

_DEPENDENT = frozenset(
    [
        "he",
        "she",
        "it",
        "they",
        "this",
        "that",
        "these",
        "those",
        "his",
        "her",
        "its",
        "their",
        "him",
        "them",
        "here",
        "there",
        "such",
        "another",
        "both",
        "neither",
    ]
)
_FEWEST_WORDS = 3  # fewer words state nothing that could be checked (our choice)


def silent(segment: Segment) -> bool:
    """Return whether the form of a segment alone says that it states nothing: no model needs to read it."""
    return segment.kind in ("code", "heading") or not tokens(plain(segment.text))


def cut(segment: Segment) -> Claim:
    """Return the claim that a segment makes; skipped with a reason when it makes none that evidence could decide."""
    text = plain(segment.text)
    kind, reason = _sort_out(segment, text)
    words = tokens(text)
    return Claim(
        id=f"{segment.id}.c1",
        segment_id=segment.id,
        text=text,
        standalone=text,
        independent=not (words and words[0].text.casefold() in _DEPENDENT),
        kind=kind,
        span=segment.span,
        alignment="exact",
        skipped=reason,
    )


def as_it_stands(segment: Segment) -> Claim:
    """Return a segment as a claim to be judged, whatever it states, with its very words."""
    return Claim(
        id=f"{segment.id}.c1",
        segment_id=segment.id,
        text=segment.text,
        standalone=segment.text,
        span=segment.span,
        alignment="exact",
    )


def _sort_out(segment: Segment, text: str) -> tuple[ClaimKind, str | None]:
    """Return the unit type in VERIFY's terms, and why the segment is not checked, if it is not."""
    words = tokens(text)
    if segment.kind == "whole":  # a text is more than how it begins, or ends
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
