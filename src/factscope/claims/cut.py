"""A segment as one claim, kept or skipped with a reason: for methods without a language model.

A skipped segment stays in the report as a claim that says why, so nothing of the text is lost. The rules err on the
side of keeping: a statement that is wrongly skipped is a lost claim, one wrongly kept is merely left without evidence.
So they look only at how a segment begins, where a title in quotation marks or capitals fits none of them, and never at
words further on, which may be somebody else's.
The lists of words are English; in other languages only the rules on form apply.
"""

from __future__ import annotations

import re

from factscope.claims.text.plain_text import plain
from factscope.claims.text.terms import tokens
from factscope.core.labels import ClaimKind
from factscope.core.records import Claim, Segment

# A question in quotation marks makes one only of a segment that is nothing else: 'He asked "Why?"' states something.
_QUESTION = re.compile(r"[?？؟՞;][)\]*_\s]*$|^[(\[*_\s]*['\"“‘«„].*[?？؟՞;]['\"”’“»)\]*_\s]*$", re.DOTALL)
_CLOSING = " '\"”’“»)]*_"
_GREEK = re.compile(r"[\u0370-\u03ff]")

# An adverb or a joining word may come first: "Personally, I think", "However, I cannot".
_LEAD = (
    r"(?:(?:[A-Za-z]+ly|(?i:however|but|and|so|still|also|well|yes|no|sure|overall|to be honest|for me|unfortunately))"
    r"\b,?\s+){0,2}"
)
_OPINION = re.compile(
    _LEAD + r"(?:I (?:[a-z]+ly |would |also |do )?"
    r"(?:think|believe|feel|guess|hope|prefer|recommend|suggest|love|like|wish)\b"
    # "We feel the pull of the Moon" speaks of everybody.
    r"|We (?:[a-z]+ly |would |also |do )?(?:think|believe|hope|prefer|recommend|suggest|wish)\b"
    r"|[Ii]n (?:my|our) (?:(?:humble|honest|personal) )?(?:opinion|view)\b(?! of\b)|[Ii]f you ask me\b)"
)
_META = re.compile(
    _LEAD + r"(?:[Aa]s an? (?:(?:large |AI )*language model|AI(?: model| assistant| system)?)(?: [a-z]+ by \w+)?,?"
    r" (?:I|I['’]m|my)\b"
    r"|I['’]m (?:(?:very |so )?(?:sorry|happy|glad|unable)|just an?)\b"
    r"|I (?:can['’]?t|cannot|could not|couldn['’]t|am (?:(?:very |so )?(?:sorry|happy|glad|unable)))\b"
    r"|(?:I )?[Hh]ope (?:this|that) helps\b"
    r"|(?:If you\b[^\"“”.;]*, )?(?:[Pp]lease )?(?:[Ll]et me know if\b|[Ff]eel free to (?:ask|reach)\b))"
)
_REQUEST = re.compile(
    r"(?i:please|let['’]s|let us|feel free to|make sure|be sure to|don['’]t forget|remember to) [a-z]"
)
# "Please note that the bridge was opened in 1931" asks for little and states much.
_STATEMENT = re.compile(r"\b(?:is|are|was|were|has|had)\b")
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
_FEWEST_WORDS = 3


def silent(segment: Segment) -> bool:
    """Whether the form of a segment alone says that it states nothing: no model needs to read it."""
    return segment.kind in ("code", "heading") or not tokens(plain(segment.text))


def cut(segment: Segment) -> Claim:
    """The claim that a segment makes; skipped with a reason when it makes none that evidence could decide."""
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
    """A segment as a claim to be judged, whatever it states, with its very words."""
    return Claim(
        id=f"{segment.id}.c1",
        segment_id=segment.id,
        text=segment.text,
        standalone=segment.text,
        span=segment.span,
        alignment="exact",
    )


def _sort_out(segment: Segment, text: str) -> tuple[ClaimKind, str | None]:
    """The unit type in VERIFY's terms, and why the segment is not checked, if it is not."""
    words = tokens(text)
    if segment.kind == "whole":  # a text is more than how it begins, or ends
        return ("fact", None) if words else ("other", "no words")
    if segment.kind == "code":
        return "data_format", "code"
    if segment.kind == "heading":
        return "other", "a heading states nothing"
    if not words:
        return "other", "no words"
    if _QUESTION.search(text) and (text.rstrip(_CLOSING)[-1:] != ";" or _GREEK.search(text)):
        return "question", "a question"
    if _META.match(text):
        return "meta", "a remark about the answer"
    if _OPINION.match(text):
        return "claim", "an opinion"
    if _REQUEST.match(text) and not _STATEMENT.search(text):
        return "instruction", "a request"
    if len(words) < _FEWEST_WORDS and not any(word.text[0].isdigit() for word in words):
        return "other", "too short to state anything"
    return "fact", None
