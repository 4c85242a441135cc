"""Tables of plain text, whose cells only spaces or tabs keep apart.

The names of columns may stand on several lines, the first of which may name groups of columns; a rule, or a line that
introduces the rows below it, may stand between rows; and a total may lack some cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

_GAP = re.compile(r"(?<![.!?:;,]) {2,}(?=\S)|(?<=\S)\t+(?=\S)")
"""Space between two cells; after the end of a sentence it is only a wide space."""
_FEWEST = 2
"""Lines of a table, without the names of its columns; with two columns, one more."""
_NAME_LINES = 3
"""Most lines with names of columns."""
_LONGEST = 30
"""Characters of a cell after the first, where tabs keep cells apart."""
_LONGEST_LINE = 60
"""Characters of a line between rows; a longer one, or one that ends like a sentence, ends the table."""
_SLACK = 2
"""Characters by which the edges of a column may differ."""
_RULE = re.compile(r"[\s=+-]*[=-]{3}[\s=+-]*")
_SENTENCE_END = re.compile(r"[.!?][\"”’)]?\Z")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:\s?[-–/]\s?(?:\d\d){1,2})?")
_NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*%?")


class TableLine(NamedTuple):
    """A row, with its offsets in the text."""

    start: int
    """That of its first character that is not a space."""
    end: int
    cells: tuple[str, ...]


class AlignedTable(NamedTuple):
    """The rows of a table, and the names of its columns."""

    names: tuple[str, ...]
    """One for each cell of a row, "" for a column without one; empty if no line has names."""
    name_lines: tuple[TableLine, ...]
    rows: tuple[TableLine, ...]


class _SpacedLine(NamedTuple):
    start: int
    end: int
    text: str
    cells: list[tuple[int, int]]
    """Beginning and end of each, counted from the beginning of the line."""
    has_tabs: bool
    """Whether tabs keep all its cells apart, as in text from a PDF, where no column needs to begin below another."""

    def words(self) -> list[str]:
        return [self.text[start:end].strip() for start, end in self.cells]

    def row(self, cells: Sequence[str] | None = None) -> TableLine:
        return TableLine(self.start, self.end, tuple(cells or self.words()))


def aligned_tables(text: str) -> Iterator[AlignedTable]:
    """Yield the tables of a text in their order."""
    block: list[_SpacedLine] = []
    for line in (*_lines(text), None):
        if line and line.cells and not _is_prose(line):
            block.append(line)
            continue
        if table := _table(block):
            yield table
        block = []


def spaced_cells(row: str) -> list[str]:
    """Return the cells of a row, without the white space around them."""
    return [cell.strip() for cell in _GAP.split(row)]


def _lines(text: str) -> Iterator[_SpacedLine]:
    at = 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip()
        if not body:
            yield _SpacedLine(at, at, "", [], has_tabs=False)
        elif not _RULE.fullmatch(body):
            indent = len(body) - len(body.lstrip())
            gaps = [match.span() for match in _GAP.finditer(body, indent)]
            tabs = all("\t" in body[low:high] for low, high in gaps)
            edges = [indent, *(edge for gap in gaps for edge in gap), len(body)]
            cells = list(zip(edges[::2], edges[1::2], strict=True))
            yield _SpacedLine(at + indent, at + len(body), body, cells, tabs)
        at += len(line)


def _is_prose(line: _SpacedLine) -> bool:
    return len(line.cells) == 1 and (len(line.text) > _LONGEST_LINE or _SENTENCE_END.search(line.text) is not None)


def _table(block: Sequence[_SpacedLine]) -> AlignedTable | None:
    """Return the table that the lines of a block are, without those with one cell; None if they are no table."""
    wide = [line for line in block if len(line.cells) > 1]
    width = max((len(line.cells) for line in wide), default=0)
    headers = _name_lines(wide, width)
    body = wide[len(headers) :]
    full = [line for line in body if len(line.cells) == width]
    filled = [*(line for line in headers if len(line.cells) == width), *full]
    if not full or len(filled) < _FEWEST + (width == _FEWEST):
        return None
    # A name may be centred above its column.
    below = full if headers and len(full) > 1 else filled[1:] if len(filled) > _FEWEST else filled
    if not _are_columns(below, filled):
        return None
    columns = [(min(starts), max(ends)) for starts, ends in (zip(*cells, strict=True) for cells in _columns(full))]
    rows = [row for line in body if (row := _row(line, columns))]
    if (len(body) - len(rows)) * 3 > len(full):
        return None
    names = _names(_with_rest(headers, body[0], block), columns)
    return AlignedTable(names, tuple(line.row() for line in headers), tuple(rows))


def _with_rest(
    headers: Sequence[_SpacedLine], first: _SpacedLine, block: Sequence[_SpacedLine]
) -> Sequence[_SpacedLine]:
    """Return the lines with names and, below them, the rest of a single name: "Hours open" above "per week"."""
    between = block[block.index(headers[0]) : block.index(first)] if headers else []
    return [line for line in between if line in headers or line.cells[0][0] > headers[0].cells[0][1]]


def _name_lines(lines: Sequence[_SpacedLine], width: int) -> Sequence[_SpacedLine]:
    """Return the lines above the first one with a figure: of several, only the last may fill all columns."""
    headers = list(takewhile(lambda line: not any(map(_is_figure, line.words()[1:])), lines[: _NAME_LINES + 1]))
    if len(headers) > _NAME_LINES or any(len(line.cells) == width for line in headers[:-1]):
        headers = headers[:1]  # the others are rows of words
    return [] if len(headers) == 1 and len(headers[0].cells) < width - 1 else headers


def _is_figure(cell: str) -> bool:
    return _NUMBER.fullmatch(_YEAR.sub("", cell)) is not None


def _columns(lines: Sequence[_SpacedLine]) -> list[tuple[tuple[int, int], ...]]:
    return list(zip(*(line.cells for line in lines), strict=True))


def _are_columns(below: Sequence[_SpacedLine], filled: Sequence[_SpacedLine]) -> bool:
    """Tell whether cells stand below each other, or are short and kept apart by tabs."""
    if all(map(_is_column, _columns(below)[1:])):
        return True
    return all(line.has_tabs and all(end - start <= _LONGEST for start, end in line.cells[1:]) for line in filled)


def _is_column(cells: Sequence[tuple[int, int]]) -> bool:
    """Tell whether all beginnings or all ends of cells are at the same place."""
    return any(max(edges) - min(edges) <= _SLACK for edges in zip(*cells, strict=True))


def _row(line: _SpacedLine, columns: Sequence[tuple[int, int]]) -> TableLine | None:
    """Return a line as a row, with empty cells where it has none; None if a cell is in no column, or two are in one."""
    if len(line.cells) == len(columns):
        return line.row()
    cells = [""] * len(columns)
    for cell, word in zip(line.cells, line.words(), strict=True):
        at = next((at for at, column in enumerate(columns) if not cells[at] and _overlap(cell, column)), None)
        if at is None:
            return None
        cells[at] = word
    return line.row(cells)


def _names(lines: Sequence[_SpacedLine], columns: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the names of columns: of each line, the cell above the column."""
    names = [""] * len(columns) if lines else []
    for line in lines:
        words = line.words()
        if len(lines) == 1 or len(words) == len(columns):
            above: Sequence[str] = words if len(words) == len(columns) else ["", *words]
        else:
            above = [
                next((word for cell, word in zip(line.cells, words, strict=True) if _overlap(cell, column)), "")
                for column in columns
            ]
        names = [f"{name} {word}".strip() for name, word in zip(names, above, strict=True)]
    return tuple(names)


def _overlap(cell: tuple[int, int], column: tuple[int, int]) -> bool:
    return cell[0] < column[1] and column[0] < cell[1]
