"""Names of columns, as opposed to the first entry of a list without any: "Monday  closed" above "Tuesday  9 - 17".

Wrong names make every row false: where it is not certain that the first row has names, the table is read without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest

YEAR = re.compile(r"\b(?:FY ?)?(?:1[5-9]|20)\d\d(?:\s?[-–/]\s?(?:\d\d){1,2})?\b")
"""May name a column or a row, as no other figure does: "2024", "2023/24", "FY2024"."""
_DATE = re.compile(rf"(?:\b\d\d?\b\D{{1,20}})?{YEAR.pattern}")
_DAY = re.compile(r"\d\d?([./-])\d\d?\1(?:1[5-9]|20)\d\d|(?:1[5-9]|20)\d\d-\d\d-\d\d")
"""As in a balance sheet: "31.12.2024"."""
_SCALE = re.compile(r"\b000s?\b")
"""As in "£'000"."""
_FIGURE = re.compile(r"(?<![A-Za-z])\d")
"""Not that of "Q1", "CO2" or "m2"."""
_LETTER = re.compile(r"[^\W\d_]")
_AMOUNT = re.compile(r"[(+−–-]?\d[\d.,’' ]*(?:[-–] ?\d[\d.,]*(?![\d–-]))?\)?")
"""A figure or a range of two, but not a date such as 2024-03-01."""
_NUMBERED = re.compile(r"(?P<words>[A-Z]\D*[a-z]) (?P<number>\d{1,3})")
"""One of a series: "Room 1", "Kite 3"; not "EUR 500"."""
_RANGE = re.compile(r"(?P<first>\d{1,3}) ?(?:[-–] ?(?P<last>\d{1,3})|[+])")
"""One of a series of ages: "18–64", "65+"."""
_SAMPLE = 8
"""Rows that tell whether the first one is like those below it."""
_FEWEST_COUNTED = 3
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
    """Tell whether a row names the columns of the rows below it; with two columns, a line between them proves nothing.

    The names have no figures but years, days above amounts, numbers from 1 on, or "40 mg" above a figure with fewer
    letters. The second of two has none at all, and is above figures of one unit: "Founded  1987" may be above
    "Employees  1,250". With `of_texts`, as in a sheet, whose first row nearly always has names, it may be above texts,
    and "Sales 2024" above figures.
    """
    are_years = all(map(YEAR.fullmatch, names)) and not any(YEAR.fullmatch(row[0]) for row in rows[:1])
    if not are_years and any(are_entries(names[0], row[0]) for row in rows[:1]):
        return False
    if len(names) == 2:
        return _is_second_name(names[1], [row[1] for row in rows if row[0] != row[1]], is_ruled, of_texts)
    columns = [*zip_longest(names, *rows[:_SAMPLE], fillvalue="")]
    if is_ruled or _are_counted(names, rows):
        return True
    numbered = [column for column in columns[1:] if has_figure(column[0])]
    if _are_numbered(numbered):
        columns = [column for column in columns if column not in numbered]
    are_days = any(_DAY.fullmatch(left) and _DAY.fullmatch(right) for left, right in pairwise(names))
    return not any(_is_entry(name, cells, are_days) for name, *cells in columns)


def _are_numbered(columns: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first cells of columns count on, and no cell below is like them: "Room 1" and "Room 2"."""
    first, below = [column[0] for column in columns], [cell for column in columns for cell in column[1:]]
    if len(first) < 2 or {*map(_shape, below)} & {*map(_shape, first)} - {"0"}:
        return False
    ranges = [match for match in map(_RANGE.fullmatch, first) if match]
    if len(ranges) == len(first):
        count_on = all(
            left["last"] and int(left["last"]) + 1 == int(right["first"]) for left, right in pairwise(ranges)
        )
        return count_on and not any(map(_RANGE.fullmatch, below))
    matches = [match for match in map(_NUMBERED.fullmatch, first) if match]
    numbers = [int(match["number"]) for match in matches]
    is_one = len(matches) == len(first) and len({match["words"] for match in matches}) == 1
    return is_one and all(left < right for left, right in pairwise(numbers))


def _are_counted(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether names go on from 1: "Round  1  2  3  Total", which no row below does; without the first, "1  2"."""
    places = [at for at, name in enumerate(names) if at and has_figure(name)]
    counted = list(map(str, range(1, len(places) + 1)))
    below = [["".join(row[at : at + 1]) for at in places] for row in rows[:_SAMPLE]]
    is_long = len(places) >= (_FEWEST_COUNTED if names[0] else 2)
    return is_long and [names[at] for at in places] == counted and any(map(any, below)) and counted not in below


def _is_entry(first: str, below: Sequence[str], are_days: bool) -> bool:
    """Tell whether the first cell of a column is like those below it: a figure, or a date above dates.

    If `are_days`, there are two days beside each other, which may name columns of amounts.
    """
    if are_days and _DAY.fullmatch(first):
        amounts = [cell for cell in below if any(map(str.isalnum, cell))]
        return not amounts or not all(is_amount(cell) and not _DAY.fullmatch(cell) for cell in amounts)
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
