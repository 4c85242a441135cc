"""Tables of Office files: their titles, the names of their columns, and their rows, read alike in all formats.

Where it is not certain that the first row has names, the table is read without: wrong names make every row false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

_WIDEST = 100
"""Columns that one cell may span, as on a page."""
_NAME_ROWS = 3  # most rows of names of columns
_PAIR, _TABLE = 2, 3
"""Columns of a list such as "Founded | 1987", which may have no names, and of a table in which a row with nothing but
its first cell may be the title of those below it."""
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
"""A year may name a column, as no other figure does."""
_FIGURE = re.compile(r"(?<!\w)\d")
_AMOUNT = re.compile(r"[(+−–-]?\d[\d.,’' ]*\)?")
_VALUE = re.compile(rf"[^\w(+−–-]*{_AMOUNT.pattern}\W*")
_FACT = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|.*:$", re.IGNORECASE)
"""A first cell that does not name its column if others are like it: a day, as in opening hours, or "Seat:"."""
_TOTAL = re.compile(r"(?:grand |sub)?totals?\b", re.IGNORECASE)


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
    titles = list(dict.fromkeys(text for row in grid[:first] for text in row if text))
    names, *body = grid[first:]
    for _ in range(_NAME_ROWS - 1):
        if len(body) > 1 and _goes_on(names, *body[:2]):
            names, body = _joined(names, body[0]), body[1:]
    if _are_names(names, [row for row in body if any(row)], width, texts_have_names=texts_have_names):
        names = [*(" ".join(name.split()) for name in names[:width]), *[""] * (width - len(names))]
    else:
        names, body = [], [names, *body]
    return OfficeTable(titles, names, list(_below_groups(body, width)))


def _width(row: Sequence[str]) -> int:
    return max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0)


def _first_row(rows: Sequence[Sequence[str]]) -> int:
    """Return the place of the first row below the titles, each of which is alone in a row or spans all of it."""
    filled = [at for at, row in enumerate(rows) if any(row)]
    for at, below in pairwise(filled):
        texts = list(filter(None, rows[at]))
        if len({*texts}) > 1 or (len(texts) > 1 and not rows[at][0]):
            is_wide = len(rows[at]) >= len(rows[below]) or not rows[below][0]
            return at if is_wide else filled[0]
    return filled[0]


def _is_value(cell: str) -> bool:
    return _VALUE.fullmatch(cell) is not None and not _YEAR.fullmatch(cell)


def _goes_on(names: Sequence[str], row: Sequence[str], below: Sequence[str]) -> bool:
    """Tell whether the names of columns go on in a row: "2023 | 2024" below "Revenue", which spans both."""
    is_open = any(not right or right == left for left, right in pairwise(names[1:]))
    begins = row[0] in ("", names[0]) or (not names[0] and any(map(_is_value, below[1:])))
    has_all = any(row[1:]) and all(map(any, zip_longest(names[1:], row[1:])))
    return is_open and begins and has_all and not any(low not in names and _is_value(low) for low in row)


def _joined(names: Sequence[str], lows: Sequence[str]) -> list[str]:
    """Return names of columns with those of their groups in front; a group that spans none goes on until the next."""
    has_spans = any(left and left == right for left, right in pairwise(names))
    joined, group = list[str](), ""
    for at, (name, low) in enumerate(zip_longest(names, lows, fillvalue="")):
        group = name or ("" if has_spans or at < _PAIR else group)
        joined.append(group if group == low else f"{group} {low}".strip())
    return joined


def _are_names(names: Sequence[str], body: Sequence[Sequence[str]], width: int, *, texts_have_names: bool) -> bool:
    """Tell whether a row has the names of the columns, and is not itself like the rows below it."""
    if any(_shape(row[0]) == _shape(names[0]) != "" or all(map(_FACT.match, (names[0], row[0]))) for row in body[:1]):
        return False
    if width != _PAIR:
        return width == 1 or not all(map(_is_value, names[1:]))
    shapes = {_shape(row[1]) for row in body if row[0] != row[1] and any(map(str.isalnum, row[1]))}
    differs = _shape(names[1]) not in shapes or (texts_have_names and shapes == {""})
    return differs and len(shapes) <= 1 and _is_label(_YEAR.sub("", names[1]))


def _shape(cell: str) -> str:
    """Return a cell with a zero for each number; empty if it has none."""
    return _AMOUNT.sub("0", cell) if _FIGURE.search(cell) else ""


def _is_lone(row: Sequence[str], width: int) -> bool:
    """Tell whether a row has one text, which spans all columns or stands in the first of several."""
    spans = len(row) == width > 1 and len({*row}) == 1
    return row[0][:1].isalpha() and (spans or (width >= _TABLE and not any(row[1:])))


def _below_groups(rows: Sequence[list[str]], width: int) -> Iterator[list[str]]:
    """Yield the rows of a table, each with the title of its group: "Assets – Cash".

    A first cell that is left empty is that of the row above, if the second cells tell the rows apart.
    """
    lone = [_is_lone(row, width) for row in rows]
    filled = [(row, is_lone) for row, is_lone in zip(rows, lone, strict=True) if any(row)]
    has_groups = any(is_lone for _, is_lone in filled[:1]) and sum(is_lone for _, is_lone in filled[:-1]) > 1
    carries = width >= _TABLE and all(is_lone or _is_label(row[1]) for row, is_lone in filled)
    group = label = ""
    for at, row in enumerate(rows):
        has_rows = any(map(any, rows[at + 1 : at + 2])) and not lone[at + 1]
        if lone[at] and has_rows and (has_groups or row[-1]):
            group, label = row[0], ""
        elif any(row):
            label = row[0] or (label if carries else "")
            group = "" if lone[at] or _TOTAL.match(label) else group
            yield [" – ".join(filter(None, (group, label))), *row[1:width]]
        else:
            group = label = ""


def _is_label(cell: str) -> bool:
    return bool(cell) and not _FIGURE.search(_YEAR.sub("", cell))
