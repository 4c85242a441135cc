"""Names of columns, as opposed to the first entry of a list without any: "Monday  closed" above "Tuesday  9 - 17"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"(?<![A-Z])\d")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ENTRY_BEGINNINGS = tuple(
    map(re.compile, (r".*:\Z", r"\W*\d", r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b"))
)
"""First cells of entries: with a colon, a figure, a weekday."""


def are_entries(first: str, below: str) -> bool:
    """Tell whether two rows begin with cells of a kind that names of columns are not."""
    return any(kind.match(first) and kind.match(below) for kind in _ENTRY_BEGINNINGS)


def are_names(names: Sequence[str], rows: Sequence[Sequence[str]], *, is_ruled: bool) -> bool:
    """Tell whether a line names the columns of the rows below it; a rule between them is no proof for two columns.

    The names have no figures but years, or "40 mg" above a figure with fewer letters. The second of two has none at
    all, and is above figures of one unit: "Founded  1987" may be above "Employees  1,250".
    """
    if are_entries(names[0], rows[0][0]):
        return False
    if len(names) == 2:
        values = [row[1] for row in rows if _LETTER.search(row[1]) or _FIGURE.search(row[1])]
        if is_ruled:
            return _FIGURE.search(names[1]) is None or all(map(_FIGURE.search, values))
        units = {"".join(_LETTER.findall(value)) for value in values}
        return _FIGURE.search(names[1]) is None and all(map(_FIGURE.search, values)) and len(units) == 1
    return is_ruled or not any(
        _FIGURE.search(_YEAR.sub("", name)) and len(_LETTER.findall(name)) <= len(_LETTER.findall(cell))
        for name, cell in zip(names, rows[0], strict=True)
    )
