"""The rows of a table as responses, from a file, a hub or memory; a table may have millions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from factscope.benchmarks.datasets.io import (
    BadRow,
    ResponseRow,
    copy_standard_input,
    count_rows,
    read_rows,
    source_name,
    table_rows,
    with_columns,
)
from factscope.core import FactscopeError, UsageError
from factscope.core.records import Response
from factscope.engine.data_rows import RowReading
from factscope.engine.settings import Settings
from factscope.evidence.text_documents import fields_of
from factscope.integrations.python.arguments import must_be_rows

_MISSING = ("NAType", "NaTType")
"""Types of the values that pandas writes for a missing cell, besides NaN."""
_LONGEST_TAG = 100
"""Characters of a cell up to which it can identify a group of rows."""


class Frame(Protocol):
    """A data frame, of pandas or of polars."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


Data = str | Path | Frame | Iterable[Mapping[str, Any]]
"""A file, a data set of a hub, a data frame, or rows."""


class DatasetRows:
    """The responses of a data set, in order, with the unreadable rows; can be iterated more than once."""

    def __init__(self, source: str, columns: Mapping[str, str], settings: Settings, limit: int | None) -> None:
        self._source, self._columns, self._limit = source, columns, limit
        self._cache = settings.cache / "datasets"
        self._piped = copy_standard_input() if source == "-" else None
        self.reading = RowReading(limit)
        self.name = source_name(source, columns, self._piped)
        """Identifies the data set, whatever the working folder."""

    def count(self) -> int | None:
        """Count the rows, where that is quick."""
        n = count_rows(self._source)
        return n if self._limit is None or n is None else min(n, self._limit)

    def __iter__(self) -> Iterator[Response]:
        self.reading.restart()
        for row in islice(self._read(), self._limit):
            if isinstance(row, BadRow):
                self.reading.pass_over(row.number, row.reason, broken_off=row.more, model=row.model)
            else:
                yield row

    def _read(self) -> Iterator[Response | BadRow]:
        piped = self._piped.file if self._piped else None
        return read_rows(self._source, self._columns, cache=self._cache, on_row=self._note, piped=piped)

    def _note(self, item: Response | BadRow, row: ResponseRow) -> None:
        """Keep nothing of a row, of which there may be millions."""


class Rows(DatasetRows):
    """The rows of any table, with their ids and the columns that identify groups."""

    def __init__(self, data: Data, columns: Mapping[str, str], settings: Settings, limit: int | None) -> None:
        must_be_rows(limit)
        if isinstance(data, Iterator):
            data = islice(data, limit)  # a generator may be endless, or each of its rows cost something
        self._held = None if isinstance(data, str | Path) else held_rows(data)
        super().__init__("" if self._held is not None else str(data), columns, settings, limit)
        if self._held is not None:
            digest = sha256(json.dumps(self._held, sort_keys=True, default=document_fields).encode()).hexdigest()
            self.name = with_columns(f"rows {digest[:16]}", columns)
        self.ids: list[str] = []
        self.tags: dict[str | int, dict[str, str]] = {}
        """Groups by the id of a response, or by the number of a row that could not be read."""

    def count(self) -> int | None:
        """Count the rows, where that is quick."""
        return super().count() if self._held is None else len(self._held[: self._limit])

    def __iter__(self) -> Iterator[Response]:
        self.ids.clear()  # the rows may be read again
        try:
            for response in super().__iter__():
                self.ids.append(response.id)
                yield response
        except FactscopeError as error:
            hint = error.hint.replace("--column text=NAME", 'text="NAME"')  # it is written for the command line
            raise UsageError(error.message, hint) from None

    def _read(self) -> Iterator[Response | BadRow]:
        return super()._read() if self._held is None else table_rows(self._held, self._columns, self._note)

    def _note(self, item: Response | BadRow, row: ResponseRow) -> None:
        tags = {name: str(cell) for name, cell in row.values.items() if _tells_apart(cell)}
        name = item.number if isinstance(item, BadRow) else item.id
        self.tags[name] = {**tags, **({"model": item.model} if item.model else {})}


def held_rows(data: object) -> list[dict[str, Any]]:
    """Return rows in memory as plain values. Raises UsageError for anything but a table."""
    to_rows: Callable[[], Any] | None = getattr(data, "to_dicts", None) or getattr(data, "to_pylist", None)
    rows: Any = data
    if to_rows is not None:  # polars, pyarrow
        rows = to_rows()
    elif hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas
        index = getattr(rows, "index", None)
        names = [name for name in getattr(index, "names", ()) if name is not None and name not in rows.columns]
        rows = (rows.reset_index(names) if names and rows.index.is_unique else rows).to_dict("records")
    if not isinstance(rows, Iterable) or isinstance(rows, Mapping | str | bytes):
        raise UsageError(
            f"{type(data).__name__} is not a table.", "Give a file, a data frame, or a list of dicts: one for each row."
        )
    held = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UsageError(f"Row {number} is not a dict but {type(row).__name__}.", 'Such as {"answer": "…"}.')
        held.append({str(name): _plain(cell) for name, cell in row.items()})
    return held


def _plain(cell: Any) -> Any:
    """Return a cell as a JSON value: a missing value of pandas as None, an array as a list, names as text."""
    if hasattr(cell, "tolist") and not isinstance(cell, str | bytes):
        cell = cell.tolist()
    if isinstance(cell, list | tuple):
        return [_plain(item) for item in cell]
    if isinstance(cell, Mapping):
        return {str(name): _plain(value) for name, value in cell.items()}
    is_nan = isinstance(cell, float) and cell != cell
    return None if is_nan or type(cell).__name__ in _MISSING else cell


def document_fields(item: object) -> dict[str, Any] | str:
    """Return the fields of a retriever's document, and of anything else its text, for JSON."""
    fields = fields_of(item)
    return str(item) if fields is None else dict(fields)


def _tells_apart(cell: object) -> bool:
    return isinstance(cell, bool | int) or (isinstance(cell, str) and 0 < len(cell) <= _LONGEST_TAG)
