"""The outline of a document, its sentences of readable length, its index units, and the window that a judge is shown.

The outline has the sentences that are headings and table rows, and the heading above each sentence. Readable text has
no markup for most of this, so it is recognised by form: a short separate line without a full stop, a line in bold,
cells with bars or wide gaps between them. A sentence mistaken for a heading is still searched like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Literal, NamedTuple, get_args

from factscope.claims.text.aligned_tables import aligned_tables
from factscope.claims.text.boundaries import split
from factscope.claims.text.column_names import are_entries, are_names
from factscope.claims.text.language import latin_language
from factscope.claims.text.table_lines import BAR, RULE, aligned_rows, barred_rows, cells, named_rows
from factscope.core.records import Span

Kind = Literal["sentence", "heading", "row"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_HEAD_LINES, _REST_OF_NAME = 3, 4
"""Lines of the names of columns with what is below them, and words of a name's second line."""
_LONGEST_GAP = 200
"""Characters of the lines between two rows of one table."""
MAX_HEADING = 12
"""Words. A longer line without a full stop is a sentence that lacks one, not a heading."""

_MARKED = re.compile(r"(#{1,6})\s")
_BOLD = re.compile(r"(\*\*|__)(?!\s).+(?<!\s)\1[.:]?", re.DOTALL)
_ITEM = re.compile(r"[-*+•◦‣▪–—]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s")
_NUMBERED = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVX]{1,4})[.)]?\s+(?=[^\W\d_a-z])")
_SERIES = re.compile(r"(\D+|(?=\d{4}\b))\d")
_UNLIKE_HEADING = re.compile(r"[.!,;:…。！，；：|\"”]\Z|[a-z]: ?[$€£¥~<>≤≥+-]?\d[^\s:]*(?:\s\w+){0,2}\Z")
"""Ends of sentences and lists, and a name with its value ("Price: $45.00", "Weight: 12 kg")."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_TOP, _PLAIN, _RUN_IN = 0, 7, 8
"""Levels of headings without a stated level: the first line of a document, other lines, and bold words at the beginning
of a paragraph. Markdown's levels are 1 to 6."""


class OutlinePosition(NamedTuple):
    """Position of a sentence in its document."""

    kind: Kind
    over: int
    """The number of the sentence above it: its heading, the sentence that introduces its list, or the first row of its
    table; -1 when there is none."""
    block: int
    """The number of its paragraph, list item, heading or row, counted in order."""


class _Line(NamedTuple):
    """Sentences `first:last` on one line, or on several wrapped lines."""

    first: int
    last: int
    text: str
    after_blank: bool
    """Whether it begins the document or follows an empty line."""
    is_row: bool
    in_table: bool
    """Whether it is between the rows of a table: a rule, or a title of the rows below it."""


def outline(text: str, spans: Sequence[Span]) -> list[OutlinePosition]:
    """Return the position of each sentence in the document's structure; `spans` are all sentences, in order."""
    lines = _lines(text, spans)
    titles = _group_titles(lines)
    reader = _OutlineReader()
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else None
        reader.read(line, following, number in titles, [span.of(text) for span in spans[line.first : line.last]])
    if len(reader.positions) != len(spans):  # odd line breaks inside a row: such a document has no outline
        return [OutlinePosition("sentence", -1, number) for number in range(len(spans))]
    return [
        position if position.over < number else position._replace(over=-1)
        for number, position in enumerate(reader.positions)
    ]


def _row_spans(text: str) -> set[tuple[int, int]]:
    return {*aligned_rows(text), *named_rows(text), *barred_rows(text)}


def _lines(text: str, spans: Sequence[Span]) -> list[_Line]:
    rows = _row_spans(text)
    tables = [((*table.name_lines, *table.rows)[0].start, table.rows[-1].end) for table in aligned_tables(text)]
    gaps = [(above[1], below[0]) for above, below in pairwise(barred_rows(text))]
    tables += [gap for gap in gaps if 1 < gap[1] - gap[0] < _LONGEST_GAP and not _BLANK_LINE.search(text, *gap)]
    tables.sort()
    starts = [at for at in range(len(spans)) if at == 0 or "\n" in text[spans[at - 1].end : spans[at].start]]
    lines_found = []
    for first, last in pairwise([*starts, len(spans)] if starts else []):
        gap = text[spans[first - 1].end if first else 0 : spans[first].start]
        blank = first == 0 or _BLANK_LINE.search(gap) is not None
        start, end = spans[first].start, spans[last - 1].end
        at = bisect_right(tables, (start, len(text))) - 1
        in_table = at >= 0 and start < tables[at][1]
        lines_found.append(_Line(first, last, text[start:end], blank, (start, end) in rows, in_table))
    return lines_found


def _group_titles(lines: Sequence[_Line]) -> set[int]:
    """Return the numbers of the lines that are titles in tables whose first title is above the first row.

    Such a table has no names of columns, which would be above its first title; a heading above these is for all rows.
    """
    titles = set[int]()
    for first, (above, line) in enumerate(pairwise(lines), 1):
        is_first = line.is_row and not (line.after_blank or above.is_row or above.in_table)
        if not is_first or not BAR.search(line.text) or not _looks_like_heading(above):
            continue
        following = (lines[at] for at in range(first, len(lines)))
        table = list(takewhile(lambda line: not line.after_blank and (line.is_row or line.in_table), following))
        rows = [cells(line.text) for line in table if line.is_row and not RULE.fullmatch(line.text)]
        alike = [row for row in rows[1:] if len(row) == len(rows[0])]
        if not alike or len(rows[0]) == 1 or not rows[0][0] or are_names(rows[0], alike, is_ruled=False):
            continue
        if table[1].is_row or are_entries(rows[0][0], alike[0][0]):
            titles |= {first + at for at, line in enumerate(table) if not line.is_row and _looks_like_heading(line)}
    return titles


class _OutlineReader:
    """One pass over the lines. Keeps the open headings, list and table."""

    def __init__(self) -> None:
        self.positions: list[OutlinePosition] = []
        self._headings: list[tuple[int, int]] = []  # level and sentence, the outermost first
        self._block = -1
        self._lead = -1  # the sentence that introduces the open list or table
        self._head = -1  # the first row of the open table
        self._group = -1  # the title of the rows below it, in that table
        self._series: str | None = None  # words before a number that the first heading begins with
        self._after: Literal["text", "heading", "nothing"] = "nothing"

    def read(self, line: _Line, following: _Line | None, is_title: bool, texts: Sequence[str]) -> None:
        """Place the sentences of the next line; a title between rows takes the place of that above the first row."""
        if is_title and self._headings:
            self._head = self._group = self._lead = -1
            self._place_heading(line, self._headings[-1][0])
            return
        row = line.is_row
        depth = None if line.in_table else self._depth(line, following)
        item = not (row or line.in_table) and depth is None and _ITEM.match(line.text) is not None
        if not (line.in_table or (not line.after_blank and (row or self._goes_on_with_head(line)))):
            self._head = -1
        if line.after_blank:
            is_group = line.in_table and not row and self._head >= 0 and _looks_like_heading(line)
            self._group = line.first if is_group else -1
        if not row and not item:
            self._lead = -1
        if line.after_blank:
            self._open(_RUN_IN)  # a bold beginning is the heading of its own paragraph only
        if depth is not None:
            self._place_heading(line, depth)
            return
        if row or item or line.after_blank or self._after != "text":
            self._block += 1
        if row:
            self._position("row", max(self._head, self._group) if self._head >= 0 else self._over())
            self._head = self._head if self._head >= 0 else line.first
        elif self._group == line.first:
            self._position("heading", self._head)
        else:
            self._place_prose(texts)
        if line.text.rstrip("*_ ").endswith(":") and not item:
            self._lead = line.last - 1
        self._after = "text"

    def _goes_on_with_head(self, line: _Line) -> bool:
        """Tell whether a line is below the names of the columns, before any row: a rule, or the rest of a name."""
        is_below = 0 <= self._head >= len(self.positions) - _HEAD_LINES
        return is_below and (RULE.fullmatch(line.text) is not None or len(line.text.split()) <= _REST_OF_NAME)

    def _place_prose(self, texts: Sequence[str]) -> None:
        for sentence in texts:
            if len(texts) > 1 and sentence is texts[0] and _BOLD.fullmatch(sentence):
                self._open(_RUN_IN)
                self._position("heading", self._over())
                self._headings.append((_RUN_IN, len(self.positions) - 1))
                self._block += 1
            else:
                self._position("sentence", self._over())

    def _place_heading(self, line: _Line, depth: int) -> None:
        top = self._headings[-1][0] if self._headings else -1
        if not (self._after == "heading" and depth == top and not line.after_blank):  # else it continues the one above
            self._open(depth)
        self._block += 1
        for number in range(line.first, line.last):
            self._position("heading", self._over())
            self._headings.append((depth, number))
        self._after = "heading"

    def _open(self, depth: int) -> None:
        """Close the headings that one of this level ends."""
        while self._headings and self._headings[-1][0] >= depth:
            self._headings.pop()

    def _over(self) -> int:
        return self._lead if self._lead >= 0 else self._headings[-1][1] if self._headings else -1

    def _position(self, kind: Kind, over: int) -> None:
        self.positions.append(OutlinePosition(kind, over, self._block))

    def _depth(self, line: _Line, following: _Line | None) -> int | None:
        """Return the level of a line as a heading; None when it is not a heading."""
        if marked := _MARKED.match(line.text):
            return len(marked[1])
        if following is None or line.is_row:
            return None
        if _BOLD.fullmatch(line.text):
            return self._plain_depth(line.text)
        if not _looks_like_heading(line) or not (line.after_blank or self._after == "heading" or line.text.isupper()):
            return None
        carries_on = self._after == "heading" and not line.after_blank
        return self._headings[-1][0] if carries_on else self._plain_depth(line.text)

    def _plain_depth(self, heading: str) -> int:
        """Return the level of a heading without a stated one: "Fees 2025" has that of "Fees 2024" at the top."""
        series = match[1] if (match := _SERIES.match(heading)) else None
        if self._after == "nothing":
            self._series = series
            return _TOP
        return _PLAIN if series is None or series != self._series else _TOP


def _looks_like_heading(line: _Line) -> bool:
    """Return whether a line is short, without a full stop, and begins like a title."""
    is_long = line.last - line.first > 1 or "\n" in line.text or len(line.text.split()) > MAX_HEADING
    if is_long or "; " in line.text:  # "Source: Interest; 2024: 190,000" is the row of a table
        return False
    first = line.text.lstrip("\"'“‘«(¿")[:1]
    titled = first.isupper() or (first.isdigit() and not _ITEM.match(line.text)) or _NUMBERED.match(line.text)
    return bool(titled) and _UNLIKE_HEADING.search(line.text) is None


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
    rows = _row_spans(text)
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
