"""Batch folders as people fill them: odd names, odd characters, replies that are none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from factscope.core.errors import InputError
from factscope.llm import Call, Message, ModelClient, ModelError
from factscope.llm.batch import REPLY, BatchFolder, request_files


def ask(folder: Path, *models: str, **environment: str) -> list[str]:
    """Put a question to each model; what comes back, or why nothing does."""

    async def run() -> list[str]:
        said = []
        async with ModelClient(BatchFolder(folder, environment)) as using:
            for model in models or ("openai/by-hand",):
                try:
                    said.append((await using.complete(Call("judge", model, (Message("user", "Why?"),)))).text)
                except ModelError as error:
                    said.append(f"{error.kind}: {error}")
        return said

    return asyncio.run(run())


def waiting(folder: Path) -> list[str]:
    """Ids of the calls that wait."""
    return [
        json.loads(line)["custom_id"] for path in request_files(folder) for line in path.read_text().split("\n") if line
    ]


def reply(key: str, text: str) -> str:
    body = {"choices": [{"message": {"content": text}}]}
    return json.dumps({"custom_id": key, "response": {"body": body}}, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", ["requests-openai-by-hand.jsonl", "requests-openai-by-hand.results.jsonl", "a.jsonl"])
def test_replies_are_read_and_never_deleted_whatever_their_file_is_called(tmp_path: Path, name: str) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    (tmp_path / name).write_text(reply(key, "So."))
    assert ask(tmp_path) == ["So."]
    assert ask(tmp_path, "openai/by-hand", "openai/other")[0] == "So."
    assert (tmp_path / name).read_text() == reply(key, "So.")
    assert len(waiting(tmp_path)) == 1


def test_replies_from_an_editor_of_windows_are_read(tmp_path: Path) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    words = "One\u2028line, as JSON sees it."
    (tmp_path / "a.jsonl").write_text(reply(key, words).replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    assert ask(tmp_path) == [words]


def test_the_reason_of_a_failed_call_is_told_without_the_key(tmp_path: Path) -> None:
    key, secret = "OPENAI_API_KEY", "sk-canary-0123456789"
    ask(tmp_path, **{key: secret})
    (call,) = waiting(tmp_path)
    for before in (0, 150, 185):  # also where the reason is cut
        line = {"custom_id": call, "error": {"message": f"{'x' * before} {secret} is \x1b[31mwrong"}}
        (tmp_path / "a.jsonl").write_text(json.dumps(line) + "\n")
        (told,) = ask(tmp_path, **{key: secret})
        assert "The last try failed: " in told
        assert "canary" not in told
        assert "\x1b" not in told
    (tmp_path / "b.jsonl").write_text(reply(call, "So."))
    assert ask(tmp_path, **{key: secret}) == ["So."]  # a reply goes before an earlier failure, in any file


def test_replies_may_stand_below_the_requests(tmp_path: Path) -> None:
    ask(tmp_path)
    (path,) = request_files(tmp_path)
    with path.open("a") as file:
        file.write(reply(waiting(tmp_path)[0], "So."))
    for _ in range(2):
        assert ask(tmp_path) == ["So."]
    assert request_files(tmp_path) == []


def test_a_reply_may_hold_any_character(tmp_path: Path) -> None:
    ask(tmp_path)
    text = "line\u2028separator\x85next\x0cpage"
    (tmp_path / "replies.jsonl").write_text(reply(*waiting(tmp_path), text), encoding="utf-8")
    assert ask(tmp_path) == [text]


def test_models_of_a_like_name_keep_files_apart(tmp_path: Path) -> None:
    ask(tmp_path, "openai/a:b", "openai/a-b")
    assert len(waiting(tmp_path)) == len(set(waiting(tmp_path))) == 2


@pytest.mark.parametrize(
    "response",
    [
        {"body": {"text": "So."}},
        {"body": "So."},
        {"body": {"choices": []}},
        {"body": {"choices": [{"text": "So."}]}},
        {"body": {"choices": [{"message": {}}]}},
        {},
        "So.",
    ],
)
def test_a_reply_that_is_none_is_named(tmp_path: Path, response: object) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps({"custom_id": "1", "response": response}) + "\n")
    if response:
        with pytest.raises(InputError, match=r"replies\.jsonl, line 1, is not a batch reply") as caught:
            ask(tmp_path)
        assert REPLY in caught.value.hint
    else:
        assert ask(tmp_path)[0].startswith("pending")


def test_why_an_earlier_try_failed_is_told_without_a_key(tmp_path: Path) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    body = {"error": {"message": "Unknown parameter of sk-canary-1."}}
    failed = {"custom_id": key, "response": {"status_code": 400, "body": body}, "error": None}
    (tmp_path / "replies.jsonl").write_text(json.dumps(failed) + "\n")
    (said,) = ask(tmp_path, OPENAI_API_KEY="sk-canary-1")
    assert "Unknown parameter" in said
    assert "canary" not in said
    assert waiting(tmp_path) == [key]


def test_a_copy_of_the_requests_is_no_reply(tmp_path: Path) -> None:
    ask(tmp_path)
    (path,) = request_files(tmp_path)
    (tmp_path / "part-1.jsonl").write_text(path.read_text())
    assert ask(tmp_path)[0].startswith("pending")
    assert (tmp_path / "part-1.jsonl").exists()


def test_the_form_that_messages_show_is_one_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(REPLY, encoding="utf-8")
    assert ask(tmp_path)[0].startswith("pending")
