"""Text and tables in Markdown: outside text shows as it is, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from factscope.report.document import Block, Paragraph, Table, Title
from factscope.report.wording import one_line

# Characters that Markdown or its dialects read as markup inside a line, and those that count only at its start. The
# colon and the points of an address keep it from becoming a link.
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~$#!@^]|(?<=[a-zA-Z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_LINE_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")
_RULES = {"l": "---", "r": "--:"}


def escaped(text: str) -> str:
    """One line of Markdown that shows `text` as it is."""
    return _LINE_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", in_cell(text))


def in_cell(text: str) -> str:
    """Return `text` for the cell of a table, which needs no care for the start of a line."""
    return _MARKUP.sub(lambda match: "\\" + match[0], one_line(text))


def table_lines(heads: Iterable[str], rows: Iterable[Iterable[str]], align: str) -> Iterator[str]:
    """Write a table of cells that are Markdown; `align` has an `l` or `r` for each column."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(_RULES[letter] for letter in align)}|"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"


def to_markdown(blocks: Iterable[Block]) -> str:
    """Write a result as Markdown, its titles in bold, so that it can stand below any heading."""
    return "\n\n".join("\n".join(_lines(block)) for block in blocks) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Title(text):
            yield f"**{escaped(text)}**"
        case Paragraph(text):
            yield escaped(text)
        case Table():
            rows = (map(in_cell, row) for row in block.rows)
            yield from table_lines(map(in_cell, block.heads), rows, block.alignment)
