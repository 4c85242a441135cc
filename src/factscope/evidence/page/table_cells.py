"""Tables of a page: a cell for each column that another reaches into, one row for the names of columns, whole amounts.

Without these cells a figure would slide under another column's name; with names on two rows, "2023" above "GWh" and
"%", nothing would tell the two columns apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import count, islice, pairwise, takewhile
from typing import TYPE_CHECKING

from factscope.claims.text.column_names import YEAR, has_figure
from factscope.evidence.page.visible_lines import spaced_text, text_length
from factscope.evidence.table_grid import joined_names

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_WIDEST = 100
"""Columns or rows that one cell may span, as for trafilatura."""
_MOST_FILLED = 50_000
"""Cells added to a page; a hostile page could ask for any number."""
_LONGEST_LABEL = 100
"""Characters of a cell that is repeated in the rows and columns that it spans."""
_LONGEST_LIST = 300
"""Characters of a list that is written as the text of its cell."""
_FIRST_ROWS = 9
"""Rows that tell whether those at the top are names."""

_WORD = re.compile(r"[^\W\d_]{3}")
_AMOUNT = re.compile(rf"(?!{YEAR.pattern}\Z)(?:US)?[$€£¥]?\(?[−–-]?\d[\d.,]*\)?|[—–-]")
_SIGN_SIDES = {**dict.fromkeys(("$", "US$", "€", "£", "¥"), 1), **dict.fromkeys((")", "%", ")%"), -1)}
"""Signs that may have a cell of their own, and on which side of it that of their figure is."""
_SIGNS = "//text()[string-length(normalize-space()) < 4 and normalize-space()][contains('US$€£¥)%', normalize-space())]"
"""Texts that may be such signs."""
_ICONS = frozenset({"yes", "no", "included", "not included", "available", "not available"})
"""Words for a picture in a cell. Others could say what no reader sees."""


def complete_tables(tree: HtmlElement) -> None:
    """Give each row of a table all columns, the names of columns one row, and each figure its sign.

    A label that spans columns or rows is repeated. Others leave empty cells, but none at the end of a row.
    """
    if next(tree.iter("td", "th"), None) is None:
        return
    _write_contents(tree)
    with_signs = {next(text.getparent().iterancestors("table"), None) for text in tree.xpath(_SIGNS)}
    left = _MOST_FILLED
    for table in list(tree.iter("table")):
        below: dict[int, tuple[int, str]] = {}  # for each column, the further rows that a cell above reaches into
        rows = table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
        for row in rows:
            left -= _fill_row(row, below, left)
            if left <= 0:
                return
        _join_names(rows[:_FIRST_ROWS])
        if table in with_signs:
            _join_signs(rows)


def _write_contents(tree: HtmlElement) -> None:
    """Write line breaks, the items of short lists and the words for pictures in cells as text."""
    pictures = tree.xpath("//*[not(text())][@alt or @aria-label or @title]")
    for element in [*tree.iter("br", "ol", "ul"), *pictures]:
        cell = next(element.iterancestors("td", "th"), None)
        if cell is None:
            continue
        if element.tag == "br":
            element.tail = f" {element.tail or ''}"
        elif element.tag in ("ol", "ul"):
            is_short = text_length(element) <= _LONGEST_LIST
            if is_short and next(element.iterdescendants("ol", "table", "ul"), None) is None:
                words = ", ".join(filter(None, map(spaced_text, element)))
                element.clear(keep_tail=True)
                element.text = words
                element.drop_tag()
        elif not text_length(cell):
            words = next(filter(None, map(element.get, ("alt", "aria-label", "title"))), "")
            element.tail = words if words.strip().lower() in _ICONS else element.tail


def _cells(row: HtmlElement) -> list[HtmlElement]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _short_text(cell: HtmlElement) -> str:
    """Return the text of a cell; its beginning if it is long, as a cell that holds whole tables is."""
    return " ".join("".join(islice(cell.itertext(), 2 * _LONGEST_LABEL)).split())


def _fill_row(row: HtmlElement, below: dict[int, tuple[int, str]], most: int) -> int:
    """Fill one row and update the columns that are taken; return the number of cells added."""
    cells, reaching = _cells(row), dict[int, tuple[int, str]]()
    filled: list[HtmlElement | str] = []  # cells, and the texts of those to be added
    for cell in cells:
        if below:
            filled += _reached(below, len(filled))
        wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
        label = _label(cell, is_first=not filled) if wide > 1 or high > 1 else ""
        # One at the beginning of a row may be its name, or the title of those below.
        is_group = wide > 1 and (filled or (cell.tag == "th" and sum(map(bool, map(_short_text, cells))) > 1))
        labels = [label, *[label if is_group else ""] * (wide - 1)]
        if high > 1:
            reaching |= {column: (high - 1, text) for column, text in enumerate(labels, len(filled))}
        filled += [cell, *labels[1:]]
        if len(filled) > most + len(cells):
            return most
    filled += _reached(below, len(filled))
    below |= {column: (high - 1, text) for column, (high, text) in below.items()} | reaching
    for column in [column for column, (high, _) in below.items() if not high]:
        del below[column]
    while filled and (not cells or filled[-1] == ""):
        filled.pop()
    following = None
    for content in reversed(filled):
        cell = content
        if isinstance(content, str):
            cell = row.makeelement(cells[-1].tag, {})
            cell.text = content
            row.append(cell) if following is None else following.addprevious(cell)
        following = cell
    return len(filled) - len(cells)


def _reached(below: dict[int, tuple[int, str]], column: int) -> list[str]:
    """Return the texts of a column and of those after it that cells above reach into."""
    return [below[at][1] for at in takewhile(below.__contains__, count(column))]


def _label(cell: HtmlElement, is_first: bool) -> str:
    """Return the text of a cell if it holds for all that the cell spans, as any in the first column does.

    Words and years do; a figure may be the sum of those of the columns.
    """
    text = _short_text(cell)
    holds = is_first or not has_figure(text) or _WORD.search(text)
    return text if len(text) <= _LONGEST_LABEL and holds else ""


def _span(cell: HtmlElement, name: str) -> int:
    """Return the number of columns or rows that a cell spans, and remove it, as the cells are filled in."""
    value = (cell.attrib.pop(name, "") or "").strip()
    return min(max(int(value), 1), _WIDEST) if value.isdecimal() and len(value) < _WIDEST else 1


def _join_names(rows: Sequence[HtmlElement]) -> None:
    """Join the names of columns on several rows, those of groups first, on one row; titles above them stay."""
    named = [(row, texts) for row in rows if any(texts := [*map(_short_text, _cells(row))])]
    while named and not any(named[0][1][1:]):
        del named[0]
    names, n_rows = joined_names([texts for _, texts in named], partial(_is_marked, named))
    if n_rows > 1:
        _write_row(named[0][0], names)
        for row, _ in named[1:n_rows]:
            row.getparent().remove(row)


def _is_marked(rows: Sequence[tuple[HtmlElement, list[str]]], at: int) -> bool:
    """Tell whether markup says that a row goes on with the names of columns in those above it."""
    top, (row, texts) = rows[0][1], rows[at]
    has_groups = any(left == right != "" for left, right in pairwise(top))
    if not (has_groups or texts[0] in ("", top[0])):
        return False
    cells = [cell for cell, text in zip(_cells(row), texts, strict=True) if text]
    if row.getparent().tag == "thead" or (len(cells) > 1 and all(cell.tag == "th" for cell in cells)):
        return True
    is_bold = all(any(True for _ in cell.iter("th", "b", "strong")) for cell in cells)
    return has_groups and is_bold and any(texts[1:]) and not any(map(has_figure, texts[1:]))


def _join_signs(rows: Sequence[HtmlElement]) -> None:
    """Write signs with cells of their own in those of their figures, and leave out columns that are empty by then.

    Columns below one name become one, where no row has two figures in them.
    """
    grid = [[*map(spaced_text, _cells(row))] for row in rows]
    width = max(map(len, grid))
    if width * len(rows) > _MOST_FILLED or any(True for row in rows for _ in row.iter("table")):
        return
    for texts in grid:
        texts.extend([""] * (width - len(texts)))
        for at, sign in enumerate(texts):
            side = _SIGN_SIDES.get(sign)
            others = range(at + 1, width) if side == 1 else range(at - 1, -1, -1) if side else ()
            beside = next((other for other in others if texts[other]), at)
            if side and _AMOUNT.fullmatch(texts[beside]):
                texts[beside] = sign + texts[beside] if side == 1 else texts[beside] + sign
                texts[at] = ""
    names = next((row for row, texts in enumerate(grid) if any(texts[1:])), 0)
    columns: list[list[str]] = []
    for column in map(list, zip(*grid, strict=True)):
        pairs = [*zip(columns[-1], column, strict=True)] if columns else []
        if pairs and pairs[names][0] == pairs[names][1] != "" and all(not a or not b or a == b for a, b in pairs):
            columns[-1] = [left or right for left, right in pairs]
        elif any(column):
            columns.append(column)
    for row, *texts in zip(rows, *columns, strict=True):
        _write_row(row, texts)


def _write_row(row: HtmlElement, texts: Iterable[str]) -> None:
    """Replace the cells of a row."""
    for cell in list(row):
        row.remove(cell)
    for text in texts:
        cell = row.makeelement("td", {})
        cell.text = text
        row.append(cell)
