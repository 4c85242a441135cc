"""A quotation and its source → whether the words are there verbatim, altered, or not at all.

These changes are allowed: an ellipsis for omitted words, added words in square brackets, the case of the first letter,
the style of quotation marks and dashes. Any other change is an alteration, and is shown word by word.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from factscope.claims.text.align import align
from factscope.core.records import Difference, QuotationOutcome, Span
from factscope.judging.quotes import find_quote

ALTERED = 0.6
"""Share of a quotation's words, in order, from which a place in the source counts as its altered original; our own
choice."""
_CUT = re.compile(r"\s*(?:\[\s*(?:…|\.\s?\.\s?\.)\s*\]|…|\.\s?\.\s?\.|\[[^\[\]]{1,80}\])\s*")
_WORD = re.compile(r"[^\W_]+(?:[.,'’:/-][^\W_]+)*%?")
_LONGEST_GAP = 1_500
"""Characters that an ellipsis may leave out."""
_MARGIN = 200
"""Characters around the nearest words in which the altered words are looked for."""


class Compared(NamedTuple):
    """Result of comparing a quotation with one source."""

    outcome: QuotationOutcome
    span: Span | None = None
    """Position in the source."""
    differences: tuple[Difference, ...] = ()
    likeness: float = 0.0
    """Share of its words that are there in order."""


def compare_quotation(words: str, source: str) -> Compared:
    """Find a quotation in the text of a source. The time grows with the length of both."""
    if span := find_quote(words, source):
        return Compared("verbatim", span, (), 1.0)
    if _CUT.search(words) and (span := _in_pieces(words, source)):
        return Compared("verbatim", span, (), 1.0)
    return _altered(_CUT.sub(" ", words).strip(), source)


def _in_pieces(words: str, source: str) -> Span | None:
    """Return the span of a quotation's parts, in order, around omitted or added words."""
    pieces = [piece for piece in _CUT.split(words) if len(re.findall(r"\w", piece)) >= len("the")]
    start: int | None = None
    at = 0
    for number, piece in enumerate(pieces):
        area = source[at : at + _LONGEST_GAP + len(piece)] if number else source
        result = find_quote(piece, area)
        if result is None:
            return None
        start = at + result.start if start is None else start
        at += result.end
    return Span(start=start, end=at) if start is not None else None


def _altered(words: str, source: str) -> Compared:
    nearby, alignment = align(words, source)
    if nearby is None or alignment == "none":
        return Compared("absent")
    low = max(0, nearby.start - _MARGIN)
    area = source[low : nearby.end + _MARGIN]
    ours, theirs = list(_WORD.finditer(words)), list(_WORD.finditer(area))
    left, right = [_same(our[0]) for our in ours], [_same(their[0]) for their in theirs]
    blocks = [item for item in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks() if item.size]
    likeness = sum(block.size for block in blocks) / max(len(left), 1)
    if likeness < ALTERED:
        return Compared("absent", None, (), likeness)
    first, last = max(blocks[0].b - blocks[0].a, 0), blocks[-1].b + blocks[-1].size
    last = min(len(theirs), last + len(left) - blocks[-1].a - blocks[-1].size)
    opcodes = SequenceMatcher(None, left, right[first:last], autojunk=False).get_opcodes()
    changed = tuple(
        Difference(
            quoted=_between(words, ours[i:j]) if j > i else "",
            source=_between(area, theirs[first + m : first + n]) if n > m else "",
        )
        for kind, i, j, m, n in opcodes
        if kind != "equal"
    )
    span = Span(start=low + theirs[first].start(), end=low + theirs[last - 1].end())
    return Compared("altered" if changed else "verbatim", span, changed, likeness)


def _between(text: str, words: list[re.Match[str]]) -> str:
    return " ".join(text[words[0].start() : words[-1].end()].split())


def _same(word: str) -> str:
    return word.casefold().replace("’", "'")
