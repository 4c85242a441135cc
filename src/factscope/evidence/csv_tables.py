"""Tables in a CSV file as people save them: below a title or a comment, with names on two rows, one after another."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from itertools import chain, pairwise
from typing import NamedTuple

from factscope.claims.text.column_names import has_figure
from factscope.evidence.csv_records import CsvRecord, csv_records
from factscope.evidence.table_grid import FEWEST, joined_names, row_labels
from factscope.evidence.table_scale import scale_note

_HEAD = 20_000
"""Characters at the beginning of a file that tell its form, and in which rows get the titles of their groups."""
_TAIL = 500
"""Characters at its end, where a note may state the scale of its figures."""
_LOOKED_AT = 8
"""Rows at the beginning, among them the names of the columns and the first row."""
_END = CsvRecord(0, [], "")


class FileRow(NamedTuple):
    """A row of a file with what its table says of it."""

    record: CsvRecord
    names: list[str]
    """Of its columns; empty for a row that has them itself, or a title."""
    title: str = ""
    table: int = 1
    """Number of its table in the file."""


def table_rows(text: str, text_columns: Collection[str]) -> Iterator[FileRow]:
    """Yield the rows of a CSV file; `text_columns` are names of columns that hold texts."""
    delimiter = _delimiter(text[:_HEAD], text_columns)
    head = _rows(text, delimiter)
    n_titles = _title_rows([cells for _, cells in head], text_columns)
    titles = [", ".join(_texts(cells)).strip("# ").removesuffix(".") for _, cells in head[:n_titles]]
    titles = [line for line in titles if line and not line.startswith("sep=")]  # a line for spreadsheet programs
    title, note = ". ".join(titles), scale_note(text[-_TAIL:])
    title = title if note in title else f"{title} ({note})".lstrip()
    n_lines = head[n_titles - 1][0] if n_titles else 0
    lines = StringIO(text, newline="")
    for _ in range(n_lines):
        next(lines)
    body = [(at, _cleaned(cells)) for at, cells in head[n_titles:]]
    joined, n_left = joined_names([cells for _, cells in body if any(cells)])
    columns, names, table = list[str](), joined if n_left > 1 else [], 1
    labels, has_texts = dict[int, str | None](), False
    for record, following in pairwise(chain(csv_records(lines, delimiter=delimiter), [_END])):
        cells, line = _cleaned(record.cells), record.line + n_lines
        is_title = not n_left and _cleaned(following.cells) == columns and len(_texts(cells)) == 1
        is_row = not n_left and not is_title and cells != columns
        end = line + record.source.rstrip("\r\n").count("\n")
        # A first cell without a text is a missing value in a file, not the label of the row above.
        label = labels.get(end) if any(cells[:1]) and not has_texts else ""
        whole = [label, *record.cells[1:]] if is_row and label else record.cells
        yield FileRow(record._replace(line=line, cells=whole), names if is_row else [], title, table)
        if is_title:
            title, table = cells[0], table + 1
        columns, names = columns or cells, names or cells
        if n_left and cells:
            n_left -= 1
            below = [(at, cells) for at, cells in body if at > end]
            labels = dict(zip((at for at, _ in below), row_labels([row for _, row in below], len(names)), strict=True))
            has_texts = any(name.lower() in text_columns for name in names)


def _delimiter(head: str, text_columns: Collection[str]) -> str:
    """Return the mark that splits most rows alike; a comma for a file with a single column of texts."""

    def fit(mark: str) -> tuple[int, int, bool]:
        widths = Counter(len(cells) for _, cells in _rows(head, mark) if len(cells) > 1)
        width, n_rows = max(widths.items(), key=lambda item: item[::-1], default=(0, 0))
        return n_rows, width, mark == ","

    first = next(filter(str.strip, head.splitlines()), "")
    return "," if first.strip().lower() in text_columns else max(",;\t|", key=fit)


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows at the beginning of a file, each with the number of lines up to its end."""
    reader = csv.reader(StringIO(text[:_HEAD], newline=""), delimiter=delimiter)
    rows = list[tuple[int, list[str]]]()
    try:
        rows.extend((reader.line_num, cells) for cells in reader)
    except csv.Error:
        return rows
    return rows if len(text) <= _HEAD else rows[:-1]


def _cleaned(cells: Sequence[str]) -> list[str]:
    return [" ".join(cell.split()) for cell in cells]


def _texts(cells: Sequence[str]) -> list[str]:
    return list(filter(None, _cleaned(cells)))


def _title_rows(rows: Sequence[Sequence[str]], text_columns: Collection[str]) -> int:
    """Count the rows above the names of the columns: titles, comments, and empty rows.

    Unlike in an Office file, a title may be cut into cells at its commas; only the widths of the rows tell.
    """
    filled = [at for at, cells in enumerate(rows) if _texts(cells)]
    widths = Counter(len(rows[at]) for at in filled if len(rows[at]) > 1)
    width, _ = max(widths.items(), key=lambda item: item[::-1], default=(0, 0))
    for at, below in pairwise(filled[:_LOOKED_AT]):
        if len(rows[at]) == len(rows[below]) == width and len(_texts(rows[at])) > 1:
            above = [before for before in filled if before < at]
            return at if all(_is_title(rows[before : at + 1], text_columns) for before in above) else 0
    return 0


def _is_title(rows: Sequence[Sequence[str]], text_columns: Collection[str]) -> bool:
    """Tell whether the first of these rows is a title or a comment on the table of which the last has the names."""
    row, names = rows[0], rows[-1]
    texts = _texts(row)
    if texts[0].startswith("#"):
        return True
    # Above an empty row, or a line of words with commas. The names must not be a row with commas in its texts.
    is_above_empty = not all(map(_texts, rows))
    is_names = not any(cell[:1] == " " or has_figure(cell) for cell in names)
    if len(texts) == 1:
        is_apart = len(row) > 1 or len(names) >= FEWEST or (is_above_empty and is_names and " " in texts[0])
        return is_apart and texts[0].lower() not in text_columns
    return len(row) < len(names) and is_names and (is_above_empty or any(cell[:1] == " " for cell in row[1:]))
