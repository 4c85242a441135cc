"""Rows of tables, read with the names of their columns and the scale of their figures.

A row is meaningless without them: "| Pumps | 41,300 |" is read as "Segment: Pumps; 2024: EUR 41.3 million".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from factscope.claims.text.plain_text import plain
from factscope.evidence.aligned_rows import named_cells
from factscope.evidence.outline import KINDS, RULE, cells
from factscope.evidence.table_scale import scaled, stated_scale

if TYPE_CHECKING:
    from factscope.evidence.index import Index

MAX_ROWS = 40
"""Rows of the longest table that is a passage as a whole, for a claim that compares figures."""
MAX_TABLE = 4_000
"""Its characters."""
FIRST_LINES = 12
"""Sentences at the beginning of a document that may say in what its tables count."""
COLUMNS = 3
"""Fewest columns for which the first row of a table can be a header; with fewer it may be a row like the others, as in
"Founded | 1901"."""

_EMPTY = "–"
"""Shown for an empty cell whose column has no name."""

_ROW_OF = re.compile(rb'"url": ?"([^"]*#(?:[^"#]*-)?row-)(\d+)"')
"""Address of a document that is a row of a file."""
_FIGURE = re.compile(r"(?<![A-Z])\d")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ROW = KINDS.index("row")


def above(index: Index, sentence: int) -> list[int]:
    """Return the heading sentences above a sentence, the nearest first."""
    headings: list[int] = []
    while (sentence := int(index.positions[sentence, 1])) >= 0:
        headings.append(sentence)
    return headings


def table_text(index: Index, first: int, last: int) -> str:
    """Format all rows of a table, but for the one with the names of the columns; see `row_text`."""
    body = range(first if named_cells(index.text(first, first)) else first + 1, last + 1)
    rows = [at for at in body if index.positions[at, 0] == _ROW and not RULE.fullmatch(index.text(at, at))]
    return "\n".join(row_text(index, at, above(index, at)) for at in rows)


def row_text(index: Index, row: int, over: Sequence[int]) -> str:
    """Format a row as `Name: value; name: value` if it or the first row has the column names; figures have their scale.

    Otherwise return its cells below those of the first row. `over` are the sentences above it, nearest first.
    """
    head = next((sentence for sentence in over if index.positions[sentence, 0] == _ROW), None)
    if pairs := named_cells(index.text(row, row)):
        names, row_cells = (list(column) for column in zip(*pairs, strict=True))
        return _with_names(index, row if head is None else head, names, row_cells, over)
    row_cells = cells(index.text(row, row))
    if head is None:
        return _joined(row_cells)
    names = cells(index.text(head, head))
    if len(names) == len(row_cells) - 1 and "|" not in index.text(row, row):
        names = ["", *names]  # in plain text an empty corner is only space
    ruled = RULE.fullmatch(index.text(head + 1, head + 1)) is not None
    if len(names) != len(row_cells) or not (ruled or not names[0] or _names_columns(names)):
        # An empty cell keeps its place, so that a figure is not read below another column's name.
        return f"{_joined(names)}\n{_joined([cell or _EMPTY for cell in row_cells])}"
    return _with_names(index, head, names, row_cells, [sentence for sentence in over if sentence != head])


def file_rows(index: Index, sentence: int) -> str | None:
    """Return all rows of the CSV file or sheet of which a document is a row; None of a long one, or of another."""
    document = int(index.documents.searchsorted(sentence, side="right")) - 1
    file = _ROW_OF.search(index.record(document))
    if not file:
        return None
    first = last = document
    while first > 0 and _is_row_of(index, first - 1, file[1]) and last - first < MAX_ROWS:
        first -= 1
    while last + 2 < len(index.documents) and _is_row_of(index, last + 1, file[1]) and last - first < MAX_ROWS:
        last += 1
    if last - first >= MAX_ROWS:
        return None
    starts = index.documents[first : last + 2].tolist()
    places = (_ROW_OF.search(index.record(row)) for row in range(first, last + 1))
    numbers = [int(place[2]) if place else 0 for place in places]
    rows = sorted(zip(numbers, pairwise(starts), strict=True))
    texts = [index.text(low, high - 1).partition("\n\n")[0] for _, (low, high) in rows]
    return "\n".join(texts) if sum(map(len, texts)) <= MAX_TABLE else None


def _is_row_of(index: Index, document: int, file: bytes) -> bool:
    row = _ROW_OF.search(index.record(document))
    return row is not None and row[1] == file


def _with_names(index: Index, head: int, names: list[str], row_cells: list[str], over: Sequence[int]) -> str:
    captions = [index.text(line, line) for line in (head - 1, *over) if line >= 0]
    label, scale = row_cells[0], stated_scale(names[0], captions, _first_lines(index, head))
    row_cells[1:] = [
        scaled(plain(cell), name, label, scale) for name, cell in zip(names[1:], row_cells[1:], strict=True)
    ]
    return "; ".join(
        f"{plain(name)}: {plain(cell)}" if name else plain(cell)
        for name, cell in zip(names, row_cells, strict=True)
        if cell
    )


def _first_lines(index: Index, before: int) -> Iterator[str]:
    """Yield the first sentences of a document, where it says in what its tables count."""
    first = int(index.documents[index.documents <= before][-1])
    yield from (index.text(at, at) for at in range(first, min(before, first + FIRST_LINES)))


def _names_columns(first: list[str]) -> bool:
    """Return whether the first row of a table without markup looks like a header.

    It has several cells, and no figures but years and quarters.
    """
    return len(first) >= COLUMNS and not any(_FIGURE.search(_YEAR.sub("", cell)) for cell in first)


def _joined(row: list[str]) -> str:
    return ": ".join(plain(cell) for cell in row if cell)
