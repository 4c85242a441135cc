"""Passages for a judge that reads each separately: within one section, and with the headings above them.

A sentence such as "It costs 4 crowns" is unclear without the heading above it, and a table row meaningless without its
column names. The passage stays verbatim; the judge reads its `reading` instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from factscope.claims.text.plain_text import plain
from factscope.claims.text.terms import terms, words
from factscope.core.records import Document, Span
from factscope.evidence.outline import KINDS
from factscope.evidence.results import subject
from factscope.evidence.table_reading import MAX_ROWS, MAX_TABLE, above, file_rows, row_text, scaled_row, table_text

if TYPE_CHECKING:
    from factscope.evidence.index import Index

LONG_SENTENCE = 80
"""Words. A document with no more than this and without headings or tables, such as a row of a CSV file, is one passage.
"""
SHORT = 40
"""Words. A passage with fewer is extended within its paragraph, as in "Most go by rail. None go by air.".

With 60, 80 or 110, in fifteen texts of our own the small verifier calls 149, 147 and 147 of 170 true sentences
supported for 148, and finds 54, 53 and 53 of 103 errors for 53: no more, for longer passages.
"""
SHORT_CHARACTERS = 1_500
"""A passage with this many characters is not extended for its few words: data without spaces, such as an encoded image,
is a single word of any length."""
MAX_HEADINGS = 3
"""Most titles and headings shown with a passage: the first, and the nearest."""
HEADING_CHARACTERS = 120
"""Characters of each of them; a longer one is cut between words."""
_BETWEEN_ROWS = 2
"""Most lines between two rows: a rule, the rest of a column's name, a title of the rows below it."""
_ANAPHORIC = re.compile(
    r"\W*(?:he|she|it|they|this|that|these|those|his|her|its|their|such|both|neither|another|the (?:former|latter))\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\W*(?:table|tab\.|schedule|exhibit|annex|appendix) [\w.]{1,5}\b.{0,200}\Z", re.IGNORECASE)
_CAPTION_SENTENCES = 2
"""Its number and its title; what follows are notes."""
_COLUMN = re.compile(r"(?:^|(?<=; ))\w+_\w+(?=: )")
"""The name of a column, as of "revenue_2022: 16.8; opened: 2004"."""
_SENTENCE, _HEADING, _ROW = map(KINDS.index, ("sentence", "heading", "row"))


def extent(index: Index, document: int, best: int, around: int, *, whole_table: bool = False) -> tuple[int, int]:
    """Return the sentences `first:end` of the passage around `best`.

    A table row is returned alone, or with its whole table if that is not too long; a heading with the text after it,
    and a sentence with up to `around` neighbours of its section on each side. One more is added in front if the first
    of them refers back ("It was …").
    """
    low, high = int(index.documents[document]), int(index.documents[document + 1]) - 1
    if (
        high - low < LONG_SENTENCE
        and not index.positions[low : high + 1, 0].any()
        and _words(index, low, high) <= LONG_SENTENCE
    ):
        return low, high + 1
    kind, over = (int(number) for number in index.positions[best, :2])
    if kind == _ROW:
        is_first = _first_row(index, best) == best  # its cells may name the columns, and say nothing alone
        return _table(index, best, high) if whole_table or is_first else (best, best + 1)
    under = best if kind == _HEADING else over

    def joins(sentence: int) -> bool:
        return low <= sentence <= high and tuple(index.positions[sentence, :2]) == (_SENTENCE, under)

    first = last = best
    while last - best < around and joins(last + 1):
        last += 1
    while kind == _SENTENCE and best - first < around and joins(first - 1):
        first -= 1
    block = index.positions[best, 2]
    while kind == _SENTENCE and _is_short(index, first, last):
        ahead = joins(last + 1) and index.positions[last + 1, 2] == block
        if not ahead and not (joins(first - 1) and index.positions[first - 1, 2] == block):
            break
        first, last = (first, last + 1) if ahead else (first - 1, last)
    if joins(first - 1) and _ANAPHORIC.match(index.text(first, first)):
        first -= 1
    return first, last + 1


def _table(index: Index, row: int, high: int) -> tuple[int, int]:
    """Return the sentences of the table that a row is in; of a long one, the row alone."""
    first = _first_row(index, row)

    def is_row(sentence: int) -> bool:
        return sentence <= high and tuple(index.positions[sentence, :2]) == (_ROW, first)

    def below(sentence: int) -> int | None:
        return next((at for at in range(sentence + 1, sentence + _BETWEEN_ROWS + 2) if is_row(at)), None)

    last = first
    while last - first <= MAX_ROWS and (following := below(last)):
        last = following
    is_long = last - first > MAX_ROWS or index.sentences[last, 1] - index.sentences[first, 0] > MAX_TABLE
    return (row, row + 1) if is_long else (first, last + 1)


def _first_row(index: Index, row: int) -> int:
    """Return the first row of the table that a row is in."""
    over = int(index.positions[row, 1])
    return over if over >= 0 and index.positions[over, 0] == _ROW else row


def _is_short(index: Index, first: int, last: int) -> bool:
    characters = int(index.sentences[last, 1] - index.sentences[first, 0])
    return characters < SHORT_CHARACTERS and _words(index, first, last) < SHORT


def _words(index: Index, first: int, last: int) -> int:
    return len(words(index.text(first, last)))


def reading(index: Index, low: int, high: int, span: Span, document: Document, *, whole_table: bool = False) -> str:
    """Compose the reading of a passage: the sentences of `low:high` that are in `span`, with their headings.

    These are the document's title and headings; for a table row, its column names. Of the row of a CSV file or a
    spreadsheet, which is a document of its own, it may be the whole table.
    """
    inside = [
        at for at in range(low, high) if index.sentences[at, 0] >= span.start and index.sentences[at, 1] <= span.end
    ]
    first, last = inside[0], inside[-1]
    over, text = above(index, first), index.text(first, last)
    title = subject(document)
    if over and title != document.title:
        title = ""  # a file name is less useful than any heading
    if index.positions[first, 0] == _ROW and first == last:
        text = row_text(index, first, over)
    elif index.positions[first, 0] == _ROW:
        text = table_text(index, first, last)
    elif not over:
        text = (whole_table and file_rows(index, low)) or text
        lines = (scaled_row(line, title) for line in text.split("\n"))
        text = "\n".join(_COLUMN.sub(lambda match: match[0].replace("_", " "), line) for line in lines)
    headings = [*(line for line in reversed(over) if index.positions[line, 0] != _ROW), *_caption(index, first)]
    lead = _lead([title, *(plain(index.text(line, line), numbered=True) for line in headings)], text)
    return f"{lead}\n{text}" if lead else text


def _caption(index: Index, row: int) -> range:
    """Return the sentences of the caption above the table that a row is in: "Table 4. Visitors by month"."""
    head = _first_row(index, row)
    block = index.positions[head - 1, 2]
    start = head - 1
    while start > 0 and tuple(index.positions[start - 1, [0, 2]]) == (_SENTENCE, block):
        start -= 1
    is_caption = index.positions[row, 0] == _ROW and head and index.positions[start, 0] == _SENTENCE
    is_caption = is_caption and _CAPTION.match(index.text(start, head - 1)) is not None
    return range(start, min(head, start + _CAPTION_SENTENCES)) if is_caption else range(0)


def _lead(headings: list[str], text: str) -> str:
    """Return titles and headings as short sentences, without those that repeat the text."""
    text_words, unique = set(terms(text)), dict[frozenset[str], str]()
    for heading in headings:
        words = frozenset(terms(heading))
        if not words <= text_words:
            unique[words] = " ".join(heading.split())
    new = list(unique.values())
    visible = new if len(new) <= MAX_HEADINGS else [new[0], *new[1 - MAX_HEADINGS :]]
    cut = [
        heading if len(heading) <= HEADING_CHARACTERS else heading[:HEADING_CHARACTERS].rsplit(maxsplit=1)[0]
        for heading in visible
    ]
    return " ".join(heading if heading[-1:] in ".!?:" else f"{heading}." for heading in cut)
