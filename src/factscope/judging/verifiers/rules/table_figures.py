"""Figures of tables and the dates of their rows and columns, as comparisons need them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factscope.claims.text.terms import term, words
from factscope.core.records import Span
from factscope.judging.verifiers.wording.analysis import CURRENCY_SIGNS, TEMPERATURES
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.table_rows import CURRENCY_KEYS, WORD_LISTS, TableCell, TableRow, number_of

_TOTALS, _OUTLAYS = (stems_of(WORD_LISTS[name]) for name in ("totals", "outlays"))
_YEAR_KEY = re.compile(r"=(?:1[5-9]|20)\d\d")
_MINUS = ("-", "−", "–", "(")
_MONTHS = 12


class TableFigure(NamedTuple):
    """A figure of a table, with the name of its row, or of its column where two columns are compared."""

    name: str
    value: str
    span: Span
    amount: float
    kind: tuple[str, str]
    """Kind and unit of the figure."""


def without_totals(rows: Sequence[TableRow]) -> list[TableRow]:
    """Return the rows about one thing each, and not about all or some of them together."""
    return [row for row in rows if _TOTALS.isdisjoint(map(term, words(row.cells[0].value.lower())))]


def figure_in(row: TableRow, column: str) -> TableFigure | None:
    """Return the figure of a row in a column, if it has one."""
    cell = next((cell for cell in row.cells[1:] if cell.column == column), None)
    return figure_of(row, cell, row.cells[0].value) if cell else None


def figure_of(row: TableRow, cell: TableCell, name: str) -> TableFigure | None:
    """Return a figure; none below zero but temperatures, since a rise of a loss may be meant either way."""
    item = number_of(cell)
    if item is None:
        return None
    amount = item.amount
    if cell.value.startswith(_MINUS) and item.unit in TEMPERATURES:
        amount = -amount
    elif cell.value.startswith(_MINUS) and not any(word.key in _OUTLAYS for word in row.cells[0].items):
        return None
    kind = "percent" if item.kind == "percent" else "count"  # 1930 inhabitants look like a year
    return TableFigure(name, cell.value, cell.line, amount, (kind, item.unit or _currency(cell)))


def _currency(cell: TableCell) -> str:
    """Return the currency of an amount, as written."""
    names = (item.key for item in cell.items if item.key in CURRENCY_KEYS)
    return next((sign for sign in CURRENCY_SIGNS if sign in cell.value), next(names, ""))


def dates_of(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys of years and months."""
    return frozenset(key for key in keys if key.startswith("month ") or _YEAR_KEY.fullmatch(key))


def month_of(keys: Iterable[str]) -> int | None:
    """Return the number of the month of a date, counted through the years; None without a year."""
    dates = dates_of(keys)
    years = [int(key.lstrip("=")) for key in dates if not key.startswith("month ")]
    months = [int(key.removeprefix("month ")) for key in dates if key.startswith("month ")]
    return years[0] * _MONTHS + (months or [0])[0] if years else None
