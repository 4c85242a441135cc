"""Parquet files, written by DuckDB as a typical writer."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import duckdb
import pytest

from factscope.benchmarks.datasets.io import BadRow, count_rows
from factscope.core import InputError, UsageError
from factscope.core.records import Response
from tests.benchmarks.datasets.io.reading import one, read, reason, texts, written


def parquet(path: Path, query: str, options: str = "") -> Path:
    """Write a Parquet file with the result of a query."""
    with duckdb.connect() as db:
        db.execute("LOAD parquet")
        db.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")
    return path


def test_rows_are_read_with_nested_columns_and_all_kinds_of_values(tmp_path: Path) -> None:
    query = """SELECT uuid '12345678-1234-5678-1234-567812345678' AS id, 'the text' AS response, now() AS "when",
        {'name': 'm', 'n': 1} AS meta, [{'role': 'user', 'content': 'Why?'}] AS prompt,
        [{'text': 'c', 'title': 't', 'url': NULL}] AS context, 'x'::BLOB AS image, 1.5::DECIMAL AS cost"""
    path = parquet(tmp_path / "a.parquet", query)
    response = one(read(path, {"model": "meta.name"}))
    assert (response.id, response.text) == ("12345678-1234-5678-1234-567812345678", "the text")
    assert (response.prompt, response.model) == ("Why?", "m")
    assert [(document.text, document.title, document.url) for document in response.context] == [("c", "t", None)]
    assert count_rows(path) == 1


def test_a_bad_row_does_not_stop_the_others(tmp_path: Path) -> None:
    query = "SELECT * FROM (VALUES (1, 'a'), (2, NULL), (1, 'b'), (3, 'c')) AS t(id, text)"
    rows = read(parquet(tmp_path / "a.parquet", query))
    assert texts(rows) == ["a", 2, 3, "c"]


def test_text_may_be_stored_as_bytes(tmp_path: Path) -> None:
    query = r"SELECT * FROM (VALUES ('\xC3\xBC'::BLOB), ('\xFF'::BLOB)) AS t(text)"
    rows = read(parquet(tmp_path / "a.parquet", query))
    assert texts(rows) == ["ü", 2]
    assert reason(rows[1]) == "column 'text' is not UTF-8"


def test_a_damaged_row_group_costs_its_rows_only(tmp_path: Path) -> None:
    query = "SELECT 'row number ' || i AS text FROM range(1, 10001) AS r(i)"
    path = parquet(tmp_path / "a.parquet", query, ", ROW_GROUP_SIZE 2048, COMPRESSION uncompressed")
    content = path.read_bytes()
    assert b"row number 5000" in content
    rows = read(written(tmp_path, "b.parquet", content.replace(b"row number 5000", b"row \xff\xfember 5000")))
    bad = [row for row in rows if isinstance(row, BadRow)]
    assert [row.number for row in bad] == [4097]
    assert bad[0].reason.startswith("rows 4,097 to 6,144 can't be read: Invalid string encoding")
    assert texts([row for row in rows if isinstance(row, Response)]) == [
        f"row number {number}" for number in (*range(1, 4097), *range(6145, 10001))
    ]
    assert count_rows(tmp_path / "b.parquet") == 10_000


def test_a_compressed_file_is_one_clear_error(tmp_path: Path) -> None:
    content = parquet(tmp_path / "a.parquet", "SELECT 'a' AS text").read_bytes()
    with pytest.raises(InputError, match="a Parquet file inside a gzip file"):
        read(written(tmp_path, "a.parquet.gz", gzip.compress(content, mtime=0)))


def test_a_completely_unreadable_file_is_one_clear_error(tmp_path: Path) -> None:
    content = parquet(tmp_path / "a.parquet", "SELECT 'whole' AS text", ", COMPRESSION uncompressed").read_bytes()
    with pytest.raises(
        InputError, match=r"None of its rows can be read. Row 1: rows 1 to 1 can't be read: Invalid str"
    ):
        read(written(tmp_path, "b.parquet", content.replace(b"whole", b"wh\xffle")))


def test_rows_of_many_groups_come_in_order(tmp_path: Path) -> None:
    query = "SELECT i::VARCHAR AS text FROM range(1, 10001) AS r(i)"
    path = parquet(tmp_path / "a.parquet", query, ", ROW_GROUP_SIZE 2048")
    assert texts(read(path)) == [str(number) for number in range(1, 10_001)]


@pytest.mark.parametrize("name", ["a[1]*?.parquet", "it's.parquet", "$$ $1.parquet", "ü \U0001f600.parquet", "a"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    path = parquet(tmp_path / "plain.parquet", "SELECT 'a' AS text").rename(tmp_path / name)
    parquet(tmp_path / "a1b.parquet", "SELECT 'other' AS text")
    assert texts(read(path)) == ["a"]
    assert count_rows(path) == 1


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 99 + b"\xff\xff\xff\x7fPAR1", b"text\na"])
def test_a_file_that_is_not_parquet_is_one_clear_error(content: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, "a.parquet", content)
    with pytest.raises(InputError, match="It is not a Parquet file that can be read"):
        read(path)
    assert count_rows(path) is None


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({}, InputError, r"No column holds the text.*Columns: 'a', 'b'"),
        ({"text": "c"}, UsageError, "Unknown column 'c', which was named for text"),
        ({"text": "a.x"}, UsageError, r"Unknown column 'a.x'"),
    ],
)
def test_a_missing_column_is_one_clear_error(
    columns: dict[str, str], error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = parquet(tmp_path / "a.parquet", "SELECT {'y': 'z'} AS a, 2 AS b")
    with pytest.raises(error, match=message):
        read(path, columns)


def test_a_file_without_rows_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="It contains no rows"):
        read(parquet(tmp_path / "a.parquet", "SELECT 'a' AS text WHERE false"))


def test_without_duckdb_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path / "a.parquet", "SELECT 'a' AS text")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"pip install 'factscope\[data\]'"):
        read(path)
    assert count_rows(path) is None
