"""Tables of Office files: their titles, the names of their columns, and their rows, read alike in all formats.

Where it is not certain that the first row has names, the table is read without: wrong names make every row false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from factscope.claims.text.column_names import are_names
from factscope.evidence.table_grid import joined_names, row_labels

_WIDEST = 100
"""Columns that one cell may span, as on a page."""
_PAIR = 2
"""Columns of a list such as "Founded | 1987", which may have no names."""


_PIVOT = "Column Labels"
"""Second cell of a pivot table of Excel, after "Sum of Sales"; "Row Labels" is below, before the names of columns."""

_PIVOT_ROWS = 3
"""Most rows with the names of columns in it."""


class OfficeTable(NamedTuple):
    """A table; cells at the end of a row may be missing."""

    titles: list[str]
    names: list[str]
    """Empty if it is not certain that the table has any."""
    rows: list[list[str]]


def fill_places(rows: Sequence[list[str]], spans: Iterable[tuple[int, int, int, int]]) -> None:
    """Write the text of cells that span others into all places; spans are left, top, right + 1 and bottom + 1."""
    for left, top, right, bottom in spans:
        text = "".join(cell for row in rows[top : top + 1] for cell in row[left : left + 1])
        width = min(right - left, _WIDEST)
        for row in rows[top:bottom] if text else ():
            row.extend([""] * (left - len(row)))
            row[left : left + width] = [text] * width


def read_table(rows: Sequence[Sequence[str]], *, texts_have_names: bool = False) -> OfficeTable:
    """Read a table in which cells that span others are in all places that they span.

    `texts_have_names` tells whether two columns of texts have names; of figures, they show it themselves.
    """
    filled = [row for row in rows if any(map(str.strip, row))]
    if not filled:
        return OfficeTable([], [], [])
    left = min(next(at for at, cell in enumerate(row) if cell.strip()) for row in filled)
    width = max(map(_width, filled)) - left
    # A row is not filled up to the width of the table: one stray cell may be in column 16,384.
    grid = [[*map(str.strip, row[left : _width(row)]), *[""] * (left + _PAIR - _width(row))] for row in rows]
    first = _first_row(grid)
    titles = list(dict.fromkeys(text for row in grid[:first] for text in row if text not in ("", _PIVOT)))
    names, n_rows = joined_names(grid[first:])
    body = grid[first + n_rows :]
    names = [*(" ".join(name.split()) for name in names[:width]), *[""] * (width - len(names))]
    filled_below = [row for row in body if any(row)]
    if width > 1 and not are_names(names, filled_below, is_ruled=False, of_texts=texts_have_names):
        names, body = [], grid[first:]
    labels = zip(row_labels(body, width, without_titles=True), body, strict=True)
    rows_read = [[label, *row[1:width]] for label, row in labels if label is not None and any(row)]
    return OfficeTable(titles, names, rows_read)


def _width(row: Sequence[str]) -> int:
    return max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0)


def _first_row(rows: Sequence[Sequence[str]]) -> int:
    """Return the place of the first row below the titles, each of which is alone in a row or spans all of it."""
    filled = [at for at, row in enumerate(rows) if any(row)]
    for at, below in pairwise(filled):
        if rows[at][1] == _PIVOT and "Row Labels" in (row[0] for row in rows[below : below + _PIVOT_ROWS]):
            return below
    for at, below in pairwise(filled):
        texts = list(filter(None, rows[at]))
        if len({*texts}) > 1 or (len(texts) > 1 and not rows[at][0]):
            is_wide = len(rows[at]) >= len(rows[below]) or not rows[below][0]
            return at if is_wide else filled[0]
    return filled[0]
