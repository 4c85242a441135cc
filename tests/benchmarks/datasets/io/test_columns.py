"""Columns: how they are recognised, what the user can override, and how ids, chats and contexts are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets.io import BadRow, read_rows
from factscope.core import UsageError
from factscope.core.records import Response
from tests.benchmarks.datasets.io.reading import lines, one, read, reason, texts, written

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "First?"},
    {"role": "assistant", "content": "One."},
    {"role": "user", "content": [{"type": "text", "text": "Second?"}, {"type": "image"}]},
    {"role": "assistant", "content": "Two."},
    {"role": "user", "content": "Third?"},
]


def test_the_first_column_that_exists_counts(tmp_path: Path) -> None:
    row = {
        "generation": "g", "answer": "a", "output": "o", "query": "q", "question": "?", "sample_id": 9, "uid": 8,
        "model_name": "n", "model": "m", "system": "s", "documents": "d",
    }  # fmt: skip
    response = one(read(written(tmp_path, "a.jsonl", lines(row))))
    assert (response.text, response.prompt, response.id, response.model, response.system) == ("o", "?", "8", "m", "s")
    assert [document.text for document in response.context] == ["d"]


def test_the_first_row_that_has_a_column_decides_for_all(tmp_path: Path) -> None:
    rows = read(
        written(
            tmp_path,
            "a.jsonl",
            lines(
                {"n": 1},
                {"answer": "one"},
                {"response": "two", "answer": "2"},
                {"response": "three"},
                {"answer": "4", "query": "q"},
            ),
        )
    )
    assert texts(rows) == [1, "one", "2", 4, "4"]
    assert reason(rows[0]).startswith("has none of the columns response, text")
    assert isinstance(rows[4], Response)
    assert rows[4].prompt == "q"


def test_columns_named_by_the_user_take_precedence(tmp_path: Path) -> None:
    row = {"response": "r", "mine": "m", "prompt": "p", "a.b": "flat", "a": {"b": "deep"}, "choices": [{"text": "c"}]}
    path = written(tmp_path, "a.jsonl", lines(row))
    assert one(read(path, {"text": "mine"})).text == "m"
    assert one(read(path, {"text": "choices.0.text"})).text == "c"
    assert one(read(path, {"model": "a.b"})).model == "flat"
    assert one(read(path, {"prompt": ""})).prompt is None
    assert one(read(path, {"text": "prompt"})).prompt is None, "one column is not two things"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"txt": "a"}, "'txt' is nothing that a column could hold. Did you mean text?"),
        ({"text": ""}, "The text to check needs a column."),
        ({"text": "respnse"}, "Unknown column 'respnse', which was named for text. Did you mean 'response'?"),
        ({"prompt": "x.0.y"}, "Unknown column 'x.0.y', which was named for prompt. Columns: 'response', 'a\\x1b'."),
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_misspelled_column_is_not_read_as_an_empty_one(
    columns: dict[str, str], message: str, name: str, tmp_path: Path
) -> None:
    content = "response,a\x1b\nr,1\n" if name == "a.csv" else lines({"response": "r", "a\x1b": 1})
    with pytest.raises(UsageError, match=re.escape(message)):
        read(written(tmp_path, name, content), columns)


def test_a_rare_column_may_first_appear_late_but_not_too_late(tmp_path: Path) -> None:
    rows = [{"text": str(number)} for number in range(150)]
    early, late = [*rows[:50], {"text": "x", "mine": "p"}, *rows[50:]], [*rows, {"text": "x", "mine": "p"}]
    found = read(written(tmp_path, "a.jsonl", lines(*early)), {"prompt": "mine"})
    assert [row.prompt for row in found if isinstance(row, Response)][50] == "p"
    with pytest.raises(UsageError, match="Unknown column 'mine'"):
        read(written(tmp_path, "a.jsonl", lines(*late)), {"prompt": "mine"})


@pytest.mark.parametrize("column", ["messages", "conversation"])
def test_the_last_assistant_turn_of_a_chat_is_checked(column: str, tmp_path: Path) -> None:
    response = one(read(written(tmp_path, "a.jsonl", lines({column: CHAT}))))
    assert (response.text, response.prompt, response.system) == ("Two.", "Second?", "Be brief.")


@pytest.mark.parametrize(
    ("row", "text", "prompt"),
    [
        ({"messages": CHAT, "response": "r"}, "r", "Third?"),
        ({"messages": CHAT, "prompt": "p"}, "Two.", "p"),
        ({"prompt": CHAT[:2], "completion": [CHAT[2]]}, "One.", "First?"),
        ({"messages": [CHAT[2]]}, "One.", None),
    ],
)
def test_a_chat_fills_in_missing_columns(row: dict[str, object], text: str, prompt: str | None, tmp_path: Path) -> None:
    response = one(read(written(tmp_path, "a.jsonl", lines(row))))
    assert (response.text, response.prompt) == (text, prompt)


@pytest.mark.parametrize("chat", [[], CHAT[:2], [{"role": "assistant"}], [{"role": "assistant", "content": []}], ["x"]])
def test_a_chat_without_an_answer_is_a_bad_row(chat: list[object], tmp_path: Path) -> None:
    rows = read(written(tmp_path, "a.jsonl", lines({"messages": chat}, {"messages": CHAT})))
    assert texts(rows) == [1, "Two."]


def test_contexts_become_documents(tmp_path: Path) -> None:
    context = [
        "plain",
        {"text": "of\u202e a page\r\n", "title": " Its\n title ", "url": "https://example.org/a"},
        {"text": "plain", "url": "javascript:alert(1)"},
        {"text": " "},
        None,
    ]
    first, second = one(read(written(tmp_path, "a.jsonl", lines({"text": "t", "context": context})))).context
    assert (first.text, first.url, first.id) == ("plain", None, "context-1")
    assert (second.text, second.title, second.url) == ("of a page\n", "Its title", "https://example.org/a")
    assert second.flags == ("hidden_text_removed",)
    single = one(read(written(tmp_path, "a.jsonl", lines({"text": "t", "document": {"text": "plain"}}))))
    assert single.context == (first,)


@pytest.mark.parametrize("context", [3, [3], [{"text": ["a"]}], [["a"]], {"text": "a", "title": 4}])
def test_an_invalid_context_makes_a_bad_row(context: object, tmp_path: Path) -> None:
    rows = read(written(tmp_path, "a.jsonl", lines({"text": "t"}, {"text": "t", "context": context})))
    assert texts(rows) == ["t", 2]


def test_a_context_under_an_unknown_key_is_not_silently_ignored(tmp_path: Path) -> None:
    context = ["plain", {"chunk": "a"}]
    [bad] = read(written(tmp_path, "a.jsonl", lines({"text": "t", "contexts": context})))
    assert isinstance(bad, BadRow)
    assert "holds an object without text: it has 'chunk', and none of text, page_content" in bad.reason
    assert "number 2 of 2" in bad.reason


def test_a_context_with_only_an_address_stands_for_that_page(tmp_path: Path) -> None:
    by_key, by_itself = [{"url": "https://example.org/a"}], ["https://example.org/a"]
    first, second = (
        one(read(written(tmp_path, "a.jsonl", lines({"text": "t", "contexts": each})))).context
        for each in (by_key, by_itself)
    )
    assert first == second
    assert [document.url for document in first] == ["https://example.org/a"]


def test_ids_are_made_valid(tmp_path: Path) -> None:
    ids = [7, 7.5, "s3", "s3.c1", "s3x", " a\n b ", "", None, "Ü"]
    rows = read(written(tmp_path, "a.jsonl", lines(*({"text": "t", "id": each} for each in ids))))
    assert [row.id for row in rows if isinstance(row, Response)] == [
        "7", "7.5", "r-s3", "r-s3.c1", "s3x", "a b", "r7", "r8", "Ü",
    ]  # fmt: skip


@given(st.lists(st.text() | st.integers() | st.none(), max_size=20))
def test_responses_have_unique_ids_whatever_the_ids_of_the_rows(ids: list[object]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = written(Path(folder), "a.jsonl", lines({"text": "t"}, *({"text": "t", "id": each} for each in ids)))
        rows = read(path)
    assert len(rows) == len(ids) + 1
    found = [row.id for row in rows if isinstance(row, Response)]
    assert len(set(found)) == len(found)


def test_a_repeated_id_names_the_earlier_row(tmp_path: Path) -> None:
    rows = [{"text": "t", "id": f"q{number}"} for number in range(5_000)]
    again = [
        {"text": "t", "id": "q17"},
        {"text": "t", "id": "q4999"},
        {"text": "t", "id": None},
        {"text": "t", "id": "r5003"},
    ]
    path = written(tmp_path, "a.jsonl", lines(*rows, *again))
    bad = [row for row in read_rows(path, cache=tmp_path) if isinstance(row, BadRow)]
    assert bad == [
        BadRow(5_001, "has the id 'q17', which row 18 has already"),
        BadRow(5_002, "has the id 'q4999', which row 5,000 has already"),
        BadRow(5_004, "has the id 'r5003', which row 5,003 has already"),
    ]


def test_a_response_with_odd_characters_can_be_serialised(tmp_path: Path) -> None:
    row = {"text": "t\x00", "context": "\ud800 c", "id": "\x1b[31mred"}
    response = one(read(written(tmp_path, "a.jsonl", lines({**row, "context": "c"}))))
    assert json.loads(response.model_dump_json())["id"] == "[31mred"
