"""Rows as a Parquet file, written by DuckDB.

The rows are first written to a file of JSON lines, so that only one of them is in memory at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from factscope.core.errors import StoreError, UsageError
from factscope.report.wording import inert

_SQL = {str: "VARCHAR", float: "DOUBLE", int: "BIGINT"}
_CHUNK = 1 << 20  # bytes yielded at once
_GROUP = 20_480
"""Rows that DuckDB collects before it writes them. Measured with 600 bytes a row: 1.2 million rows in 220 MB of memory;
with its default of 122,880, a third of them took 570 MB."""
_LEAST_OBJECT = 1 << 24
"""Least number of bytes that DuckDB reserves for a row."""


def parquet(rows: Iterable[Iterable[str | float | int | None]], columns: Mapping[str, type]) -> Iterator[bytes]:
    """Yield the file, in pieces of at most 1 MiB. Text is made inert, as in every other format that people read.

    Raises UsageError when DuckDB is not installed, StoreError when the disk is too full for the temporary file.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "To write Parquet, DuckDB is needed, and it is not installed.", "Install it: pip install 'factscope[data]'"
        ) from None
    try:
        with TemporaryDirectory(prefix="factscope-") as folder:
            lines, target = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
            longest = _write(rows, list(columns), lines)
            with closing(duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})) as db:
                db.execute("LOAD parquet; LOAD json")  # both come with the package
                target_text = str(target).replace("'", "''")
                read = "read_json($1, format = 'newline_delimited', columns = $2, maximum_object_size = $3)"
                db.execute(
                    f"COPY (FROM {read}) TO '{target_text}' (FORMAT parquet, ROW_GROUP_SIZE {_GROUP})",
                    [str(lines), {name: _SQL[kind] for name, kind in columns.items()}, max(longest, _LEAST_OBJECT)],
                )
            with target.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
    except (OSError, duckdb.IOException) as error:
        raise StoreError(f"The Parquet file can't be made: {error}.", "Make room in the temporary folder.") from None


def _write(rows: Iterable[Iterable[str | float | int | None]], names: list[str], lines: Path) -> int:
    """Write the rows as JSON, one a line; return the number of bytes of the longest."""
    longest = 0
    with lines.open("w", encoding="ascii") as file:
        for row in rows:
            cells = (inert(cell) if isinstance(cell, str) else cell for cell in row)
            line = json.dumps(dict(zip(names, cells, strict=True)))
            longest = max(longest, len(line) + 2)
            file.write(line + "\n")
    return longest
