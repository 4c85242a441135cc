"""Document text → sentences of readable length, index units, and the window that a judge is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from factscope.claims.text.boundaries import latin_language, split
from factscope.core.records import Span
from factscope.evidence.outline import ROW

MAX_SENTENCE = 1_000
"""Characters. Longer text without an end of sentence is cut at white space."""
MAX_PASSAGE = 10_000
"""Characters. A window stops growing before it gets longer, so that a passage stays readable."""
UNIT_SENTENCES = 4
"""Most sentences in one index unit."""
UNIT_CHARACTERS = 800
"""Characters from which an index unit takes in no further sentence."""

# Points where a sentence can't continue: an empty line, or a line that starts a list item, a heading or a table row.
_BLOCK = re.compile(r"\n(?:[ \t]*\n|(?=[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|\|)))")
_SPACE = re.compile(r"\s*")


def cut(text: str) -> list[Span]:
    """Return the sentences of a document: in order, without overlap, none longer than `MAX_SENTENCE` characters.

    A table row is one sentence, whatever its cells contain.
    """
    latin = latin_language(text)
    rows = {match.span(1) for match in ROW.finditer(text)}
    edges = {0, len(text), *(match.start() for match in _BLOCK.finditer(text)), *(at for row in rows for at in row)}
    spans_found = []
    for start, end in pairwise(sorted(edges)):
        for low, high in [(0, end - start)] if (start, end) in rows else split(text[start:end], latin):
            spans_found += _bounded(text, start + low, start + high)
    return spans_found


def _bounded(text: str, start: int, end: int) -> list[Span]:
    """Return one sentence, or the pieces of one that is too long."""
    pieces = []
    while end - start > MAX_SENTENCE:
        piece = text[start : start + MAX_SENTENCE]
        head = piece.rsplit(maxsplit=1)[0]
        stop = start + (len(head) if len(head) >= MAX_SENTENCE // 2 else MAX_SENTENCE)
        pieces.append(Span(start=start, end=stop))
        start = _SPACE.match(text, stop, end).end()  # type: ignore[union-attr]  # it matches nothing, too
    return [*pieces, Span(start=start, end=end)] if end > start else pieces


def units(spans: Sequence[Span]) -> list[int]:
    """Split the sentences into index units; return the number of sentences in each, in order."""
    sizes: list[int] = []
    room = 0
    for span in spans:
        if room <= 0 or sizes[-1] == UNIT_SENTENCES:
            sizes.append(0)
            room = UNIT_CHARACTERS
        sizes[-1] += 1
        room -= span.end - span.start
    return sizes


def window(spans: Sequence[Span], best: int, around: int, spans_used: Sequence[Span] = ()) -> Span:
    """Return the best sentence with up to `around` sentences on each side (Facts&Evidence, section 3.3).

    `best` is its index in `spans`. It grows in turn to both sides, to at most `MAX_PASSAGE` characters, and never
    into a span of `spans_used`, which `best` must lie outside of.
    """
    first = last = best
    for step in (-1, 1) * around:
        low, high = (first - 1, last) if step < 0 else (first, last + 1)
        if low < 0 or high >= len(spans):
            continue
        grown = Span(start=spans[low].start, end=spans[high].end)
        if grown.end - grown.start <= MAX_PASSAGE and not any(grown.overlaps(other) for other in spans_used):
            first, last = low, high
    return Span(start=spans[first].start, end=spans[last].end)
