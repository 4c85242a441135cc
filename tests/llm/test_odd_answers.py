"""Odd answers of servers: no piece of a key is shown, no half character stored, no invalid number accepted."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core import InputError
from factscope.llm import (
    Cache,
    Call,
    Message,
    ModelClient,
    ModelError,
    ReplaySender,
    Reply,
    Sender,
    Settle,
    StreamedCompletion,
    endpoint,
    failure_of,
    reply_from_json,
    reply_in,
    reply_to_json,
)
from tests.lab.many_cases import try_all

KEY = "sk-canary/0123456789+abcdefgh"
WHERE = endpoint("openai/lab", {"OPENAI_API_KEY": KEY})
CODED = base64.b64encode(KEY.encode()).decode()


def completion(text: object = "yes", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, **more}]}


@settings(max_examples=60)
@given(st.integers(0, 850), st.sampled_from([KEY, quote(KEY, safe=""), CODED]), st.sampled_from([" ", "x", "é", "\n"]))
def test_no_part_of_the_key_is_shown_wherever_it_occurs(before: int, form: str, filler: str) -> None:
    page = f"{filler * before}{form} is not a key"
    for content in (page, json.dumps({"error": {"message": page}}), json.dumps({"detail": page})):
        shown = failure_of(401, {}, content.encode(), WHERE, 0.0).message
        assert not any(form[start : start + 8] in shown for start in range(len(form) - 7)), shown
        assert len(shown) < 400
        assert "\n" not in shown


@try_all(
    ("content", "words"),
    [
        (b"", "it gave no reason"),
        (b"null", "it gave no reason"),
        (b'{"error": {}}', "it gave no reason"),
        (b'{"error": "too hot"}', "too hot"),
        (b'{"error": {"message": "too hot."}}', "too hot"),
        (b'{"error": {"message": {"detail": "too hot"}}}', "too hot"),
        (b'{"message": ["too", "hot"]}', "it gave no reason"),
        (b'[{"error": {"message": "too hot"}}]', "too hot"),
        (b'{"detail": [{"loc": ["body"], "msg": "too hot"}]}', "too hot"),
        (b'{"message": {"detail": [{"msg": "too hot"}]}}', "too hot"),
        (b"\xff\xfe too\x00 \x1b[31mhot", "too [31mhot"),
        (b"[" * 100_000, "[[[["),
    ],
)
def test_the_reason_given_by_a_server_is_found_and_cleaned(content: bytes, words: str) -> None:
    shown = failure_of(500, {}, content, WHERE, 0.0)
    assert words in shown.message
    assert shown.message.isprintable()
    assert (shown.kind, shown.again, shown.fatal) == ("server", True, False)


def test_a_character_streamed_in_two_halves_is_reassembled() -> None:
    stream = StreamedCompletion(WHERE)
    for half in ("a \\ud83d", "\\ude00 b", " \\ud83d."):
        stream.feed(b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % half.encode())
    stream.feed(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
    assert reply_in(stream.completion(), WHERE).text == "a 😀 b ?."


def test_a_repeating_text_with_lone_surrogates_is_stopped_and_can_be_stored() -> None:
    stream = StreamedCompletion(WHERE, stop_loops=True)
    with pytest.raises(ModelError, match="repeated itself") as failure:
        stream.feed(b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % (b"ab \\ud83d " * 500))
    assert failure.value.reply is not None
    assert failure.value.reply.text == "ab ? " * 500


@settings(max_examples=60)
@given(st.text(alphabet=st.sampled_from("aé\u2028😀\ud83d\ude00"), max_size=12))
def test_the_text_of_a_reply_can_be_stored_and_retains_its_length(text: str) -> None:
    reply = reply_in(completion(text), WHERE)
    assert reply_from_json(reply_to_json(reply)).text == reply.text
    assert len(reply.text.encode("utf-16-le")) == len(text.encode("utf-16-le", "surrogatepass"))
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert reply.text == text


@try_all("number", [10**400, None, "high", [], {}])
def test_an_invalid_probability_leaves_the_reply_without_probabilities(number: object) -> None:
    for token in (
        {"token": "yes", "logprob": number},
        {"token": "yes", "logprob": -1, "top_logprobs": [{"token": "no"}]},
    ):
        reply = reply_in(completion(logprobs={"content": [{"token": "a", "logprob": -0.5}, token]}), WHERE)
        assert (reply.text, reply.logprobs) == ("yes", None)


@try_all("content", [None, "yes", [None], ["yes"], [{"logprob": -1}], [[]]])
def test_probabilities_in_an_unknown_form_do_not_invalidate_the_reply(content: object) -> None:
    assert reply_in(completion(logprobs={"content": content}), WHERE).logprobs is None


def test_the_probability_of_an_impossible_token_is_preserved() -> None:
    top = [{"token": "no", "logprob": float("-inf")}]
    reply = reply_in(completion(logprobs={"content": [{"token": "yes", "logprob": 0, "top_logprobs": top}]}), WHERE)
    assert reply.logprobs == (("yes", 0.0, (("no", float("-inf")),)),)
    assert reply_from_json(reply_to_json(reply)).logprobs == reply.logprobs


@try_all("usage", [None, "many", [], {"prompt_tokens": "7"}, {"prompt_tokens": -7}, {"prompt_tokens": True}, {"x": 7}])
def test_an_invalid_token_count_is_unknown_and_not_zero(usage: object) -> None:
    reply = reply_in({**completion(), "usage": usage}, WHERE)
    assert (reply.tokens_in, reply.tokens_out) == (None, None)


class Cutting(Sender):
    """Answers every call with a cut-off reply."""

    def __init__(self) -> None:
        self.sent = 0

    def address(self, model: str) -> str:
        return "lab"

    async def send(self, call: Call, settle: Settle) -> Reply:
        self.sent += 1
        await asyncio.sleep(0)
        raise ModelError("length", "Cut off.", reply=Reply("as far as", "length", 7, 3, cost=0.5))


def test_identical_concurrent_questions_share_one_cut_off_reply_paid_for_once() -> None:
    """A method may read such a reply, so equal texts must end alike."""
    sender = Cutting()

    async def run() -> list[Any]:
        async with ModelClient(sender) as using:
            calls = (using.complete(Call("judge", "openai/lab", (Message("user", "?"),))) for _ in range(3))
            return await asyncio.gather(*calls, return_exceptions=True)

    failures = asyncio.run(run())
    assert sender.sent == 1
    assert [failure.reply.text for failure in failures] == ["as far as"] * 3
    assert sorted(failure.reply.cached for failure in failures) == [False, True, True]
    assert len({id(failure) for failure in failures}) == 3


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_a_cut_off_reply_is_a_failure_unless_truncation_is_allowed(reason: str) -> None:
    values = completion("as far as", finish_reason=reason)
    with pytest.raises(ModelError) as failure:
        reply_in(values, WHERE)
    assert (failure.value.kind, failure.value.reply and failure.value.reply.text) == ("length", "as far as")
    assert reply_in(values, WHERE, cut_is_whole=True).text == "as far as"
    filtered = completion("as far as", finish_reason="content_filter")
    with pytest.raises(ModelError, match="content filter") as failure:
        reply_in(filtered, WHERE, cut_is_whole=True)
    assert failure.value.kind == "refusal"


@try_all("text", [None, 7, ["yes"], {"text": "yes"}])
def test_a_recorded_reply_without_a_text_is_named_and_not_replayed(text: object, tmp_path: Path) -> None:
    request = Call("judge", "openai/lab", (Message("user", "?"),)).identity("lab")
    reply = {**json.loads(reply_to_json(Reply("yes", "stop"))), "text": text}
    call = {"key": request.key, "request": json.loads(request.request), "reply": reply}
    path = tmp_path / "recording.jsonl"
    path.write_text(json.dumps(call) + "\n")
    with (
        Cache(tmp_path / f"{len(str(text))}.db") as cache,
        pytest.raises(InputError, match="line 1, is not a recorded"),
    ):
        ReplaySender(path, cache)
