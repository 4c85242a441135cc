"""Tables in a CSV file as people save them: below a title or a comment, with names on two rows, one after another."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from factscope.evidence.csv_records import CsvRecord, csv_records
from factscope.evidence.table_scale import scale_note

_HEAD = 20_000
"""Characters at the beginning of a file that tell its form."""
_TAIL = 500
"""Characters at its end, where a note may state the scale of its figures."""
_LOOKED_AT = 8
"""Rows at the beginning, among them the names of the columns and the first row."""
_FEWEST = 3
"""Columns below a title in the first line; with two, it may be the name of a single column of texts with commas."""
_FIGURE = re.compile(r"(?<![QH])\d")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_WORD = re.compile(r"[^\W\d_]{3}")
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
    body = head[n_titles:]
    labels = dict(zip((at for at, _ in body), grouped([_cleaned(cells) for _, cells in body]), strict=True))
    columns, names, table, is_first = list[str](), list[str](), 1, False
    has_texts = False
    for record, following in pairwise(chain(csv_records(lines, delimiter=delimiter), [_END])):
        cells, line = _cleaned(record.cells), record.line + n_lines
        joined = joined_names(names, cells) if is_first else None
        is_title = bool(names) and _cleaned(following.cells) == columns and len(_texts(cells)) == 1
        is_row = bool(names) and not joined and not is_title and cells != columns
        label = labels.get(line + record.source.rstrip("\r\n").count("\n"), "")
        in_group = is_row and not has_texts and label.endswith(f" – {''.join(cells[:1])}")
        whole = [label, *record.cells[1:]] if in_group else record.cells
        yield FileRow(record._replace(line=line, cells=whole), names if is_row else [], title, table)
        if is_title:
            title, table = cells[0], table + 1
        is_first = not names
        columns, names = columns or cells, joined or names or cells
        has_texts = any(name.lower() in text_columns for name in names)


def grouped(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the first cell of each row, after the title of its group if another group has a row with the same cell.

    A title is a row of which only the first cell is filled: "Pizzas" above "Fish", which is also below "Soups".
    """
    groups, group = list[str](), ""
    for row in rows:
        is_title = len(row) >= _FEWEST and _WORD.search(row[0]) and not any(row[1:])
        group = row[0] if is_title else group
        groups.append("" if is_title else group)
    labels = [row[0] if row else "" for row in rows]
    times = Counter(label for label, group in {*zip(labels, groups, strict=True)} if group)
    return [
        f"{group} – {label}" if group and label and times[label] > 1 else label
        for label, group in zip(labels, groups, strict=True)
    ]


def joined_names(groups: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """Return names of columns with those of their groups in front; None if the second row has no names.

    A group's name stands above its first column, ",2023,,Cost" above "Source,GWh,%,EUR", or above each of them. Years
    are names only in a table without a name of its first column.
    """
    first = next((at for at, name in enumerate(groups) if at and name), len(groups))
    from_group = groups[first:]
    has_corner = bool(groups[0] and names[0]) if groups and names else True
    is_repeated = len(set(names[1:])) < len(names) - 1
    if all(from_group) and len(set(from_group)) == len(from_group):
        return None
    if not all(names[1:]) or len(names) < len(groups) or (has_corner and not is_repeated):
        return None
    if any(_FIGURE.search(_YEAR.sub("", name) if at and not has_corner else name) for at, name in enumerate(names)):
        return None
    joined, group = list[str](), ""
    for top, low in zip_longest(groups, names, fillvalue=""):
        group = top or group
        joined.append(f"{group} {low}".strip())
    return joined


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
    """Count the rows above the names of the columns: titles, comments, and empty rows."""
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
    if len(texts) == 1:
        return (len(row) > 1 or len(names) >= _FEWEST) and texts[0].lower() not in text_columns
    # A line of words with commas, or above an empty one. The names must not be a row with commas in its texts.
    is_apart = any(cell[:1] == " " for cell in row[1:]) or not all(map(_texts, rows))
    is_names = not any(cell[:1] == " " or _FIGURE.search(_YEAR.sub("", cell)) for cell in names)
    return len(row) < len(names) and is_apart and is_names
