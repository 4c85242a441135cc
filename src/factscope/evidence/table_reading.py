"""Rows of tables, read with the names of their columns and the scale of their figures.

A row is meaningless without them: "| Pumps | 41,300 |" is read as "Segment: Pumps; 2024: EUR 41.3 million".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from math import isclose
from operator import add
from typing import TYPE_CHECKING

from factscope.claims.text.aligned_tables import AlignedTable, aligned_tables
from factscope.claims.text.column_names import are_entries, are_names, is_amount, is_label
from factscope.claims.text.plain_text import plain
from factscope.claims.text.table_lines import BAR, RULE, cells, named_cells
from factscope.evidence.outline import KINDS, MAX_HEADING
from factscope.evidence.table_grid import FEWEST, joined_names, named_text, row_labels
from factscope.evidence.table_scale import scaled_cells

if TYPE_CHECKING:
    from factscope.evidence.index import Index

MAX_ROWS = 40
"""Rows of the longest table that is a passage as a whole, for a claim that compares figures."""
_SAMPLE = 8
"""Lines at the beginning of a table that tell its columns."""
_PART = re.compile(r"(?:[–—•·-]|of which|thereof)\s", re.IGNORECASE)
"""The beginning of a row that is a part of one above it."""
_ROUNDING = 0.001
"""By which part a total may differ from the sum of its rows."""
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SPACE = 200
"""Most bytes of white space on each side of a line."""
MAX_TABLE = 4_000
"""Its characters."""
FIRST_LINES = 12
"""Sentences at the beginning of a document that may say in what its tables count."""
_EMPTY = "–"
"""Shown for an empty cell whose column has no name."""

_ROW, _SENTENCE = KINDS.index("row"), KINDS.index("sentence")
_MARK = re.compile(r"^(?=>|[-+*#]\s)|(?<=^\d)(?=\)\s)")
"""Beginning of a cell that is not a mark of Markdown there: "> 30 days", "- 123"."""
_NOTES = 6
"""Most sentences below a table of which one may state its scale."""


def above(index: Index, sentence: int) -> list[int]:
    """Return the heading sentences above a sentence, the nearest first."""
    headings: list[int] = []
    while (sentence := int(index.positions[sentence, 1])) >= 0:
        headings.append(sentence)
    return headings


def table_text(index: Index, first: int, last: int) -> str:
    """Format all rows of a table, but for those with the names of the columns; see `row_text`."""
    rows = [at for at in range(first, last + 1) if index.positions[at, 0] == _ROW]
    table = _aligned(index, first, last)
    n_named = len(table.name_lines) if table else 0 if named_cells(index.text(first, first)) else 1
    body = [at for at in rows[n_named:] if not RULE.fullmatch(index.text(at, at))]
    return "\n".join(row_text(index, at, above(index, at)) for at in body)


def row_text(index: Index, row: int, over: Sequence[int]) -> str:
    """Format a row as `Name: value; name: value` if it or the first row has the column names; figures have their scale.

    Otherwise return its cells, below those of the first row if that may have names. `over` are the sentences above it,
    nearest first.
    """
    head = next((sentence for sentence in over if index.positions[sentence, 0] == _ROW), None)
    if pairs := named_cells(index.text(row, row)):
        names, row_cells = (list(column) for column in zip(*pairs, strict=True))
        return _with_names(index, row if head is None else head, row, names, row_cells, over)
    row_cells = cells(index.text(row, row))
    if head is None:
        return _joined(row_cells)
    captions = [sentence for sentence in over if sentence != head]
    table = _aligned(index, head, row)
    names = list(table.names) if table else cells(index.text(head, head))
    row_cells = list(table.rows[-1].cells) if table else row_cells
    below, carries = head + (len(table.name_lines) if table else 1), False
    if not table and _is_group(names) and any(map(_is_group, _rows_below(index, head, MAX_ROWS))):
        names, below = [""] * len(names), head  # as "| Saturday | | |" is above "| Sunday | | |"
    elif not table and RULE.fullmatch(index.text(head + 1, head + 1)):
        row_cells += [""] * (len(names) - len(row_cells))  # as GFM fills a row
        joined, n_rows = joined_names([names, *_rows_below(index, head)])
        if head + n_rows < row:
            names, below = joined, head + 1 + n_rows
        carries = names[0] != "" and is_label("".join(names[1:2]))
    if row_cells[0] or carries:
        row_cells[0] = _label(index, below, row, row_cells[0], len(names))
    elif table:
        row_cells[0] = _total_label(index, below, row)
    if len(names) != len(row_cells) or not (table or names[0] == "" or _names_columns(index, head, names)):
        first = cells(index.text(head, head))
        # An empty cell keeps its place, so that a figure is not read below another column's name.
        text = _joined([cell or _EMPTY for cell in row_cells])
        return text if are_entries(first[0], row_cells[0]) else f"{_joined(first)}\n{text}"
    return _with_names(index, head, row, names, row_cells, captions)


def _is_group(row: Sequence[str]) -> bool:
    """Tell whether a row has nothing but its first cell, so that it may be the title of those below it."""
    return len(row) >= FEWEST and row[0] != "" and not any(row[1:])


def _rows_below(index: Index, head: int, most: int = _SAMPLE) -> list[list[str]]:
    """Return the cells of the first rows below that with the names of columns."""
    lines = range(head + 1, min(head + most, len(index.positions)))
    texts = [index.text(at, at) for at in lines if index.positions[at, 1] == head]
    return [cells(text) for text in texts if not RULE.fullmatch(text)]


def _label(index: Index, first: int, row: int, label: str, width: int) -> str:
    """Return the first cell of a row below `first`, the first one of a table, with what the rows near it say of it.

    That is the title of its group, or the row that it is a part of: "Discontinued – adverse event".
    """
    near = range(max(first, row - MAX_ROWS), min(row + MAX_ROWS, len(index.positions)))
    head = int(index.positions[row, 1])
    last = max(at for at in near if at == row or tuple(index.positions[at, :2]) == (_ROW, head))
    lines = [at for at in range(near[0], last + 1) if not RULE.fullmatch(index.text(at, at))]
    labels = dict(zip(lines, row_labels([_cells_or_title(index, at) for at in lines], width), strict=True))
    parent = row
    while parent in labels and _PART.match(cells(index.text(parent, parent))[0]):
        parent -= 1
    if parent != row and index.positions[parent, 0] == _ROW and labels.get(parent):
        return f"{labels[parent]} {label}"
    whole = labels.get(row) or ""
    return whole if whole.endswith(label) else label


def _total_label(index: Index, first: int, row: int) -> str:
    """Return the label of a row with nothing but figures, "Income – total", if they add up those of its group.

    Its group has the rows between it and the title above them, none of which is without a label.
    """
    totals = [*map(_amount, cells(index.text(row, row)))]
    sums = [0.0] * len(totals)
    for line in range(row - 1, max(first, row - MAX_ROWS) - 1, -1):
        text = index.text(line, line)
        if RULE.fullmatch(text):
            continue
        label, *figures = _cells_or_title(index, line) or [""]
        if index.positions[line, 0] != _ROW:
            is_sum = all(map(partial(isclose, rel_tol=_ROUNDING), map(abs, totals), map(abs, sums)))
            return f"{label} – total" if label and is_sum and any(totals) else ""
        if is_amount(label) or len(figures) != len(totals):
            return ""
        sums = list(map(add, sums, map(_amount, figures)))
    return ""


def _amount(cell: str) -> float:
    """Return the amount in a cell, a loss in brackets; 0 without one."""
    match = _DIGITS.search(cell)
    amount = float(match[0].replace(",", "")) if match else 0.0
    return -amount if cell.startswith(("(", "-", "−", "–")) else amount


def _cells_or_title(index: Index, line: int) -> list[str]:
    """Return the cells of a row; of a line between rows, its words before empty cells if it may be a group's title."""
    text = index.text(line, line)
    if index.positions[line, 0] == _ROW:
        return cells(text)
    is_title = len(text.split()) <= MAX_HEADING and not text.endswith(".")
    return [text.rstrip(":"), *[""] * FEWEST] if is_title else []


def _aligned(index: Index, head: int, row: int) -> AlignedTable | None:
    """Return the table with a row as its last one, read with some of those above it; None if bars keep cells apart.

    None, too, for a row with the names of columns.
    """
    if BAR.search(index.text(row, row)):
        return None
    end = min(int(index.documents[index.documents > head][0]), head + _SAMPLE)
    last = next(at for at in range(end - 1, head - 1, -1) if at == head or head in above(index, at))
    text = f"{_with_space(index, head, last)}\n{_with_space(index, row, row)}"
    tables = list(aligned_tables(text))
    is_named = not tables or row < head + len(tables[-1].name_lines)
    return None if is_named or tables[-1].rows[-1].end != len(text.rstrip()) else tables[-1]


def _with_space(index: Index, first: int, last: int) -> str:
    """Return sentences with the white space around them, which tells below which names their cells are."""
    start, end = int(index.sentences[first, 2]), int(index.sentences[last, 3])
    before = bytes(index.texts[max(0, start - _SPACE) : start]).rpartition(b"\n")[2]
    after = bytes(index.texts[end : end + _SPACE]).partition(b"\n")[0]
    around = [space.decode() if space.isspace() else "" for space in (before, after)]
    return index.text(first, last).join(around)


def file_of_row(index: Index, document: int) -> bytes | None:
    """Return the CSV file or sheet of which a document is a row; None of another document."""
    from factscope.evidence.index import ROW_OF_FILE

    place = ROW_OF_FILE.search(index.record(document))
    return place[1] if place else None


def file_rows(index: Index, sentence: int) -> str | None:
    """Return all rows of the file of which a sentence's document is a row, in order.

    None of another document, of a long file, and of one whose rows are not all there: equal ones count once.
    """
    file = file_of_row(index, int(index.documents.searchsorted(sentence, side="right")) - 1)
    rows = index.file_rows[file] if file else {}
    if not rows or len(rows) > MAX_ROWS or max(rows) != len(rows):
        return None
    spans = (index.documents[row : row + 2].tolist() for _, row in sorted(rows.items()))
    texts = [index.text(low, high - 1) for low, high in spans]
    return "\n".join(texts) if sum(map(len, texts)) <= MAX_TABLE else None


def _with_names(index: Index, head: int, row: int, names: list[str], row_cells: list[str], over: Sequence[int]) -> str:
    captions = [index.text(line, line) for line in (head - 1, *over) if line >= 0]
    row_cells = [plain(_MARK.sub(r"\\", cell)) for cell in row_cells]
    row_cells = scaled_cells(names, row_cells, captions, _lines_below(index, row), _first_lines(index, head))
    return named_text(map(plain, names), row_cells)


def scaled_row(line: str, title: str) -> str:
    """Return a row of a file that names its columns, with the scale in its title or its columns."""
    if not (pairs := named_cells(line)):
        return line
    names, row_cells = zip(*pairs, strict=True)
    return named_text(names, scaled_cells(names, row_cells, [title]))


def _lines_below(index: Index, row: int) -> Iterator[str]:
    """Yield the first sentences below a table, but for that above the next, of which it may be the caption."""
    end, last = int(index.documents[index.documents > row][0]), row
    while last < end and index.positions[last, 0] == _ROW:
        last += 1
    for at in range(last, min(end, last + _NOTES)):
        if index.positions[at, 0] != _SENTENCE or (at + 1 < end and index.positions[at + 1, 0] == _ROW):
            return
        yield index.text(at, at)


def _first_lines(index: Index, before: int) -> Iterator[str]:
    """Yield the first sentences of a document, where it says in what its tables count."""
    first = int(index.documents[index.documents <= before][-1])
    yield from (index.text(at, at) for at in range(first, min(before, first + FIRST_LINES)))


def _names_columns(index: Index, head: int, names: Sequence[str]) -> bool:
    """Tell whether the first row of a table has the names of its columns: a rule is below it, or it has no figures."""
    is_ruled = RULE.fullmatch(index.text(head + 1, head + 1)) is not None
    rows = [row for row in _rows_below(index, head) if len(row) == len(names)]
    return (is_ruled or len(names) >= FEWEST) and (not rows or are_names(names, rows, is_ruled=is_ruled))


def _joined(row: list[str]) -> str:
    return ": ".join(plain(_MARK.sub(r"\\", cell)).removesuffix(":") for cell in row if cell)
