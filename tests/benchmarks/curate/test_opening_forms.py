"""The opening of a conversation, for every form of log and every way its cells are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.curate import NoPromptError, is_nothing, read_opening
from tests.lab.many_cases import try_all

Chat = list[tuple[str, str]]
"""Turns as pairs of author and text."""


def lmsys(chat: Chat) -> dict[str, Any]:
    return {"conversation_id": "c", "conversation": [{"role": author, "content": text} for author, text in chat]}


def wildchat(chat: Chat) -> dict[str, Any]:
    return {"conversation_hash": "c", "conversation": [{"role": author, "content": text} for author, text in chat]}


def sharegpt(chat: Chat) -> dict[str, Any]:
    names = {"user": "human", "assistant": "gpt"}
    turns = [{"from": names.get(author, author), "value": text} for author, text in chat]
    return {"id": "c", "conversations": turns}


def messages(chat: Chat) -> dict[str, Any]:
    return {"id": "c", "messages": [{"role": author, "content": text} for author, text in chat]}


def as_text(chat: Chat) -> dict[str, Any]:
    """Write the turns as JSON in a cell, as in a table."""
    return {"id": "c", "conversation": json.dumps(messages(chat)["messages"])}


def in_the_prompt(chat: Chat) -> dict[str, Any]:
    return {"id": "c", "prompt": messages(chat)["messages"]}


FORMS = [lmsys, wildchat, sharegpt, messages, as_text, in_the_prompt]
words = st.text(st.sampled_from("ab é?\n"), min_size=1, max_size=8).filter(lambda text: text.strip())
chats = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), words), max_size=6)


@settings(max_examples=25)
@given(chats)
def test_every_form_gives_the_same_opening(chat: Chat) -> None:
    spoken = [(author, text.strip()) for author, text in chat if author in ("user", "assistant")]
    for form in FORMS:
        if not spoken or spoken[0][0] != "user":
            with pytest.raises(NoPromptError):
                read_opening(form(chat))
            continue
        opening = read_opening(form(chat))
        answered = len(spoken) > 1 and spoken[1][0] == "assistant"
        assert (opening.prompt, opening.response) == (spoken[0][1], spoken[1][1] if answered else None), form
        assert opening.conversation == "c"


@try_all(
    ("form", "source"),
    [(lmsys, "lmsys"), (wildchat, "wildchat"), (sharegpt, "sharegpt"), (messages, "plain"), (in_the_prompt, "plain")],
)
def test_the_source_is_recognised_by_the_row_format(form: Callable[[Chat], dict[str, Any]], source: str) -> None:
    assert read_opening(form([("user", "Why?")])).source == source


@try_all("author", ["user", "User", " HUMAN ", "prompter"])
def test_the_user_role_has_several_names_in_logs(author: str) -> None:
    assert read_opening(messages([(author, "Why?"), ("BOT", "Because.")])).response == "Because."


def test_columns_match_in_any_case_and_the_first_non_empty_one_counts() -> None:
    row = {" Prompt ": None, "INSTRUCTION": "Why?", "Response": None, "Answer": "So.", "Model_Name": "gpt-4", "ID": 0}
    opening = read_opening(row)
    assert (opening.prompt, opening.response, opening.model, opening.conversation) == ("Why?", "So.", "gpt-4", "0")
    blank = {"prompt": "", "question": "Why?", "response": float("nan"), "answer": "So.", "messages": []}
    assert read_opening(blank)[2:4] == ("Why?", "So.")


@try_all("chat", ['[{"role": "user", "content": "Why?"}]', '\n[\n  {\n"role": "user", "content": "Why?"}\n]\n'])
def test_a_chat_may_be_json_in_a_cell(chat: str) -> None:
    assert read_opening({"conversation": chat}).prompt == "Why?"
    assert read_opening({"prompt": chat}).prompt == "Why?"


def test_a_prompt_that_looks_like_a_chat_is_text() -> None:
    for prompt in ("[]", "[1, 2] sorted?", '[{"a": 1}]', '[{"a":' + "[" * 100_000):
        assert read_opening({"prompt": prompt}).prompt == prompt


def test_a_name_is_one_short_line() -> None:
    opening = read_opening({"prompt": "Why?", "model": " gpt\n 4 ", "language": "x" * 999, "id": ["a"]})
    assert (opening.model, opening.conversation) == ("gpt 4", None)
    assert opening.language is not None
    assert len(opening.language) == 200
    for cell in (True, {}, "", "nan", float("nan"), "half \ud83d"):
        assert read_opening({"prompt": "Why?", "model": cell}).model is None


@try_all(
    ("cell", "day"),
    [
        (date(2023, 4, 9), "2023-04-09"),
        (datetime(2023, 4, 9, 23, 59, tzinfo=UTC), "2023-04-09"),
        ("2023-04-09", "2023-04-09"),
        (0, "1970-01-01"),
        (-10 * 86_400, "1969-12-22"),
        ("1681000000", "2023-04-09"),
        ("1681000000000.0", "2023-04-09"),
        ("2023", None),
        ("202405171230", None),
        ("09.04.2023", None),
        ("2023-02-30", None),
        ([2023], None),
    ],
)
def test_the_day_of_a_conversation_is_read_from_many_forms(cell: Any, day: str | None) -> None:
    assert read_opening({"prompt": "Why?", "date": cell}).date == day


def test_redaction_is_recognised_in_the_row_or_in_a_turn() -> None:
    assert not read_opening(lmsys([("user", "Why?")])).redacted
    assert read_opening({**lmsys([("user", "Why?")]), "redacted": True}).redacted
    assert read_opening({"prompt": "Why?", "redacted": "True"}).redacted, "as in a CSV file"
    assert not read_opening({"prompt": "Why?", "redacted": "False"}).redacted
    row = lmsys([("user", "Why?"), ("assistant", "So.")])
    row["conversation"][1]["redacted"] = True
    assert read_opening(row).redacted


@try_all(
    ("cell", "empty"),
    [
        (None, True),
        ("", True),
        (" \t\n", True),
        ("\u200b\u2060", True),
        ("NaN", True),
        ("<NA>", True),
        (float("nan"), True),
        ("0", False),
        ("?", False),
        ("nano", False),
        (0, False),
        (False, False),
        ([], False),
    ],
)
def test_cells_without_content_count_as_empty(cell: Any, empty: bool) -> None:
    assert is_nothing(cell) is empty
