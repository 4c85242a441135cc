"""Search for a judge's quote in the passage, so that no quote is shown that is not in the source; and for quotations.

A quotation of the checked text stands in its source verbatim, altered, or not at all. These changes are allowed: an
ellipsis for omitted words, added words in square brackets, the case of the first letter, the style of quotation marks
and dashes. Any other change is an alteration, and is shown word by word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from factscope.claims.text.align import align
from factscope.claims.text.language import common_words, language_of
from factscope.claims.text.terms import SPACELESS, term, tokens
from factscope.core.records import Difference, QuotationOutcome, Span
from factscope.judging.verifiers.wording.lexicon import STOP
from factscope.llm.prompts import LINE_MARK

NOT_THERE = "The words quoted do not stand in the passage."
BESIDE_THE_POINT = "The words quoted do not bear on the claim."

_FEWEST = 3
"""Letters and digits of a quote; a shorter one occurs almost anywhere."""

_ENOUGH = 4
"""Content words of a quote that may support a claim without sharing one with it, as a paraphrase or in another
language."""

_SHAPES = str.maketrans(dict.fromkeys('"`´‘’‚‛“”„‟‹›«»「」『』〝〞〟ʼ', "'") | dict.fromkeys("‐‑‒–—―⸺⸻−", "-"))
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_POWER = re.compile(r"(?<=\d)[¹²³\u2070-\u209f]+")
_SMALL_DIGIT = re.compile(r"[¹²³\u2070-\u209f]")
_JAMO = re.compile(r"[\u1160-\u11ff]")
"""Vowels and finals of Korean syllables, into which a syllable is decomposed."""
_NO_EDGE = re.compile(rf"[{SPACELESS}]|{_SMALL_DIGIT.pattern}")
"""Characters beside which a word may end: those of scripts without spaces, and marks of footnotes."""
_MINUS = "-‐‑‒–−"
_BREAK = "\x1f"
_ELLIPSIS = [".", ".", "."]


class _FoldedText(NamedTuple):
    """A text in the form that is compared: its characters with their accents, and their offsets in the text."""

    folded: list[str]
    starts: list[int]
    ends: list[int]


def look_up(quote: str, passage: str, claim: str) -> Span | str:
    """Find the words that a judge quotes for its label on `claim`; return the reason if they do not count.

    A quote is about a claim when the two share a content word, or when it has four content words of its own. `The`
    occurs in any passage and proves nothing.
    """
    span = find_quote(quote, passage, whole=True)
    if span is None:
        return NOT_THERE
    little = STOP | common_words(language_of(passage))
    own_words = _content(span.of(passage), little)
    return span if len(own_words) >= _ENOUGH or own_words & _content(claim, little) else BESIDE_THE_POINT


def _content(text: str, little: frozenset[str]) -> set[str]:
    return {term(token.text) for token in tokens(text) if token.text.casefold() not in little}


def find_quote(quote: str, passage: str, *, whole: bool = False) -> Span | None:
    """Find the first occurrence of `quote` in `passage`, in code points of the passage; None when there is none.

    Characters must be equal except for these: runs of white space and of dashes, the shape of dashes, quotation marks,
    apostrophes and the ellipsis, how accents are encoded, compatibility forms (full-width letters, ligatures),
    invisible characters (soft hyphen, zero width, direction marks), the case of the quote's first letter, and around
    the quote quotation marks, an ellipsis, and at its end a full stop or comma. Powers and fractions are kept: 10² is
    not 102.

    A quote of several lines may contain the mark before each line that a judge is shown.

    With `whole`, a place does not count where the quote begins or ends inside a word or number: 17 is not in 117, nor 5
    in 5.4 or -5.

    A quote needs three letters or digits. A quote with words left out at `…` is not found, unless the passage has the
    ellipsis too: a judge is asked for one unbroken part. Time grows with the length of both.
    """
    span = _find(quote, passage, whole=whole)
    if span is None and f"\n{LINE_MARK}" in quote:
        return _find(quote.replace(f"\n{LINE_MARK}", "\n"), passage, whole=whole)
    return span


def _find(quote: str, passage: str, *, whole: bool, fewest: int = _FEWEST) -> Span | None:
    target = _trimmed(_letters(quote).folded)
    if sum(character.isalnum() for letter in target for character in letter) < fewest:
        return None
    letters = _letters(passage)
    # Breaks between letters: nothing is found that begins or ends between a letter and its accent, and `find`, which
    # takes linear time whatever the quote, is enough.
    text = _joined(letters.folded)
    firsts = []
    for form in _forms(target):
        places = _places(form, text, letters)
        firsts.append(next((span for span in places if not (whole and _is_inside(span, passage))), None))
    return min(filter(None, firsts), key=lambda span: span.start, default=None)


def _places(form: Sequence[str], text: str, letters: _FoldedText) -> Iterator[Span]:
    """Yield the places of a quote that do not overlap, which keeps the time linear."""
    joined = _joined(form)
    first = last = 0
    while (at := text.find(joined, last)) >= 0:
        first += text.count(_BREAK, last, at)
        yield Span(start=letters.starts[first], end=letters.ends[first + len(form) - 1])
        first += len(form)
        last = at + len(joined) - len(_BREAK)  # the break after it may begin the next


def _is_inside(span: Span, text: str) -> bool:
    """Return whether a word or number goes on before or after a span."""
    before, quote, after = text[max(0, span.start - 2) : span.start][::-1], span.of(text), text[span.end : span.end + 2]
    if before and before[0] in _MINUS and quote[0].isdigit():
        return True
    return _goes_on(quote[0], before) or _goes_on(quote[-1], after)


def _goes_on(edge: str, outside: str) -> bool:
    if not outside or _NO_EDGE.match(edge) or _NO_EDGE.match(outside):
        return False
    if edge.isdigit() and outside[0] in ".," and outside[1:].isdigit():
        return True
    return edge.isalnum() and outside[0].isalnum()


def _letters(text: str) -> _FoldedText:
    powers = {at for match in _POWER.finditer(text) for at in range(*match.span())}
    letters = _FoldedText([], [], [])
    accents: list[str] = []
    for at, character in enumerate(text):
        for letter in character if at in powers else _folded(character):
            if letters.folded and _is_accent(letter):
                accents.append(letter)
                letters.ends[-1] = at + 1
                continue
            if accents:
                _append_accents(letters, accents)
            if letter in (" ", "-") and letters.folded and letters.folded[-1] == letter:
                letters.ends[-1] = at + 1
                continue
            letters.folded.append(letter)
            letters.starts.append(at)
            letters.ends.append(at + 1)
    _append_accents(letters, accents)
    return letters


def _append_accents(letters: _FoldedText, accents: list[str]) -> None:
    """Append accents in canonical order: ậ may be written as â and a dot, or as ạ and a circumflex."""
    if accents:
        letters.folded[-1] += "".join(sorted(accents, key=unicodedata.combining))
        accents.clear()


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    """Return the characters that are compared instead of one: none, itself, or its components."""
    if _UNSEEN.match(character):
        return ""
    if character.isspace():
        return " "
    shape = character.translate(_SHAPES)
    letters = unicodedata.normalize("NFKD", shape).translate(_SHAPES)
    if " " in letters or (unicodedata.category(character) == "No" and not _SMALL_DIGIT.match(character)):
        return shape  # a spacing accent, a fraction, a number in a circle
    return letters


@lru_cache(maxsize=1 << 14)
def _is_accent(character: str) -> bool:
    return unicodedata.category(character).startswith("M") or _JAMO.match(character) is not None


def _trimmed(quote: list[str]) -> list[str]:
    """Return a quote without the marks that may surround it."""
    start, end = 0, len(quote)
    while start < end and (quote[start] in " '" or quote[start : start + 3] == _ELLIPSIS):
        start += 1 if quote[start] in " '" else 3
    while start < end and quote[end - 1] in " '.,。":
        end -= 1
    return quote[start:end]


def _forms(quote: Sequence[str]) -> list[Sequence[str]]:
    """Return the quote, and, if only marks precede its first letter, a copy with that letter in the other case."""
    at = next(at for at, letter in enumerate(quote) if letter[0].isalnum())
    other = quote[at][0].swapcase() + quote[at][1:]
    return [quote, [*quote[:at], other, *quote[at + 1 :]]] if len(other) == len(quote[at]) else [quote]


def _joined(letters: Sequence[str]) -> str:
    return f"{_BREAK}{_BREAK.join(letters)}{_BREAK}"


ALTERED = 0.6
"""Share of a quotation's words, in order, from which a place in the source counts as its altered original; our own
choice."""
_CUT = re.compile(r"\s*(?:\[\s*(?:…|\.\s?\.\s?\.)\s*\]|…|\.\s?\.\s?\.|\[[^\[\]]{1,80}\])\s*")
_WORD = re.compile(rf"(?:[{_MINUS}](?=\d))?[^\W_]+(?:[.,'’:/-][^\W_]+)*%?")
_DIGIT = re.compile(r"\d")
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
    if span := find_quote(words, source, whole=True):
        return Compared("verbatim", span, (), 1.0)
    if _CUT.search(words) and (span := _in_pieces(words, source)):
        return Compared("verbatim", span, (), 1.0)
    return _altered(_CUT.sub(" ", words).strip(), source)


def _in_pieces(words: str, source: str) -> Span | None:
    """Return the span of a quotation's parts, in order, around omitted or added words."""
    pieces = [piece for piece in _CUT.split(words) if len(re.findall(r"\w", piece)) >= _FEWEST or _DIGIT.search(piece)]
    start: int | None = None
    at = 0
    for number, piece in enumerate(pieces):
        area = source[at : at + _LONGEST_GAP + len(piece)] if number else source
        result = _find(piece, area, whole=True, fewest=1)
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
    return word.casefold().translate(_SHAPES)
