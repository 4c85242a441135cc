"""Rows of Parquet files, read by DuckDB.

Measured on 400,000 rows of 1.8 kB (525 MB): DuckDB 2.0 is one package of 66 MB and needs 1.9 s and 110 MB of memory,
also when the file is a single row group; pyarrow (166 MB) needs 2 to 3 s and 170 to 590 MB, polars (175 MB) 1.3 to
4 s and 280 to 1,250 MB, fastparquet with pandas (121 MB) 1.2 to 2.3 s and 140 to 1,250 MB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.benchmarks.datasets.io.row import BadRow, ResponseRow
from factscope.core import InputError, UsageError
from factscope.evidence.decode import clean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 64
"""Rows taken from DuckDB at a time."""


def parquet_rows(path: Path, choose: Callable[[Sequence[str]], Sequence[str]]) -> Iterator[ResponseRow | BadRow]:
    """Yield the rows, with only those columns that `choose` selects from the names of all; `choose` may raise.

    A damaged row group is one `BadRow`. Raises InputError when nothing of the file can be read, and UsageError when
    DuckDB is not installed.
    """
    import_duckdb()
    import duckdb

    pattern = _pattern(path)
    with closing(_connect(path)) as db:
        try:
            names = [str(row[0]) for row in db.execute("DESCRIBE FROM read_parquet(?)", [pattern]).fetchall()]
            ends = [0, *accumulate(_group_sizes(db, pattern))]
        except duckdb.Error as error:
            raise InputError(f"It is not a Parquet file that can be read: {_plain(error)}.") from None
        columns = list(choose(names))
        yield from _read(db, pattern, columns, ends)


def count_parquet(path: Path) -> int | None:
    """Count the rows by the file's own metadata; `None` when it can't be read."""
    try:
        import duckdb
    except ImportError:
        return None
    pattern = _pattern(path)
    try:
        with closing(_connect(path)) as db:
            return sum(_group_sizes(db, pattern))
    except duckdb.Error:
        return None


def import_duckdb() -> None:
    """Raise UsageError when DuckDB is not installed."""
    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise UsageError(
            "To read Parquet, DuckDB is needed, and it is not installed.", "Install it: pip install 'factscope[data]'"
        ) from None


def _connect(path: Path) -> DuckDBPyConnection:
    """Return a database in memory that can see this one file, fetches nothing and loads nothing."""
    import duckdb

    db = duckdb.connect(
        config={"threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    db.execute("LOAD parquet")  # comes with the package
    db.execute("SET disable_parquet_prefetching = true")  # otherwise DuckDB keeps a whole row group in memory
    db.execute("SET parquet_metadata_cache = true")
    allowed = (path_text.replace("'", "''") for path_text in (str(path.resolve()), _pattern(path)))
    db.execute("SET allowed_paths = ['" + "', '".join(allowed) + "']")
    db.execute("SET enable_external_access = false")
    return db


def _pattern(path: Path) -> str:
    """Return the file for DuckDB, which reads a path as a pattern."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path.resolve()))


def _group_sizes(db: DuckDBPyConnection, pattern: str) -> list[int]:
    """Return the number of rows of each row group."""
    row_groups = db.execute(
        "SELECT any_value(row_group_num_rows) FROM parquet_metadata(?) GROUP BY row_group_id ORDER BY row_group_id",
        [pattern],
    )
    return [int(rows) for (rows,) in row_groups.fetchall()]


def _read(
    db: DuckDBPyConnection, pattern: str, columns: Sequence[str], ends: Sequence[int]
) -> Iterator[ResponseRow | BadRow]:
    """Yield the rows of the groups between `ends`: all at once, and group by group from where that fails."""
    import duckdb

    query = (
        f"SELECT {', '.join(map(_quoted, columns))} FROM read_parquet(?, file_row_number = true)"  # noqa: S608 - quoted
        " WHERE file_row_number >= ? AND file_row_number < ?"
    )
    done = ends[0]
    try:
        rows_read = db.execute(query, [pattern, done, ends[-1]])
        while rows := rows_read.fetchmany(_AT_ONCE):
            for row in rows:
                done += 1
                yield ResponseRow(done, dict(zip(columns, row, strict=True)))
    except duckdb.Error as error:
        if len(ends) == 2:
            yield BadRow(done + 1, f"rows {done + 1:,} to {ends[-1]:,} can't be read: {_plain(error)}", more=True)
            return
        for start, end in pairwise(ends):
            if end > done:
                yield from _read(db, pattern, columns, [max(start, done), end])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(error: Exception) -> str:
    """Return the first line of DuckDB's message, which may repeat bytes of the file."""
    return clean(str(error).partition("\n")[0]).text.partition(": ")[2][:300].rstrip(".")
