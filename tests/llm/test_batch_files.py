"""Batch folders as people fill them: odd names, odd characters, invalid replies."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from factscope.core import InputError
from factscope.llm import REPLY, BatchFolder, Call, Message, ModelClient, ModelError, request_files


def ask(folder: Path, *models: str, **environment: str) -> list[str]:
    """Ask each model a question, and return its reply or the reason for having none."""

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
    """List the ids of waiting calls."""
    return [
        json.loads(line)["custom_id"] for path in request_files(folder) for line in path.read_text().split("\n") if line
    ]


def reply(key: str, text: str) -> str:
    body = {"choices": [{"message": {"content": text}}]}
    return json.dumps({"custom_id": key, "response": {"body": body}}, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", ["requests-openai-by-hand.jsonl", "requests-openai-by-hand.results.jsonl", "a.jsonl"])
def test_replies_in_a_file_of_any_name_are_read_and_never_deleted(tmp_path: Path, name: str) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    (tmp_path / name).write_text(reply(key, "So."))
    assert ask(tmp_path) == ["So."]
    assert ask(tmp_path, "openai/by-hand", "openai/other")[0] == "So."
    assert (tmp_path / name).read_text() == reply(key, "So.")
    assert len(waiting(tmp_path)) == 1


def test_replies_saved_by_a_windows_editor_are_read(tmp_path: Path) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    words = "One\u2028line, as JSON sees it."
    (tmp_path / "a.jsonl").write_text(reply(key, words).replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    assert ask(tmp_path) == [words]


def test_the_reason_for_a_failed_call_is_reported_without_the_key(tmp_path: Path) -> None:
    key, secret = "OPENAI_API_KEY", "sk-canary-0123456789"
    ask(tmp_path, **{key: secret})
    (call,) = waiting(tmp_path)
    for before in (0, 150, 185):  # also where the reason is truncated
        line = {"custom_id": call, "error": {"message": f"{'x' * before} {secret} is \x1b[31mwrong"}}
        (tmp_path / "a.jsonl").write_text(json.dumps(line) + "\n")
        (told,) = ask(tmp_path, **{key: secret})
        assert "The last try failed: " in told
        assert "canary" not in told
        assert "\x1b" not in told
    (tmp_path / "b.jsonl").write_text(reply(call, "So."))
    assert ask(tmp_path, **{key: secret}) == ["So."]  # a reply takes precedence over an earlier failure, in any file


def test_replies_may_be_appended_to_the_requests(tmp_path: Path) -> None:
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


def test_models_with_similar_names_have_separate_files(tmp_path: Path) -> None:
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
def test_an_invalid_reply_is_named(tmp_path: Path, response: object) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps({"custom_id": "1", "response": response}) + "\n")
    if response:
        with pytest.raises(InputError, match=r"replies\.jsonl, line 1, is not a batch reply") as caught:
            ask(tmp_path)
        assert REPLY in caught.value.hint
    else:
        assert ask(tmp_path)[0].startswith("pending")


def test_a_line_that_is_nested_too_deeply_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"replies\.jsonl, line 1, is not a batch reply"):
        ask(tmp_path)


def test_the_failure_of_an_earlier_attempt_is_reported_without_a_key(tmp_path: Path) -> None:
    ask(tmp_path)
    (key,) = waiting(tmp_path)
    body = {"error": {"message": "Unknown parameter of sk-canary-1."}}
    failed = {"custom_id": key, "response": {"status_code": 400, "body": body}, "error": None}
    (tmp_path / "replies.jsonl").write_text(json.dumps(failed) + "\n")
    (said,) = ask(tmp_path, OPENAI_API_KEY="sk-canary-1")
    assert "Unknown parameter" in said
    assert "canary" not in said
    assert waiting(tmp_path) == [key]


def test_a_copy_of_the_requests_is_not_a_reply(tmp_path: Path) -> None:
    ask(tmp_path)
    (path,) = request_files(tmp_path)
    (tmp_path / "part-1.jsonl").write_text(path.read_text())
    assert ask(tmp_path)[0].startswith("pending")
    assert (tmp_path / "part-1.jsonl").exists()


def test_the_form_shown_in_messages_is_readable(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(REPLY, encoding="utf-8")
    assert ask(tmp_path)[0].startswith("pending")
