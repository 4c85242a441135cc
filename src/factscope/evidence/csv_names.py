"""The beginning of a CSV file as people save it: a title or a comment, then the names of columns, maybe on two rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from itertools import pairwise, zip_longest

_LOOKED_AT = 6
"""Lines at the beginning, among them the names of the columns and the first row."""
_FEWEST = 3
"""Columns below a title in the first line; with two, it may be the name of a single column of texts with commas."""
_FIGURE = re.compile(r"\d")


def title_lines(lines: Sequence[str], text_columns: Collection[str]) -> int:
    """Count the lines above the names of the columns: titles and comments, which fill one cell.

    None of them is one of `text_columns`, names of a column that may be a file's only one.
    """
    filled = [(at, line) for at, line in enumerate(lines[:_LOOKED_AT]) if line.strip()]
    for (at, line), (_, below) in pairwise(filled):
        delimiter = max(",;\t|", key=lambda mark: (line.count(mark), mark == ","))
        names = _cells(line, delimiter)
        if len(list(filter(None, names))) < 2 or len(_cells(below, delimiter)) != len(names):
            continue
        above = [title for before, title in filled if before < at]
        return at if all(_is_title(title, delimiter, len(names), text_columns) for title in above) else 0
    return 0


def joined_names(groups: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """Return names of columns with those of their groups in front; None if the second row has no names.

    A group's name stands above its first column: ",2023,,Cost" above "Source,GWh,%,EUR".
    """
    from_group = groups[next((at for at, name in enumerate(groups) if at and name), len(groups)) :]
    if all(from_group) or not all(names[1:]) or len(names) < len(groups) or any(map(_FIGURE.search, names)):
        return None
    joined, group = list[str](), ""
    for top, low in zip_longest(groups, names, fillvalue=""):
        group = top or group
        joined.append(f"{group} {low}".strip())
    return joined


def _is_title(line: str, delimiter: str, n_columns: int, text_columns: Collection[str]) -> bool:
    if line.startswith("#"):
        return True
    row = _cells(line, delimiter)
    texts = list(filter(None, row))
    return len(texts) == 1 and (len(row) > 1 or n_columns >= _FEWEST) and texts[0].lower() not in text_columns


def _cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line; one if it is no complete row."""
    try:
        return [cell.strip() for cell in next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter, strict=True), [])]
    except csv.Error:
        return [line.strip()]
