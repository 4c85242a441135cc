"""Rows of text files: JSON lines, a JSON array, CSV and similar formats. Each is read once from start to end."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from gzip import GzipFile
from io import BufferedReader
from typing import Any

from factscope.benchmarks.datasets.io.row import BadRow, ResponseRow
from factscope.core import InputError, json_object
from factscope.evidence.csv_records import csv_records

LONGEST_ROW = 64 * 2**20
"""Bytes of a row; a longer one is skipped, so that a file without line ends does not fill the memory."""

_TOO_LONG = f"is longer than {LONGEST_ROW >> 20} MB"
_CHUNK = 1 << 20  # bytes read at once
_EXPORTS = (("results", "results"), ("testCases",))
"""Paths to the rows in the output of `promptfoo eval --output`, and in a saved test run of DeepEval."""
_EXPORT_MARKS = (b'"results"', b'"testCases"')
"""Bytes that occur in every such export."""
_MARKS = re.compile(rb'["\[\]{},]')
_MARKS_IN_STRING = re.compile(rb'["\\]')


ByteStream = BufferedReader | GzipFile
"""An open file, whose next bytes can be looked at."""


def json_rows(file: ByteStream) -> Iterator[ResponseRow | BadRow]:
    """Yield the objects of a JSON array, those on the lines of the file, or those of an export.

    Blank lines are passed over.

    Exports of promptfoo and DeepEval are one object, with the rows in a list inside.
    """
    start = file.peek(_CHUNK)
    if _is_array(start):
        for number, item in enumerate(_items(file), 1):
            yield item._replace(number=number) if isinstance(item, BadRow) else _json_row(item, number)
        return
    more = 0
    lines = ((number, line) for number, line in enumerate(_lines(file), 1) if line is None or line.strip())
    for row in [_whole(file)] if _is_document(start) else (_json_row(line, number) for number, line in lines):
        listed = _listed(row)
        if listed is None:
            yield row._replace(number=row.number + more)
            continue
        for number, values in enumerate(listed, row.number + more):
            yield ResponseRow(number, values) if isinstance(values, dict) else BadRow(number, "is not a JSON object")
        more += len(listed) - 1


def _is_array(start: bytes) -> bool:
    """Return whether the file that starts so is one JSON array."""
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def _is_document(start: bytes) -> bool:
    """Return whether a file that starts like this is one object over several lines."""
    first, _, _ = start.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    return first.strip() == b"{"


def has_lines(start: bytes) -> bool:
    """Return whether JSON begins like one object on each line, none of which holds other rows."""
    return not (_is_array(start) or _is_document(start) or any(mark in start for mark in _EXPORT_MARKS))


def _whole(file: ByteStream) -> ResponseRow | BadRow:
    """Read a file that is a single object."""
    content = bytearray()
    while chunk := file.read1(_CHUNK):
        content += chunk
        if len(content) > LONGEST_ROW:
            return BadRow(1, _TOO_LONG)
    return _json_row(bytes(content), 1)


def _listed(row: ResponseRow | BadRow) -> list[Any] | None:
    """Return the list of rows in the object of an export; `None` for any other row."""
    if isinstance(row, BadRow):
        return None
    for path in _EXPORTS:
        at: Any = row.values
        for name in path:
            at = at.get(name) if isinstance(at, Mapping) else None
        if isinstance(at, list):
            return at
    return None


def csv_rows(
    file: ByteStream, delimiter: str | None, check: Callable[[Sequence[str]], object]
) -> Iterator[ResponseRow | BadRow]:
    """Yield the rows after the first non-empty line, which has the column names.

    `check` is called with these, and may raise.

    Without `delimiter`, it is the most frequent of comma, semicolon, tab and bar in the first line. Raises InputError
    when the file has no header line.
    """
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_ROW))  # for the whole process; Python's is 128 KiB
    texts = (
        None if line is None else line.decode("utf-8" if index else "utf-8-sig", "surrogateescape")
        for index, line in enumerate(_lines(file))
    )
    rows = csv_records(texts, _TOO_LONG, delimiter)
    head = next(rows, None)
    if head is None:
        return
    header = [name.strip() for name in head.cells]
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if problem := head.problem or (twice and f"two are {twice!r}"):
        problem = problem.replace("is not CSV", "it is not CSV", 1)
        raise InputError(f"The line of column names can't be read: {problem}.", "Mend the file's first line.")
    check(header)
    for number, row in enumerate(rows, 1):
        if row.problem:
            yield BadRow(number, f"line {row.line:,}: {row.problem}", more=row.lost)
        else:
            yield ResponseRow(number, dict(zip(header, row.cells, strict=False)))


def _lines(file: ByteStream) -> Iterator[bytes | None]:
    """Yield lines with their ends; `None` for each that is too long."""
    while line := file.readline(LONGEST_ROW):
        if len(line) < LONGEST_ROW or line.endswith(b"\n"):
            yield line
            continue
        while (remainder := file.readline(LONGEST_ROW)) and not remainder.endswith(b"\n"):
            pass
        yield None


def _json_row(source: bytes | None, number: int) -> ResponseRow | BadRow:
    if source is None:
        return BadRow(number, _TOO_LONG)
    try:
        return ResponseRow(number, json_object(source.strip()))
    except ValueError as error:
        return BadRow(number, str(error))


def _items(file: ByteStream) -> Iterator[bytes | BadRow | None]:
    """Yield the raw items of an array; `None` for each that is too long.

    Only brackets and strings are followed, so that an item that is not JSON affects only itself.
    """
    item, depth, in_string, escaped, too_long = bytearray(), 0, False, False, False
    while chunk := file.read1(_CHUNK):
        at, start, escaped = int(escaped), 0, False
        while mark := (_MARKS_IN_STRING if in_string else _MARKS).search(chunk, at):
            sign, at = mark[0], mark.end()
            if sign == b'"':
                in_string = not in_string
            elif sign == b"\\":
                escaped = at == len(chunk)
                at += 1
            elif sign in b"[{":
                depth += 1
                start = at if depth == 1 else start
            elif sign in b"]}":
                depth -= 1
            if (sign == b"," and depth == 1) or (sign in b"]}" and depth == 0):
                item += chunk[start : at - 1]
                start = at
                if depth or too_long or item.strip():
                    yield None if too_long else bytes(item)
                item.clear()
                too_long = False
            if not depth:
                yield from _after(chunk[at:] + file.read1(_CHUNK))
                return
        item += chunk[start:]
        if len(item) > LONGEST_ROW:
            item.clear()
            too_long = True
    yield BadRow(0, "the file ends in the midst of the array", more=True)


def _after(remainder: bytes) -> list[BadRow]:
    return [BadRow(0, "the array ends here, and more follows that is not read", more=True)] if remainder.strip() else []
