"""Tables of plain text, whose cells only spaces or tabs keep apart.

The names of columns may stand on several lines, the first of which may name groups of columns; a rule, or a line that
introduces the rows below it, may stand between rows; and a total may lack some cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise, takewhile
from typing import NamedTuple

from factscope.claims.text.column_names import are_names, is_amount

_GAP = re.compile(r"(?<![.!?:;,]) {2,}(?=\S)|(?<=\S)\t+(?=\S)|(?<!\.) ?(?<!\. )(?:\. ?){4,}+ *(?=\S)")
"""Space or a line of dots between two cells; after the end of a sentence it is only a wide space."""
_FEWEST = 2
"""Lines of a table, without the names of its columns; with two columns, one more."""
_NAME_LINES = 3
"""Most lines with names of columns."""
_SAMPLE = 8
"""Lines at the beginning of a table that tell its columns."""
_LONGEST = 30
"""Characters of a cell after the first, where tabs keep cells apart."""
_LONGEST_LINE = 60
"""Characters of a line between rows; a longer one, or one that ends like a sentence, ends the table."""
_SLACK = 2
"""Characters by which the edges of a column may differ."""
_WORD = re.compile(r"[^\W\d_]{3}")
_RULE = re.compile(r"[\s=+-]*[=-]{3}[\s=+-]*")
_SENTENCE_END = re.compile(r"[.!?][\"”’)]?\Z")


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
    edges: list[tuple[int, int]]
    """The same as it is seen, where a tab is as wide as up to eight spaces; or the number of the column and the next,
    where each tab begins a column."""
    n_tabs: int
    """Number of tabs, if they keep all cells apart, as in text from a PDF, where no column needs to begin below
    another."""
    after_rule: bool

    def words(self) -> list[str]:
        return [self.text[start:end].strip() for start, end in self.cells]

    def row(self, cells: Sequence[str] | None = None) -> TableLine:
        return TableLine(self.start, self.end, tuple(cells or self.words()))


def aligned_tables(text: str) -> Iterator[AlignedTable]:
    """Yield the tables of a text in their order."""
    blocks: list[list[_SpacedLine]] = []  # of the same table
    block: list[_SpacedLine] = []
    for line in (*_lines(text), None):
        if line and line.cells and not _is_prose(line):
            block.append(line)
            continue
        if block and blocks and not _goes_on(blocks[0], block):
            yield from _tables(blocks)
            blocks = []
        if block:
            blocks.append(block)
        block = []
        if not line or line.cells:
            yield from _tables(blocks)
            blocks = []


def spaced_cells(row: str) -> list[str]:
    """Return the cells of a row, without the white space around them."""
    return [cell.strip() for cell in _GAP.split(row)]


def _lines(text: str) -> Iterator[_SpacedLine]:
    at = 0
    after_rule = False
    for line in text.splitlines(keepends=True):
        body = line.rstrip()
        is_rule = _RULE.fullmatch(body) is not None
        if not body:
            yield _SpacedLine(at, at, "", [], [], 0, after_rule=False)
        elif not is_rule:
            indent = len(body) - len(body.lstrip())
            gaps = [match.span() for match in _GAP.finditer(body, indent)]
            ends = [indent, *(end for gap in gaps for end in gap), len(body)]
            seen = accumulate((body[low:high] for low, high in pairwise([0, *ends])), _width, initial=0)
            cells, edges = (
                list(zip(at[::2], at[1::2], strict=True)) for at in (ends, [*seen][1:] if "\t" in body else ends)
            )
            n_tabs = line.count("\t") if all("\t" in body[low:high] for low, high in gaps) else 0
            yield _SpacedLine(at + indent, at + len(body), body, cells, edges, n_tabs, after_rule)
        after_rule = is_rule
        at += len(line)


def _width(before: int, text: str) -> int:
    """Return the width of a line up to the end of a text in it, whose tabs reach to the next multiple of eight."""
    return before // 8 * 8 + len((" " * (before % 8) + text).expandtabs())


def _tables(blocks: Sequence[Sequence[_SpacedLine]]) -> Iterator[AlignedTable]:
    """Yield the table that all blocks are; if they aren't one, the table that each is."""
    whole = _table([*chain.from_iterable(blocks)])
    yield from filter(None, [whole] if whole else map(_table, blocks))


def _goes_on(first: Sequence[_SpacedLine], block: Sequence[_SpacedLine]) -> bool:
    """Tell whether a block, with an empty line above it, has rows below the names of columns in the first one."""
    wide = [line for line in block if len(line.cells) > 1]
    if not wide or any(line.n_tabs for line in wide) or not any(map(is_amount, wide[0].words()[1:])):
        return False
    table = _table([*first[:_SAMPLE], *block])
    return bool(table and table.names and {line.start for line in wide} <= {row.start for row in table.rows})


def _is_prose(line: _SpacedLine) -> bool:
    return len(line.cells) == 1 and (len(line.text) > _LONGEST_LINE or _SENTENCE_END.search(line.text) is not None)


def _table(block: Sequence[_SpacedLine], *, may_have_names: bool = True) -> AlignedTable | None:
    """Return the table that the lines of a block are, without those with one cell; None if they are no table."""
    block = _by_tabs(block)
    wide = [line for line in block if len(line.cells) > 1]
    width = max((len(line.cells) for line in wide), default=0)
    headers = _name_lines(wide, width) if may_have_names else []
    body = wide[len(headers) :]
    full = [line for line in body if len(line.cells) == width]
    filled = [*(line for line in headers if len(line.cells) == width), *full]
    if not full or len(filled) < _FEWEST + (width == _FEWEST):
        return None
    # A name may be centred above its column.
    below = full if headers and len(full) > 1 else filled[1:] if len(filled) > _FEWEST else filled
    if not _are_columns(below, filled):
        return None
    columns = [(min(starts), max(ends)) for starts, ends in (zip(*edges, strict=True) for edges in _columns(full))]
    rows = [row for line in body if (row := _row(line, columns))]
    if (len(body) - len(rows)) * 3 > len(full):
        return None
    names = _names(_with_rest(headers, body[0], block), columns)
    if len(headers) == 1 and not are_names(names, [row.cells for row in rows], is_ruled=body[0].after_rule):
        return _table(block, may_have_names=False)
    return AlignedTable(names, tuple(line.row() for line in headers), tuple(rows))


def _by_tabs(block: Sequence[_SpacedLine]) -> Sequence[_SpacedLine]:
    """Return lines with the numbers of columns as edges, if there is a tab between any two columns; else as they are.

    Lines with fewer tabs then are below no column, as it is unclear where they lack a cell.
    """
    wide = [line for line in block if len(line.cells) > 1]
    n_tabs = max((line.n_tabs for line in wide), default=0)
    if not all(line.n_tabs for line in wide) or n_tabs != max((len(line.cells) for line in wide), default=0) - 1:
        return block
    numbered = []
    for line in block:
        between = pairwise([0, *(start for start, _ in line.cells)])
        columns = accumulate(line.text.count("\t", low, high) for low, high in between)
        numbered.append(line._replace(edges=[(at, at + 1) if line.n_tabs == n_tabs else (-1, -1) for at in columns]))
    return numbered


def _with_rest(
    headers: Sequence[_SpacedLine], first: _SpacedLine, block: Sequence[_SpacedLine]
) -> Sequence[_SpacedLine]:
    """Return the lines with names and, below them, the rest of a single name: "Hours open" above "per week"."""
    between = block[block.index(headers[0]) : block.index(first)] if headers else []
    return [line for line in between if line in headers or line.edges[0][0] > headers[0].edges[0][1]]


def _name_lines(lines: Sequence[_SpacedLine], width: int) -> Sequence[_SpacedLine]:
    """Return the lines above the first one with a figure: of several, only the last may fill all columns."""
    headers = list(takewhile(lambda line: not any(map(is_amount, line.words()[1:])), lines[: _NAME_LINES + 1]))
    if len(headers) > _NAME_LINES or any(len(line.cells) == width for line in headers[:-1]):
        headers = headers[:1]  # the others are rows of words
    elif len(headers) == 2 and _is_row_of_words(headers, [line for line in lines[2:] if len(line.cells) == width]):
        headers = headers[:1]
    return [] if len(headers) == 1 and len(headers[0].cells) < width - 1 else headers


def _is_row_of_words(headers: Sequence[_SpacedLine], rows: Sequence[_SpacedLine]) -> bool:
    """Tell whether the second line is the first row, below a name for each column but the first, as others have words.

    "Price  free  9 euros" may be below "Basic  Premium", if "Support  by mail  by phone" is below it.
    """
    above, below = headers
    has_names = bool(rows) and len(above.cells) + 1 == len(below.cells) == len(rows[0].cells)
    return has_names and any(not is_amount(word) and _WORD.search(word) for row in rows for word in row.words()[1:])


def _columns(lines: Sequence[_SpacedLine]) -> list[tuple[tuple[int, int], ...]]:
    return list(zip(*(line.edges for line in lines), strict=True))


def _are_columns(below: Sequence[_SpacedLine], filled: Sequence[_SpacedLine]) -> bool:
    """Tell whether cells stand below each other, or are short and kept apart by tabs."""
    if all(line.n_tabs for line in filled):
        return all(end - start <= _LONGEST for line in filled for start, end in line.cells[1:])
    return all(map(_is_column, _columns(below)[1:]))


def _is_column(cells: Sequence[tuple[int, int]]) -> bool:
    """Tell whether all beginnings or all ends of cells are at the same place."""
    return any(max(edges) - min(edges) <= _SLACK for edges in zip(*cells, strict=True))


def _row(line: _SpacedLine, columns: Sequence[tuple[int, int]]) -> TableLine | None:
    """Return a line as a row, with empty cells where it has none; None if a cell is in no column, or two are in one."""
    if len(line.cells) == len(columns):
        return line.row()
    cells = [""] * len(columns)
    for edges, word in zip(line.edges, line.words(), strict=True):
        at = next((at for at, column in enumerate(columns) if not cells[at] and _overlap(edges, column)), None)
        if at is None:
            return None
        cells[at] = word
    return line.row(cells)


def _names(lines: Sequence[_SpacedLine], columns: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the names of columns: of each line, the cell above the column; empty if it isn't clear which one."""
    names = [""] * len(columns) if lines else []
    for line in lines:
        if (above := _above(line, lines, columns)) is None:
            return ()
        names = [f"{name} {word}".strip() for name, word in zip(names, above, strict=True)]
    return tuple(names) if len(lines) == 1 or len({*names[1:]}) == len(names[1:]) else ()


def _above(line: _SpacedLine, lines: Sequence[_SpacedLine], columns: Sequence[tuple[int, int]]) -> Sequence[str] | None:
    """Return the cell of a line with names that is above each column; None if a cell is above no column."""
    words = line.words()
    if len(lines) == 1 or len(words) == len(columns):
        row = _row(line, columns)
        return row.cells if row else ["", *words]
    below = lines[-1].words()[len(lines[-1].cells) - len(columns) + 1 :]
    times, remainder = divmod(len(columns) - 1, len(words))
    if line is not lines[-1] and times > 1 and not remainder and below == below[:times] * len(words):
        return ["", *(word for word in words for _ in range(times))]  # each group has the same columns
    above = [
        next((word for edges, word in zip(line.edges, words, strict=True) if _overlap(edges, column)), "")
        for column in columns
    ]
    return above if {*words} <= {*above} else None


def _overlap(edges: tuple[int, int], column: tuple[int, int]) -> bool:
    return edges[0] < column[1] and column[0] < edges[1]
