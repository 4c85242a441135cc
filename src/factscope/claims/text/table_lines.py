"""Rows of tables in a text, and their cells.

Bars keep cells apart in Markdown and in text from web pages, spaces or tabs in plain text and PDFs; rows from Word
documents name their columns, `name: cell; name: cell`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from factscope.claims.text.aligned_tables import aligned_tables, spaced_cells

RULE = re.compile(r"[\s|:+=\-─-╿]*[-─━═][\s|:+=\-─-╿]*")
"""The line below the header of a Markdown table, or one of box-drawing characters."""
_BARRED = re.compile(r"^[ \t]*([|│┃║].*\S|\S.*? [|│┃║](?: .*\S)?)[ \t]*$", re.MULTILINE)
BAR = re.compile(r"(?<!\\)[|│┃║]")  # in Markdown, `\|` is a bar inside a cell
_NAMED = re.compile(
    r"^(?:(?P<first>[^:;|\n]{1,60}): )?[^:;|\n]*; (?P<second>[^:;|\n]{1,100}): [^;\n]*(?:; [^:;|\n]{1,100}: [^;\n]*)*$",
    re.MULTILINE,
)
"""A row that names its columns, but maybe not the first."""


def barred_rows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the lines with bars between cells, and of the rules below names of columns."""
    return [match.span(1) for match in _BARRED.finditer(text)]


def aligned_rows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the rows of all tables whose cells spaces keep apart, and of the names of their columns."""
    return [line[:2] for table in aligned_tables(text) for line in (*table.name_lines, *table.rows)]


def named_rows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the rows that name their columns, of tables with two rows or more."""
    lines = list(_NAMED.finditer(text))
    followed = [left.end() + 1 == right.start() and left.groups() == right.groups() for left, right in pairwise(lines)]
    return [
        line.span()
        for line, before, after in zip(lines, (False, *followed), (*followed, False), strict=bool(lines))
        if before or after
    ]


def named_cells(row: str) -> list[tuple[str, str]]:
    """Return the names of columns and the cells of a row that has them; empty for another."""
    if not _NAMED.fullmatch(row):
        return []
    pairs = (cell.rpartition(": ") if not at else cell.partition(": ") for at, cell in enumerate(row.split("; ")))
    return [(name, cell) for name, _, cell in pairs]


def cells(row: str) -> list[str]:
    """Return the cells of a row, without the white space around them; `||` at an edge is an empty cell."""
    row = row.strip()
    if not BAR.search(row):
        return spaced_cells(row)
    inner = row[BAR.match(row) is not None : len(row) - row.endswith(tuple("|│┃║"))]
    return [cell.strip().replace(r"\|", "|") for cell in BAR.split(inner)]
