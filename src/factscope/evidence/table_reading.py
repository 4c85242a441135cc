"""Rows of tables, read with the names of their columns and the scale of their figures.

A row is meaningless without them: "| Pumps | 41,300 |" is read as "Segment: Pumps; 2024: EUR 41.3 million".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from factscope.claims.text.aligned_tables import AlignedTable, aligned_tables
from factscope.claims.text.plain_text import plain
from factscope.claims.text.table_lines import RULE, cells, named_cells
from factscope.evidence.outline import KINDS
from factscope.evidence.table_scale import scaled, stated_scale

if TYPE_CHECKING:
    from factscope.evidence.index import Index

MAX_ROWS = 40
"""Rows of the longest table that is a passage as a whole, for a claim that compares figures."""
_SAMPLE = 8
"""Lines at the beginning of a table that tell its columns."""
_PART = re.compile(r"(?:[–—•·-]|of which|thereof)\s", re.IGNORECASE)
"""The beginning of a row that is a part of one above it."""
_INDENT = 200
"""Most spaces in front of a line."""
MAX_TABLE = 4_000
"""Its characters."""
FIRST_LINES = 12
"""Sentences at the beginning of a document that may say in what its tables count."""
COLUMNS = 3
"""Fewest columns for which the first row of a table can be a header; with fewer it may be a row like the others, as in
"Founded | 1901"."""

_EMPTY = "–"
"""Shown for an empty cell whose column has no name."""

_FIGURE = re.compile(r"(?<![A-Z])\d")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ROW = KINDS.index("row")


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

    Otherwise return its cells below those of the first row. `over` are the sentences above it, nearest first.
    """
    head = next((sentence for sentence in over if index.positions[sentence, 0] == _ROW), None)
    if pairs := named_cells(index.text(row, row)):
        names, row_cells = (list(column) for column in zip(*pairs, strict=True))
        return _with_names(index, row if head is None else head, names, row_cells, over)
    row_cells = cells(index.text(row, row))
    if head is None:
        return _joined(row_cells)
    captions = [sentence for sentence in over if sentence != head]
    table = _aligned(index, head, row)
    if table and table.names and len(table.rows[-1].cells) == len(table.names):
        row_cells = list(table.rows[-1].cells)
        row_cells[0] = _with_parent(index, head, row, row_cells[0])
        return _with_names(index, head, list(table.names), row_cells, captions)
    row_cells[0] = _with_parent(index, head, row, row_cells[0])
    names = cells(index.text(head, head))
    if len(names) != len(row_cells) or not (names[0] == "" or _names_columns(index, head, names)):
        # An empty cell keeps its place, so that a figure is not read below another column's name.
        return f"{_joined(names)}\n{_joined([cell or _EMPTY for cell in row_cells])}"
    return _with_names(index, head, names, row_cells, captions)


def _with_parent(index: Index, head: int, row: int, label: str) -> str:
    """Return the first cell of a row, after that of the row that it is a part of: "Discontinued – adverse event"."""
    at = row
    while at > head and _PART.match(cells(index.text(at, at))[0]):
        at -= 1
    is_part = head < at < row and index.positions[at, 0] == _ROW and not RULE.fullmatch(index.text(at, at))
    return f"{cells(index.text(at, at))[0]} {label}" if is_part else label


def _aligned(index: Index, head: int, row: int) -> AlignedTable | None:
    """Return the table with a row as its last one, read with some of those above it; None if bars keep cells apart.

    None, too, for a row with the names of columns.
    """
    if "|" in index.text(row, row):
        return None
    end = min(int(index.documents[index.documents > head][0]), head + _SAMPLE)
    last = next(at for at in range(end - 1, head - 1, -1) if at == head or head in above(index, at))
    text = f"{_indent(index, head)}{index.text(head, last)}\n{_indent(index, row)}{index.text(row, row)}"
    tables = list(aligned_tables(text))
    return tables[-1] if tables and tables[-1].rows[-1].end == len(text) else None


def _indent(index: Index, sentence: int) -> str:
    """Return the spaces in front of a sentence, which tell below which names its cells are."""
    start = int(index.sentences[sentence, 2])
    before = bytes(index.texts[max(0, start - _INDENT) : start]).rpartition(b"\n")[2]
    return before.decode() if before.isspace() else ""


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
    texts = [index.text(low, high - 1).partition("\n\n")[0] for low, high in spans]
    return "\n".join(texts) if sum(map(len, texts)) <= MAX_TABLE else None


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


def _names_columns(index: Index, head: int, names: Sequence[str]) -> bool:
    """Tell whether the first row of a table has the names of its columns: a rule is below it, or it has no figures.

    Years do not count, nor does "40 mg" above a figure with fewer letters.
    """
    below = index.text(head + 1, head + 1)
    if RULE.fullmatch(below):
        return True
    figures = [*cells(below), *names][: len(names)]
    return len(names) >= COLUMNS and not any(
        _FIGURE.search(_YEAR.sub("", name)) and len(_LETTER.findall(name)) <= len(_LETTER.findall(figure))
        for name, figure in zip(names, figures, strict=True)
    )


def _joined(row: list[str]) -> str:
    return ": ".join(plain(cell) for cell in row if cell)
