"""Rows of a CSV file, read past those that are broken: evidence and labelled data sets are read alike."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from factscope.core import NOT_UTF8, many
from factscope.evidence.decode import SURROGATE


class CsvRecord(NamedTuple):
    """A row with content, or lines that are not CSV."""

    line: int
    """Its first line, from 1."""
    cells: list[str]
    """Empty for lines that are not CSV."""
    source: str
    """Its text in the file."""
    problem: str = ""
    """Why it can't be used, worded as the end of a sentence; empty when it can."""
    lost: bool = False
    """Whether it may hold several rows: a quote without its end takes all lines up to the next quote."""


def csv_records(lines: Iterator[str | None], too_long: str = "", delimiter: str | None = None) -> Iterator[CsvRecord]:
    """Yield the rows of a file with these lines; None stands for a line that is `too_long`.

    The first row with cells has the column names. Without `delimiter`, it is the most frequent of comma, semicolon, tab
    and bar in the first line that is not blank. A blank after each delimiter there is not part of a cell.
    """
    ahead: list[str | None] = []
    for line in lines:
        ahead.append(line)
        if line is None or line.strip():
            break
    head = (ahead or [""])[-1] or ""
    delimiter = delimiter or max(",;\t|", key=lambda mark: (head.count(mark), mark == ","))
    names = head.split(delimiter)[1:]
    is_spaced = bool(names) and all(name.startswith(" ") for name in names)
    read: list[str] = []

    def noted(line: str | None) -> str:
        read.append(line or "")
        if line is None:
            raise csv.Error(too_long)
        return line

    # Not a generator, because it must continue after a line that is too long.
    reader = csv.reader(map(noted, chain(ahead, lines)), delimiter=delimiter, strict=True, skipinitialspace=is_spaced)
    last = width = 0
    while True:
        read.clear()
        cells: list[str] = []
        problem = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # Between tabs, few programs put quotes around a cell: they are part of the text.
            cells = read[0].rstrip("\r\n").split(delimiter) if delimiter == "\t" and len(read) == 1 else []
            if len(cells) != width or not any(cells):
                cells, problem = [], f"is not CSV: {error}"
        first, last = last + 1, last + len(read)
        if lost := bool(problem) and last > first:
            lines_lost = f"is not CSV up to line {last:,}, and all rows in between are lost"
            problem = problem.replace("is not CSV", lines_lost, 1) + "; a quote that opens here may lack its end"
        if problem or any(map(str.strip, cells)):
            width = width or len(cells)
            yield CsvRecord(first, cells, "".join(read), problem or _fault(cells, width), lost)


def _fault(cells: list[str], width: int) -> str:
    if any(not cell.isascii() and SURROGATE.search(cell) for cell in cells):
        return NOT_UTF8
    if len(cells) > width:
        return f"has {many(len(cells), 'cell')} under {many(width, 'column')}; put quotes around text with commas"
    return ""
