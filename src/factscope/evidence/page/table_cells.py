"""Tables of a page: empty cells where others reach into their place, and one row for the names of the columns.

Without the empty cells a figure would slide under another column's name; with names on two rows, "2023" above "GWh" and
"%", nothing would tell the two columns apart.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from factscope.evidence.page.visible_lines import spaced_text, text_length

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_WIDEST = 100
"""Columns or rows that one cell may span, as for trafilatura."""
_MOST_FILLED = 50_000
"""Empty cells added to a page; a hostile page could ask for any number."""


_NAME_ROWS = 2


def fill_spans(tree: HtmlElement) -> None:
    """Put empty cells where a table's cells reach into other columns and rows, so that each row has all columns.

    None are added at the end of a row. Names of columns on two rows, those of groups first, are joined on one.
    """
    left = _MOST_FILLED
    for table in list(tree.iter("table")):
        below: dict[int, int] = {}  # for each column, the number of further rows that a cell above reaches into
        rows = table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
        has_groups = bool(rows) and any(cell.get("colspan", "1") != "1" for cell in rows[0])
        for row in rows:
            left -= _fill_row(row, below, left)
            if left <= 0:
                return
        if has_groups and len(rows) > _NAME_ROWS and all(map(_has_names, rows[:_NAME_ROWS])):
            _join_names(*rows[:_NAME_ROWS])


def _has_names(row: HtmlElement) -> bool:
    """Tell whether a row has names of columns and nothing else."""
    is_head = row.getparent().tag == "thead"
    cells = [cell for cell in row if cell.tag in ("td", "th") and text_length(cell)]
    return bool(cells) and (is_head or all(cell.tag == "th" for cell in cells))


def _join_names(groups: HtmlElement, names: HtmlElement) -> None:
    """Write the name of each group in front of its columns' names, and remove the row of these."""
    tops, lows = ([spaced_text(cell) for cell in row if cell.tag in ("td", "th")] for row in (groups, names))
    joined, group = list[str](), ""
    for top, low in zip_longest(tops, lows, fillvalue=""):
        group = top or group
        joined.append(f"{group} {low}".strip() if low else top)
    for child in list(groups):
        groups.remove(child)
    for name in joined:
        cell = groups.makeelement("th", {})
        cell.text = name
        groups.append(cell)
    names.getparent().remove(names)


def _fill_row(row: HtmlElement, below: dict[int, int], most: int) -> int:
    """Fill one row and update the columns that are taken; return the number of cells added."""
    column = added = missing = 0
    taken, reaching = set(below), dict[int, int]()
    for cell in [child for child in row if child.tag in ("td", "th")]:
        while column in taken:
            column, missing = column + 1, missing + 1
        for _ in islice(range(missing), most - added):
            cell.addprevious(row.makeelement("td", {}))
            added += 1
        wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
        if high > 1:
            reaching |= dict.fromkeys(range(column, column + wide), high - 1)
        column, missing = column + wide, wide - 1
    for at in taken:
        below[at] -= 1
        if not below[at]:
            del below[at]
    below |= reaching
    return added


def _span(cell: HtmlElement, name: str) -> int:
    """Return the number of columns or rows that a cell spans, and remove it, as the cells are filled in."""
    value = (cell.attrib.pop(name, "") or "").strip()
    return min(max(int(value), 1), _WIDEST) if value.isdecimal() and len(value) < _WIDEST else 1
