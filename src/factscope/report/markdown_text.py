"""Text and tables in Markdown; outside text is escaped, so that it is shown literally."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from factscope.report.document import Block, Paragraph, Points, Table, Title
from factscope.report.wording import one_line

# Characters that Markdown or its dialects read as markup inside a line, and those that count only at its start.
# Escaping the colon and the dots of an address keeps it from becoming a link.
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~$#!@^]|(?<=[a-zA-Z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_LINE_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")
_RULES = {"l": "---", "r": "--:"}


def escaped(text: str) -> str:
    """Return one line of Markdown that shows `text` as it is."""
    return _LINE_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", in_cell(text))


def in_cell(text: str) -> str:
    """Return `text` for the cell of a table, without the escapes needed only at the start of a line."""
    return _MARKUP.sub(lambda match: "\\" + match[0], one_line(text))


def table_lines(heads: Iterable[str], rows: Iterable[Iterable[str]], align: str) -> Iterator[str]:
    """Write a table of cells that are Markdown; `align` has an `l` or `r` for each column."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(_RULES[letter] for letter in align)}|"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"


def blocks_to_markdown(blocks: Iterable[Block], *, headings: bool = False) -> str:
    """Write a result as Markdown, with its titles as headings, or in bold so that it can be put below any heading."""
    return "\n\n".join("\n".join(_lines(block, headings=headings)) for block in blocks) + "\n"


def _lines(block: Block, *, headings: bool) -> Iterator[str]:
    match block:
        case Title(text, level):
            yield f"{'#' * level} {escaped(text)}" if headings else f"**{escaped(text)}**"
        case Paragraph(text, warns):
            yield f"> {escaped(text)}" if warns else escaped(text)
        case Points(points):
            for point in points:
                first, *more = point.split("\n")
                yield f"- {escaped(first)}"
                yield from (f"    - {escaped(line)}" for line in more)
        case Table():
            rows = (map(_in_one_line, row) for row in block.rows)
            yield from table_lines(map(in_cell, block.titles), rows, block.alignment)


def _in_one_line(cell: str) -> str:
    """Return a cell on one line, with the line below its value in brackets."""
    value, *more = map(in_cell, cell.split("\n"))
    return f"{value} ({'; '.join(more)})" if more else value
