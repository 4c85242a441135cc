"""The rows of a source, given by its name, as responses."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BufferedReader, FileIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from factscope.benchmarks.datasets.io import fields, text_tables
from factscope.benchmarks.datasets.io.hub_datasets import as_dataset, dataset_files
from factscope.benchmarks.datasets.io.parquet_reader import count_parquet, parquet_rows
from factscope.benchmarks.datasets.io.row import BadRow, ResponseRow
from factscope.core import InputError, Response, UsageError
from factscope.evidence.file_list import printable_path

_LOOKED_AT = 100
"""Rows in which every needed column must occur."""
_KINDS = "jsonl, json, csv, tsv, parquet; the first four also with .gz at the end"
_JSON_FORM = "A JSON file holds one array of objects, an object on each line, or an export of promptfoo or DeepEval."
_LONGEST_NAME = 200  # characters of a file's name in a message
OnRow = Callable[[Response | BadRow, ResponseRow], object]
"""Takes each response, or its `BadRow`, with the row that it was read from, for the columns that are not part of it."""
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20  # bytes read at once
_SMALL, _MOST_COUNTED = 1 << 23, 50_000
"""Bytes and rows of a CSV, JSON or packed file up to which its rows are counted, in about a second."""


def read_rows(
    source: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    cache: Path,
    environment: Mapping[str, str] = os.environ,
    on_row: OnRow | None = None,
    piped: BinaryIO | None = None,
) -> Iterator[Response | BadRow]:
    """Yield the rows of a data set as responses, and those that can't be used as `BadRow`, in order and one at a time.

    `source` is a file (JSON lines, a JSON array, an export of promptfoo or DeepEval, CSV, Parquet), `-` for JSON lines
    on standard input (or in `piped`, its copy), or a data set of a Hugging Face hub: `org/name`, with `@revision` and
    `:config/split` (or `:path` of a file in it) as needed. Its files are kept in the folder `cache`; `environment` may
    hold HF_ENDPOINT and HF_TOKEN.

    `columns` names the column of the text, prompt, id, model, system or contexts, with dots into nested values
    (`choices.0.text`); an empty name means no column. Fields that it leaves out are found by the names in
    `fields.FIELDS`. A row without an id gets `r` and its number; a repeated id makes a `BadRow`.

    Before the first row, and only then, raises UsageError when the source or a named column is not there and InputError
    when nothing of it can be read or no column holds a text. Files of a hub are fetched when their turn comes:
    InputError or StoreError then may also come later.
    """
    name = "Standard input" if source == "-" else printable_path(source)[:_LONGEST_NAME]
    try:
        field_columns = fields.known_fields(columns or {})
        yield from _responses(_rows(source, field_columns, cache, environment, piped), field_columns, on_row)
    except (InputError, UsageError) as error:
        raise type(error)(f"{name}: {error.message}", error.hint) from None


def table_rows(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str] | None = None, on_row: OnRow | None = None
) -> Iterator[Response | BadRow]:
    """Read rows that are in memory as `read_rows` reads those of a file. Raises the same errors."""
    raw_rows = (ResponseRow(number, dict(values)) for number, values in enumerate(rows, 1))
    yield from _responses(raw_rows, fields.known_fields(columns or {}), on_row)


def count_rows(source: str | Path) -> int | None:
    """Return an upper limit for the number of rows, where that is quick; otherwise `None`.

    For JSON lines it is the number of lines (2 GB: about a second from memory), for Parquet the file's own count. The
    rows of other files are read, if these are small and the rows few.
    """
    path = Path(source)
    try:
        if source == "-" or not path.is_file():
            return None
        with _open(path) as file:
            start = file.peek(_CHUNK)
            kind = _kind(path.name, start)
            if kind == "parquet":
                return count_parquet(path)
            if kind != "json" or start.startswith(_GZIP) or not text_tables.has_lines(start):
                if path.stat().st_size > _SMALL:
                    return None
                rows = islice(_to_the_end(_file_rows(path, lambda header: header)), _MOST_COUNTED + 1)
                return n if (n := sum(1 for _ in rows)) <= _MOST_COUNTED else None
            lines, last = 0, b"\n"
            while chunk := file.read(_CHUNK):
                lines, last = lines + chunk.count(b"\n"), chunk[-1:]
            return lines + (last != b"\n")
    except (OSError, ValueError, InputError):
        return None


def _rows(
    source: str | Path,
    field_columns: Mapping[str, str],
    cache: Path,
    environment: Mapping[str, str],
    piped: BinaryIO | None,
) -> Iterator[ResponseRow | BadRow]:
    """Yield the raw rows of all files of a source, numbered consecutively."""
    choose_columns = partial(fields.pick, field_columns=field_columns)
    if source == "-":
        if piped is not None:
            piped.seek(0)
        yield from _to_the_end(text_tables.json_rows(cast("text_tables.ByteStream", piped or sys.stdin.buffer)))
        return
    path = Path(source)
    dataset = None if isinstance(source, Path) or path.exists() else as_dataset(source)
    if dataset is None:
        yield from _to_the_end(_file_rows(path, choose_columns))
        return
    last = 0
    for file in dataset_files(dataset, cache, environment):
        before = last
        try:
            for row in _to_the_end(_file_rows(file.path, choose_columns)):
                last = before + row.number
                yield row._replace(number=last)
        except (InputError, UsageError) as error:
            if not before:
                raise
            last += 1
            yield BadRow(last, f"the rows of {file.name!r} can't be used: {error.message}", more=True)


def _to_the_end(rows: Iterator[ResponseRow | BadRow]) -> Iterator[ResponseRow | BadRow]:
    """Yield the rows, and a bad row at the end if the file breaks off after some of them.

    Raises InputError when it breaks off before the first.
    """
    last = 0
    try:
        for row in rows:
            last = row.number
            yield row
    except EOFError:  # a gzip file without its end
        if not last:
            raise InputError("It can't be read: it is cut off before its first row.") from None
        reason = "from here on the file can't be read: it is cut off, and the rows before this one are kept"
        yield BadRow(last + 1, reason, more=True)
    except (OSError, zlib.error) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower().rstrip(".")
        if not last:
            raise InputError(f"It can't be read: {reason}.") from None
        yield BadRow(last + 1, f"from here on the file can't be read: {reason}", more=True)


def file_rows(
    path: Path, choose: Callable[[Sequence[str]], Sequence[str]] = lambda header: header
) -> Iterator[ResponseRow | BadRow]:
    """Yield the raw rows of a file, numbered from 1; of a Parquet file with those columns alone that `choose` picks.

    Raises UsageError when it is not there, and InputError when nothing of it can be read.
    """
    try:
        yield from _to_the_end(_file_rows(path, choose))
    except (InputError, UsageError) as error:
        raise type(error)(f"{printable_path(path)[:_LONGEST_NAME]}: {error.message}", error.hint) from None


def _file_rows(path: Path, choose: Callable[[Sequence[str]], Sequence[str]]) -> Iterator[ResponseRow | BadRow]:
    if path.is_dir():
        raise UsageError("It is a folder.", "Name one file.")
    if not path.exists():
        raise UsageError("There is no such file.", f"Name a file ({_KINDS}), or a data set of the hub as org/name.")
    with _open(path) as raw:
        packed = raw.peek(_CHUNK).startswith(_GZIP)
        file: text_tables.ByteStream = gzip.GzipFile(fileobj=raw) if packed else raw
        start = file.peek(_CHUNK)
        match _kind(path.name, start):
            case "parquet" if packed:
                raise InputError("It is a Parquet file inside a gzip file.", "Unpack it.")
            case "parquet":
                yield from parquet_rows(path, choose)
            case "json":
                yield from text_tables.json_rows(file)
            case "csv":
                tabs = path.name.lower().removesuffix(".gz").endswith(".tsv")
                yield from text_tables.csv_rows(file, "\t" if tabs else None, choose)


def _open(path: Path) -> BufferedReader:
    return BufferedReader(FileIO(path), _CHUNK)


def _kind(name: str, start: bytes) -> Literal["json", "csv", "parquet"]:
    """Return the kind of a file, by its first bytes and its name. Raises InputError when neither shows it."""
    ending = Path(name.lower().removesuffix(".gz")).suffix
    if start.startswith(b"PAR1") or ending == ".parquet":
        return "parquet"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("It is UTF-16.", "Save it as UTF-8.")
    if ending in (".csv", ".tsv"):
        return "csv"
    if ending in (".json", ".jsonl", ".ndjson") or start.lstrip().startswith((b"{", b"[")):
        return "json"
    raise InputError("Its kind can't be told.", f"Kinds that are read, by the end of the name: {_KINDS}.")


def _responses(
    rows: Iterable[ResponseRow | BadRow], field_columns: Mapping[str, str], on_row: OnRow | None
) -> Iterator[Response | BadRow]:
    """Yield rows as responses. The first are held back until all needed columns have been found."""
    needed = {"text", *(field for field, column in field_columns.items() if column)}
    columns_chosen: dict[str, str] = {}
    names: dict[str, None] = {}
    held: list[Response | BadRow] = []
    # The first row of each id, by the id's hash, since ids can be long. Two of a million ids share a hash once in 37
    # million runs; the later row is then taken for a repetition.
    seen_ids: dict[int, int] = {}
    ready = False
    for row in rows:
        if isinstance(row, ResponseRow):
            fields.settle(row.values, field_columns, columns_chosen)
            item = _response(row, columns_chosen, seen_ids)
            if on_row:
                on_row(item, row)
        else:
            item = row
        if ready:
            yield item
            continue
        held.append(item)
        names.update(dict.fromkeys(row.values if isinstance(row, ResponseRow) else ()))
        ready = needed <= columns_chosen.keys()
        if ready:
            yield from held
        elif len(held) == _LOOKED_AT:
            break
    if not ready:
        raise _unusable(held, list(names), field_columns, columns_chosen)


def _response(row: ResponseRow, columns_chosen: Mapping[str, str], seen_ids: dict[int, int]) -> Response | BadRow:
    try:
        response = fields.to_response(row.values, columns_chosen, row.number)
    except fields.UnusableRowError as error:
        return BadRow(row.number, str(error), model=fields.model_of(row.values, columns_chosen))
    first = seen_ids.setdefault(hash(response.id), row.number)
    if first != row.number:
        reason = f"has the id {response.id!r}, which row {first:,} has already"
        return BadRow(row.number, reason, model=response.model)
    return response


def _unusable(
    held: list[Response | BadRow], names: list[str], field_columns: Mapping[str, str], columns_chosen: Mapping[str, str]
) -> InputError | UsageError:
    """Return the error for a source whose first rows all can't be made responses."""
    if not held:
        return InputError("It contains no rows.")
    bad = held[0]
    if not names and isinstance(bad, BadRow):
        hint = _JSON_FORM if "JSON" in bad.reason else ""
        return InputError(f"None of its rows can be read. Row {bad.number:,}: {bad.reason}.", hint)
    missing = (column for field, column in field_columns.items() if column and field not in columns_chosen)
    return fields.no_column(names, field_columns, next(missing, None))
