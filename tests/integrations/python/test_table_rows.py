"""Table rows in memory: from any library, as plain values, named by their content, and readable repeatedly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factscope as fs
from factscope.engine import Settings
from factscope.integrations.python import DatasetRows, Rows, held_rows
from tests.lab.many_cases import try_all

ROWS: list[dict[str, Any]] = [
    {"id": "a", "answer": "It came in 1858.", "contexts": ["In 1858 it came."], "model": "m1", "round": 1},
    {"id": "b", "answer": "It went in 1957.", "contexts": ["In 1937 it went."], "model": "m2", "round": 2},
]


class Polars:
    """A frame with polars' method."""

    columns = ("answer",)

    def to_dicts(self) -> list[dict[str, Any]]:
        return ROWS


class Arrow:
    """A table with pyarrow's method."""

    column_names = ("answer",)

    def to_pylist(self) -> list[dict[str, Any]]:
        return ROWS


class Pandas:
    """A frame with pandas' method."""

    columns = ("answer",)

    def to_dict(self, orient: str = "dict") -> Any:
        return ROWS if orient == "records" else {"answer": {0: "a"}}


@try_all(
    "make",
    [Polars, Arrow, Pandas, lambda: ROWS, lambda: tuple(ROWS), lambda: iter(ROWS), lambda: (row for row in ROWS)],
)
def test_a_table_from_any_library_gives_the_same_rows(make: Callable[[], Any]) -> None:
    assert held_rows(make()) == ROWS


def test_a_named_index_of_a_data_frame_is_a_column() -> None:
    frame = pytest.importorskip("pandas").DataFrame(ROWS)
    assert held_rows(frame.set_index("id")) == held_rows(frame)
    assert held_rows(frame.set_index("id", drop=False)) == held_rows(frame)
    assert held_rows(frame.rename_axis(columns="field")) == held_rows(frame)
    named = frame.drop(columns="id").rename_axis("id")
    repeated = named.loc[[0, 0]]  # as after `explode`: no id of a row
    assert held_rows(repeated) == held_rows(repeated.reset_index(drop=True))


@try_all(
    ("cell", "plain"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array(["a", None], dtype=object), ["a", None]),
        (float("nan"), None),
        (np.float64("nan"), None),
        ([1.0, float("nan")], [1.0, None]),
        (("a", ("b",)), ["a", ["b"]]),
        ({1: {None: np.int8(2)}}, {"1": {"None": 2}}),
        ("", ""),
        (None, None),
        (False, False),
        (float("inf"), float("inf")),
    ],
)
def test_a_cell_is_a_plain_value(cell: object, plain: object) -> None:
    (row,) = held_rows([{"x": cell}])
    assert row == {"x": plain}
    assert type(row["x"]) is type(plain)


plain_cells = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=15)
@given(st.lists(st.dictionaries(st.text(max_size=4), plain_cells, max_size=4), max_size=5))
def test_plain_rows_are_used_unchanged(rows: list[dict[str, Any]]) -> None:
    assert held_rows(rows) == rows == held_rows(held_rows(rows))


@try_all(
    ("data", "message"),
    [
        ({"answer": ["a"]}, "dict is not a table"),
        (b"answer", "bytes is not a table"),
        (None, "NoneType is not a table"),
        (1.5, "float is not a table"),
        ([ROWS[0], ["a"]], "Row 2 is not a dict but list"),
        ([None], "Row 1 is not a dict but NoneType"),
    ],
)
def test_a_value_that_is_not_a_table_is_named(data: object, message: str) -> None:
    with pytest.raises(fs.UsageError, match=message) as caught:
        held_rows(data)
    assert caught.value.hint


def rows_of(data: Any, limit: int | None = None, **columns: str) -> Rows:
    return Rows(data, columns, Settings(), limit)


def test_a_table_is_identified_by_its_content_whatever_its_column_order() -> None:
    name = rows_of(ROWS).name
    assert rows_of([dict(reversed(row.items())) for row in ROWS]).name == name
    assert rows_of(Polars()).name == name
    assert rows_of([{**row, "note": float("nan")} for row in ROWS]).name != name
    others = [ROWS[::-1], ROWS[:1], [{**ROWS[0], "answer": "It came in 1859."}, ROWS[1]]]
    assert len({name, *(rows_of(other).name for other in others), rows_of(ROWS, text="answer").name}) == 5
    assert rows_of([{"answer": Decimal("1.5")}]).name == rows_of([{"answer": Decimal("1.5")}]).name

    class Chunk:
        """A document of a retriever, whose repr has its address."""

        def __init__(self, text: str) -> None:
            self.text = text

    first, same, other = ([{"answer": "a", "contexts": [Chunk(text)]}] for text in ("It was.", "It was.", "It is."))
    assert rows_of(first).name == rows_of(same).name != rows_of(other).name


def test_rows_are_read_the_same_way_every_time() -> None:
    rows = rows_of([*ROWS, {"id": "c", "answer": 3}])
    first = [response.id for response in rows]
    assert [response.id for response in rows] == first == rows.ids == ["a", "b"]
    assert len(rows.reading.unread) == 1


@try_all(("limit", "n"), [(None, 2), (1, 1), (2, 2), (99, 2)])
def test_a_limit_counts_rows_from_the_start(limit: int | None, n: int) -> None:
    rows = rows_of(ROWS, limit)
    assert rows.count() == n
    assert [response.id for response in rows] == ["a", "b"][:n]


def test_a_limit_takes_no_more_rows_from_a_generator() -> None:
    taken: list[int] = []

    def endless() -> Iterator[dict[str, Any]]:
        for number in count():
            assert number < 9, "more than the limit is taken"
            taken.append(number)
            yield {"id": f"r{number}", "answer": "It came in 1858.", "contexts": ["It came in 1858."]}

    assert [report.score for report in fs.Checker().run(endless(), limit=2).reports] == [1.0, 1.0]
    assert taken == [0, 1]


def test_a_limit_counts_rows_that_cannot_be_read_too() -> None:
    rows = rows_of([{"id": "x", "answer": 3}, *ROWS], 2)
    assert [response.id for response in rows] == ["a"]


def test_short_cells_define_groups_and_long_or_exact_ones_do_not() -> None:
    rows = rows_of(
        [{**ROWS[0], "ok": True, "zero": 0, "share": 0.5, "empty": "", "long": "x" * 101, "edge": "y" * 100}]
    )
    list(rows)
    tags = rows.tags["a"]
    assert (tags["ok"], tags["zero"], tags["edge"], tags["round"]) == ("True", "0", "y" * 100, "1")
    assert not {"share", "empty", "long", "contexts"} & tags.keys()


def test_an_unreadable_row_is_identified_by_its_number_and_keeps_its_groups() -> None:
    rows = rows_of([ROWS[0], {"id": "x", "answer": 3, "model": "m9", "topic": "bridges"}])
    list(rows)
    assert rows.tags[2]["topic"] == "bridges"
    assert rows.tags[2]["model"] == "m9"
    assert [response.id for response in rows] == ["a"]


def test_a_missing_column_is_reported_in_python_terms() -> None:
    with pytest.raises(fs.UsageError, match="Unknown column 'anser'"):
        list(rows_of(ROWS, text="anser"))
    with pytest.raises(fs.UsageError) as caught:
        list(rows_of([{"colour": "red"}]))
    assert 'text="NAME"' in caught.value.hint
    assert "--column" not in caught.value.hint


def test_a_file_and_its_rows_in_memory_give_the_same_responses(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    in_memory, in_file = rows_of(ROWS), rows_of(path)
    assert list(in_memory) == list(in_file) == list(DatasetRows(str(path), {}, Settings(), None))
    assert in_memory.tags == in_file.tags
    assert in_file.count() == 2
    assert in_file.name != in_memory.name
