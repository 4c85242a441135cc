"""Rows of tables in a text, and their cells.

Bars keep cells apart in Markdown and in text from web pages, spaces or tabs in plain text and PDFs; rows from Word
documents name their columns, `name: cell; name: cell`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_GAP = re.compile(r"(?<![.!?:;,]) {2,}(?=\S)|(?<=\S)\t+(?=\S)")
"""Space between two cells; after the end of a sentence it is only a wide space."""
_FEWEST = 2
"""Lines of a table, without the names of its columns; with two columns, one more."""
_LONGEST = 30
"""Characters of a cell after the first, where tabs keep cells apart."""
_SLACK = 2
"""Characters by which the edges of a column may differ."""
RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
"""The line below the header of a Markdown table."""
_BARRED = re.compile(r"^[ \t]*(\|.*\S|\S.*? \|(?: .*\S)?)[ \t]*$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")  # in Markdown, `\|` is a bar inside a cell
_NAMED = re.compile(
    r"^(?:(?P<first>[^:;|\n]{1,60}): )?[^:;|\n]*; (?P<second>[^:;|\n]{1,100}): [^;\n]*(?:; [^:;|\n]{1,100}: [^;\n]*)*$",
    re.MULTILINE,
)
"""A row that names its columns, but maybe not the first."""
_RULE = re.compile(r"[\s=+-]*[=-]{3}[\s=+-]*")


class _SpacedLine(NamedTuple):
    start: int
    """Offset in the text of its first character that is not a space."""
    end: int
    cells: list[tuple[int, int]]
    """Beginning and end of each, counted from the beginning of the line."""
    has_tabs: bool = False
    """Whether tabs keep all its cells apart, as in text from a PDF, where no column needs to begin below another."""


def barred_rows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the lines with bars between cells, and of the rules below names of columns."""
    return [match.span(1) for match in _BARRED.finditer(text)]


def aligned_rows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the rows of all tables, and of the names of their columns."""
    rows: list[tuple[int, int]] = []
    block: list[_SpacedLine] = []
    for line in (*_lines(text), None):
        if line and len(line.cells) > 1:
            block.append(line)
        elif block and not (line and _goes_on(block, line)):
            rows += [(row.start, row.end) for row in _table(block)]
            block = []
    return rows


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


def _goes_on(block: Sequence[_SpacedLine], line: _SpacedLine) -> bool:
    """Tell whether a line is the second of a name in the first row: it begins below a later column."""
    return len(block) == 1 and len(line.cells) == 1 and line.cells[0][0] > block[0].cells[0][1]


def cells(row: str) -> list[str]:
    """Return the cells of a row, without the white space around them; `||` at an edge is an empty cell."""
    row = row.strip()
    if "|" not in row:
        return [cell.strip() for cell in _GAP.split(row)]
    inner = row.removeprefix("|").removesuffix("|")
    return [cell.strip().replace(r"\|", "|") for cell in _BAR.split(inner)]


def _lines(text: str) -> Iterator[_SpacedLine]:
    at = 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip()
        if body and not _RULE.fullmatch(body):
            indent = len(body) - len(body.lstrip())
            gaps = [match.span() for match in _GAP.finditer(body, indent)]
            tabs = all("\t" in body[low:high] for low, high in gaps)
            edges = [indent, *(edge for gap in gaps for edge in gap), len(body)]
            yield _SpacedLine(at + indent, at + len(body), list(zip(edges[::2], edges[1::2], strict=True)), tabs)
        elif not body:
            yield _SpacedLine(at, at, [])
        at += len(line)


def _table(block: Sequence[_SpacedLine]) -> Sequence[_SpacedLine]:
    """Return the lines of a block, if they are the rows of one table; the first may name all columns but one."""
    width = max(len(line.cells) for line in block)
    rows = [line for line in block if len(line.cells) == width]
    head, *others = block
    short = [line for line in others if line not in rows]  # such as a total without a value for each column
    if len(rows) < _FEWEST + (width == _FEWEST) or len(head.cells) < width - 1 or len(short) * 3 > len(rows):
        return []
    body = rows[1:] if len(rows) > _FEWEST else rows  # a name may be centred above its column
    has_columns = all(_is_column([row.cells[at] for row in body]) for at in range(1, width))
    table = [head, *(line for line in others if line in rows)]
    return table if has_columns or all(line.has_tabs and _is_short(line) for line in table) else []


def _is_short(line: _SpacedLine) -> bool:
    """Tell whether the cells after the first are short, unlike the second column of a page of prose."""
    return all(end - start <= _LONGEST for start, end in line.cells[1:])


def _is_column(cells: Sequence[tuple[int, int]]) -> bool:
    """Tell whether cells stand below each other: all beginnings or all ends are at the same place."""
    return any(max(edges) - min(edges) <= _SLACK for edges in zip(*cells, strict=True))
