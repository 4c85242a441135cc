"""Files and standard input: every usable row is read, and the others are named."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets.io import BadRow, count_rows, read_rows, text_tables
from factscope.core import FactscopeError, InputError, UsageError
from factscope.core.records import Response
from tests.benchmarks.datasets.io.reading import lines, read, reason, texts, written

BAD_LINES = (
    (b"nope", "is not JSON: Expecting value at character 1"),
    (b'{"response": "cut', "is not JSON: Unterminated string starting at character 14"),
    (b'["a"]', "is not a JSON object"),
    (b"7", "is not a JSON object"),
    (b'{"response": "\xff"}', "is not UTF-8"),
    (b'{"response": 7}', "column 'response' holds a number, not text"),
    (b'{"response": true}', "column 'response' holds true or false, not text"),
    (b'{"response": ["a"]}', "column 'response' holds a list, not text"),
    (b'{"response": {"a": 1}}', "column 'response' holds an object, not text"),
    (b'{"response": {"id": 1, "text": "A."}}', "not text (name a text inside it, such as 'response.text')"),
    (b'{"response": null}', "column 'response' contains no text"),
    (b'{"response": " \\n"}', "column 'response' contains no text"),
    (b'{"answer": "x"}', "column 'response' contains no text"),
    (b'{"response": "\\ud800"}', "lone surrogate"),
    (b'{"response": "x", "prompt": "\\udfff"}', "lone surrogate"),
    (b'{"response": "x", "prompt": 3}', "column 'prompt' holds a number"),
    (b'{"response": "x", "id": ["a"]}', "column 'id' holds a list"),
    (b'{"response": "x", "id": "' + b"i" * 201 + b'"}', "longer than 200 characters"),
    (b'{"response": "x", "id": "first"}', "has the id 'first', which row 1 has already"),
    (b"[" * 100_000, "can't be read"),
    (b'{"response": "x", "n": ' + b"9" * 5_000 + b"}", "can't be read"),
)
FIRST = b'{"id": "first", "response": "one"}'
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(("line", "why"), BAD_LINES)
def test_a_bad_line_is_named_and_the_others_are_read(line: bytes, why: str, tmp_path: Path) -> None:
    rows = read(written(tmp_path, "a.jsonl", FIRST + b"\n\n" + line + b'\n{"response": "last"}'))
    assert texts(rows) == ["one", 3, "last"]
    assert why in reason(rows[1])


@pytest.mark.parametrize(
    ("line", "why"), [case for case in BAD_LINES if case[0] not in (b"[" * 100_000, BAD_LINES[1][0])]
)
def test_a_bad_item_of_an_array_is_reported_and_the_others_are_read(line: bytes, why: str, tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf\n [" + FIRST + b"," + line + b',{"response": "la]\\"st"}\n]\n'
    rows = read(written(tmp_path, "a.json", content))
    assert texts(rows) == ["one", 2, 'la]"st']
    assert why in reason(rows[1])


@given(st.lists(st.fixed_dictionaries({"a": VALUES}), min_size=1), st.sampled_from([None, 0, 2]), st.booleans())
def test_an_array_is_split_at_json_boundaries_in_chunks_of_any_size(
    items: list[object], indent: int | None, ascii_only: bool
) -> None:
    content = json.dumps(items, indent=indent, ensure_ascii=ascii_only).encode()
    for size in (1, 2, 5, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_tables, "_CHUNK", size)
            rows = list(text_tables.json_rows(io.BufferedReader(io.BytesIO(content))))
        assert [row.values for row in rows if not isinstance(row, BadRow)] == items


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('[{"text": "a"}, {"text": "b"', "the file ends in the midst of the array"),
        ('[{"text": "a"}] [{"text": "b"}]', "the array ends here, and more follows"),
        ('[{"text": "a"}, ]', None),
        ('[{"text": "a"}, , ]', "is not JSON"),
    ],
)
def test_errors_in_an_array_are_reported(content: str, why: str | None, tmp_path: Path) -> None:
    rows = read(written(tmp_path, "a.json", content))
    assert texts(rows) == ["a", 2][: 1 + (why is not None)]
    assert why is None or why in reason(rows[1])


@given(st.lists(st.text(st.characters(codec="utf-8")).filter(str.strip), min_size=1), st.sampled_from(",;\t|"))
def test_output_of_csv_writers_is_read_back(cells: list[str], delimiter: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([["id", " Response"], *enumerate(cells)])
    rows = list(text_tables.csv_rows(io.BufferedReader(io.BytesIO(out.getvalue().encode())), None, list))
    assert [row.values for row in rows if not isinstance(row, BadRow)] == [
        {"id": str(number), "Response": cell} for number, cell in enumerate(cells)
    ]


def test_a_bad_row_of_a_table_is_named_with_its_line(tmp_path: Path) -> None:
    content = b'Response,Prompt\n"one\ntwo",p\n\nthree,p,q\n"x"y,p\nfour\n,p\n' + b"\xff,p\nlast,\n"
    rows = read(written(tmp_path, "a.csv", content))
    assert texts(rows) == ["one\ntwo", 2, 3, "four", 5, 6, "last"]
    assert [reason(rows[at]) for at in (1, 2, 4, 5)] == [
        "line 5: has 3 cells under 2 columns; put quotes around text with commas",
        "line 6: is not CSV: ',' expected after '\"'",
        "column 'Response' contains no text",
        "line 9: is not UTF-8; save the file as UTF-8",
    ]


@pytest.mark.parametrize(
    ("end", "said", "left"),
    [
        ("", "line 3: is not CSV up to line 5, and all rows in between are lost: unexpected end of data", []),
        (
            '"six",p\nseven,p\n',
            "line 3: is not CSV up to line 6, and all rows in between are lost: ',' expected",
            ["seven"],
        ),
    ],
)
def test_an_unclosed_quote_names_all_the_lines_it_swallows(
    end: str, said: str, left: list[str], tmp_path: Path
) -> None:
    content = f'Response,Prompt\ntwo,p\n"three,p\nfour,p\nfive,p\n{end}'
    rows = read(written(tmp_path, "a.csv", content))
    assert texts(rows) == ["two", 2, *left]
    assert reason(rows[1]).startswith(said)
    assert reason(rows[1]).endswith("a quote that opens here may lack its end")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "\ufeff\n\nid;response\n7;one, two\n"),
        ("a.tsv", "id\tresponse\r\n7\tone, two\r\n"),
        ("a.ndjson", '\ufeff{"id": 7, "response": "one, two"}'),
        ("a.json", '{"id": 7, "response": "one, two"}'),
        ("a.jsonl.gz", gzip.compress(b'{"id": 7, "response": "one, two"}', mtime=0)),
        ("a.csv.gz", gzip.compress(b'id,response\n7,"one, two"', mtime=0)),
        ("a.JSON.gz", gzip.compress(b'[{"id": 7, "response": "one, two"}]', mtime=0)),
        ("unnamed", '  {"id": 7, "response": "one, two"}'),
        ("renamed.jsonl", gzip.compress(b'{"id": 7, "response": "one, two"}', mtime=0)),
    ],
)
def test_every_kind_of_file_is_read(name: str, content: str | bytes, tmp_path: Path) -> None:
    [row] = read(written(tmp_path, name, content))
    assert row == Response(id="7", text="one, two")


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("gone.jsonl", None, UsageError, "There is no such file. Name a file (jsonl"),
        ("", None, UsageError, "It is a folder."),
        ("a.jsonl", "", InputError, "It contains no rows."),
        ("a.jsonl", "\n \n", InputError, "It contains no rows."),
        ("a.json", "[ ]", InputError, "It contains no rows."),
        ("a.csv", "", InputError, "It contains no rows."),
        ("a.csv", "response\n", InputError, "It contains no rows."),
        ("a.jsonl", "a\nb\n", InputError, "None of its rows can be read. Row 1: is not JSON"),
        (
            "a.json",
            '{\n "response": x\n}',
            InputError,
            "A JSON file holds one array of objects, an object on each line",
        ),
        ("a.jsonl", "x\n" * 200, InputError, "None of its rows can be read."),
        ("a.jsonl", b"\xff\xfe{\x00", InputError, "It is UTF-16."),
        ("a.jsonl.gz", b"\x1f\x8bbroken", InputError, "It can't be read:"),
        ("a.pdf", b"%PDF-1.4", InputError, "Its kind can't be told."),
        ("a.jsonl", lines({"b": 1}, {"c": 2}), InputError, "Columns: 'b', 'c'."),
        ("a.csv", "b,c\n1,2", InputError, "No column holds the text to check: none of response, text, output"),
        ("a.csv", "text,text\n1,2", InputError, "two are 'text'"),
        ("a.csv", b"text,\xff\n1,2", InputError, "is not UTF-8"),
        ("a.csv", '"text\n1,2', InputError, "The line of column names can't be read: it is not CSV"),
    ],
)
def test_a_file_that_cant_be_used_is_one_clear_error(
    name: str, content: str | bytes | None, error: type[FactscopeError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / name if content is None else written(tmp_path, name, content)
    with pytest.raises(error) as caught:
        read(path)
    assert message in str(caught.value)
    assert caught.value.message.startswith(f"{path}: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_one_clear_error(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", FIRST)
    path.chmod(0)
    with pytest.raises(InputError, match="It can't be read: permission denied"):
        read(path)


@given(st.binary(max_size=200), st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.tsv", "a.jsonl.gz", "a"]))
def test_any_file_content_gives_rows_or_one_error(content: bytes, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for start in (b"", b"[", b'{"text": "a"}\n', b"text\na\n", b'[{"text": "a"},'):
            path = written(Path(folder), name, start + content)
            try:
                numbers = [row.number for row in read(path) if isinstance(row, BadRow)]
            except (InputError, UsageError):
                continue
            assert numbers == sorted(set(numbers))


def test_a_truncated_file_yields_its_complete_rows(tmp_path: Path) -> None:
    whole = gzip.compress(lines(*({"text": f"{number} {os.urandom(99).hex()}"} for number in range(99))).encode())
    rows = read(written(tmp_path, "a.jsonl.gz", whole[:-2_000]))
    assert len(rows) > 50
    assert all(isinstance(row, Response) for row in rows[:-1])
    told = "from here on the file can't be read: it is cut off, and the rows before this one are kept"
    assert reason(rows[-1]) == told
    with pytest.raises(InputError, match=r"It can't be read: it is cut off before its first row\."):
        read(written(tmp_path, "a.jsonl.gz", whole[:20]))


def test_standard_input_holds_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    content = lines({"text": "a"}, {"text": "b"}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert texts(read("-")) == ["a", "b"]
    assert count_rows("-") is None
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
    with pytest.raises(InputError, match="Standard input: It contains no rows"):
        read("-")


def test_rows_come_before_the_source_has_ended() -> None:
    out, into = os.pipe()
    with os.fdopen(out) as reader, os.fdopen(into, "wb", buffering=0) as writer, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", reader)
        rows = read_rows("-", cache=Path("/nowhere"))
        for number in range(3):
            writer.write(lines({"text": f"row {number}"}).encode())
            assert texts([next(rows)]) == [f"row {number}"]
        writer.close()
        assert list(rows) == []


def test_an_endless_line_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_tables, "LONGEST_ROW", 1_000)
    long = "x" * 5_000
    assert texts(read(written(tmp_path, "a.jsonl", lines({"text": "a"}, {"text": long}, {"text": "b"})))) == [
        "a",
        2,
        "b",
    ]
    assert texts(read(written(tmp_path, "a.csv", f"text\na\n{long}\nb\n"))) == ["a", 2, "b"]
    monkeypatch.setattr(text_tables, "_CHUNK", 100)
    rows = read(written(tmp_path, "a.json", json.dumps([{"text": "a"}, {"text": long}, {"text": "b"}, {"text": long}])))
    assert texts(rows) == ["a", 2, "b", 4]
    assert reason(rows[1]).startswith("is longer than")


@pytest.mark.medium
def test_memory_stays_flat(tmp_path: Path) -> None:
    line = lines({"text": "word " * 2_000})
    path = written(tmp_path, "a.jsonl", line * 3_000)
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_rows(path, cache=tmp_path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 3_000
    assert path.stat().st_size > 30e6
    assert peak < 6e6


def test_a_cell_of_a_table_may_be_long(tmp_path: Path) -> None:
    assert texts(read(written(tmp_path, "a.csv", "text\n" + "x" * 200_000))) == ["x" * 200_000]


@pytest.mark.parametrize(
    ("name", "content", "count"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": 1}', 2),
        ("a.jsonl", '{"a": 1}\n{"a": 1}\n', 2),
        ("a.jsonl", "", 0),
        ("a.json", "[1]", 1),
        ("a.csv", 'text\n"a\nb"\nc\n', 2),
        ("a.jsonl.gz", gzip.compress(b"{}", mtime=0), 1),
        ("a.jsonl.gz", gzip.compress(b"{}\n" * 50_001, mtime=0), None),
        ("a.bin", "?", None),
        ("gone.jsonl", None, None),
    ],
)
def test_rows_are_counted_where_that_is_cheap(
    name: str, content: str | bytes | None, count: int | None, tmp_path: Path
) -> None:
    assert count_rows(tmp_path / name if content is None else written(tmp_path, name, content)) == count
