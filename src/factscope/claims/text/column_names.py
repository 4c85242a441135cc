"""Names of columns, as opposed to the first entry of a list without any: "Monday  closed" above "Tuesday  9 - 17".

Wrong names make every row false: where it is not certain that the first row has names, the table is read without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

YEAR = re.compile(r"\b(?:FY ?)?(?:1[5-9]|20)\d\d(?:\s?[-–/]\s?(?:\d\d){1,2})?\b")
"""May name a column or a row, as no other figure does: "2024", "2023/24", "FY2024"."""
_DATE = re.compile(rf"(?:\b\d\d?\b\D{{1,20}})?{YEAR.pattern}")
_SCALE = re.compile(r"\b000s?\b")
"""As in "£'000"."""
_FIGURE = re.compile(r"(?<![A-Za-z])\d")
"""Not that of "Q1", "CO2" or "m2"."""
_LETTER = re.compile(r"[^\W\d_]")
_AMOUNT = re.compile(r"[(+−–-]?\d[\d.,’' ]*(?:[-–] ?\d[\d.,]*(?![\d–-]))?\)?")
"""A figure or a range of two, but not a date such as 2024-03-01."""
_SAMPLE = 8
"""Rows that tell whether the first one is like those below it."""
_ENTRY_BEGINNINGS = tuple(
    map(re.compile, (r".*:\Z", r"\W*\d", r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b"))
)
"""First cells of entries: with a colon, a figure, a weekday."""


def has_figure(cell: str) -> bool:
    """Tell whether a cell has a figure other than a year, a date or a scale, such as "£'000"."""
    return _FIGURE.search(_SCALE.sub("", _DATE.sub("", cell))) is not None


def is_amount(cell: str) -> bool:
    """Tell whether a cell has nothing but a figure that is not a year, maybe with a sign or a currency's symbol."""
    return has_figure(cell) and not _LETTER.search(cell)


def is_label(cell: str) -> bool:
    """Tell whether a cell has a text or a year, so that it may name a column, or a row below the same first cell."""
    return bool(cell) and not has_figure(cell)


def are_entries(first: str, below: str) -> bool:
    """Tell whether two rows begin with cells of a kind that names of columns are not: "Room 1" above "Room 2"."""
    alike = _shape(first) == _shape(below) != ""
    return alike or any(kind.match(first) and kind.match(below) for kind in _ENTRY_BEGINNINGS)


def are_names(names: Sequence[str], rows: Sequence[Sequence[str]], *, is_ruled: bool, of_texts: bool = False) -> bool:
    """Tell whether a row names the columns of the rows below it; a rule between them is no proof for two columns.

    The names have no figures but years, or "40 mg" above a figure with fewer letters. The second of two has none at
    all, and is above figures of one unit: "Founded  1987" may be above "Employees  1,250". With `of_texts`, as in a
    sheet, whose first row nearly always has names, it may be above texts, and "Sales 2024" above figures.
    """
    are_years = all(map(YEAR.fullmatch, names)) and not any(YEAR.fullmatch(row[0]) for row in rows[:1])
    if not are_years and any(are_entries(names[0], row[0]) for row in rows[:1]):
        return False
    if len(names) == 2:
        return _is_second_name(names[1], [row[1] for row in rows if row[0] != row[1]], is_ruled, of_texts)
    columns = zip_longest(names, *rows[:_SAMPLE], fillvalue="")
    return is_ruled or not any(_is_entry(name, cells) for name, *cells in columns)


def _is_entry(first: str, below: Sequence[str]) -> bool:
    """Tell whether the first cell of a column is like those below it: a figure, or a date above dates."""
    if _DATE.fullmatch(first):
        return bool(below) and all(map(_DATE.fullmatch, below))
    return has_figure(first) and len(_LETTER.findall(first)) <= len(_LETTER.findall("".join(below[:1])))


def _is_second_name(name: str, cells: Sequence[str], is_ruled: bool, of_texts: bool) -> bool:
    """Tell whether a cell names the second of two columns, with these cells below it."""
    shapes = {_shape(cell) for cell in cells if any(map(str.isalnum, cell))}
    if is_ruled:
        return not _FIGURE.search(name) or "" not in shapes
    is_apart = not cells or (of_texts and shapes <= {""}) or (len(shapes) == 1 and not shapes & {"", _shape(name)})
    is_name = of_texts and not has_figure(name) and _LETTER.search(name)
    return is_apart and bool(is_name or not _FIGURE.search(name))


def _shape(cell: str) -> str:
    """Return a cell with a zero for each amount; empty if it has no figure."""
    return _AMOUNT.sub("0", cell).replace(" ", "") if _FIGURE.search(cell) else ""
