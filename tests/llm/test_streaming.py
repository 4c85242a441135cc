"""Replies that arrive in pieces: the same as whole ones, and never taken as whole when incomplete."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.llm import (
    Call,
    CallLimits,
    CallUnderWay,
    Ledger,
    Message,
    ModelError,
    Reply,
    StreamedCompletion,
    ask,
    describe,
    endpoint,
    known_prices,
    reasons,
    reply_in,
    room_for,
    runs_on,
)
from tests import lab
from tests.lab import clock
from tests.lab.sse import chunked
from tests.llm.model_requests import QUICK, ask_all, client, kinds, outcomes, question

WHERE = endpoint("openai/lab", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-canary-of-a-key"})
TEXTS = st.text(max_size=80) | st.sampled_from(
    ['{"a": [1, 2]}', "sk-canary-of-a-key is a key", "data: [DONE]\r\n\r\n", "é😀\u2028"]
)


@st.composite
def completions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw chat completions of every kind that `reply_in` distinguishes."""
    text = draw(TEXTS)
    message: dict[str, Any] = {"content": text}
    if draw(st.booleans()):
        message["refusal"] = draw(TEXTS)
    choice: dict[str, Any] = {
        "message": message,
        "finish_reason": draw(st.sampled_from(["stop", "length", "content_filter", None])),
    }
    if draw(st.booleans()):
        choice["logprobs"] = {"content": [{"token": token, "logprob": -0.5} for token in text]}
    usage = (
        {"usage": {"prompt_tokens": 3, "completion_tokens": draw(st.integers(0, 99))}} if draw(st.booleans()) else {}
    )
    return {"choices": [choice], **usage}


def outcome(completion: object) -> tuple[object, ...]:
    try:
        return ("reply", reply_in(completion, WHERE))
    except ModelError as failure:
        return (failure.kind, failure.message, failure.reply)


@given(
    completions(), st.integers(0, 999), st.lists(st.integers(0, 4000), max_size=9), st.sampled_from([b"\n", b"\r\n"])
)
def test_a_streamed_reply_equals_the_whole_one(
    completion: dict[str, Any], seed: int, cuts: list[int], ends: bytes
) -> None:
    data = b"".join(chunked(completion, seed)).replace(b"\n", ends)
    stream, start = StreamedCompletion(WHERE), 0
    for cut in [*sorted(cuts), len(data)]:  # networks split anywhere, even within letters and line ends
        stream.feed(data[start:cut])
        start = max(start, cut)
    assert outcome(stream.completion()) == outcome(completion)


@given(completions(), st.data())
def test_a_cut_stream_is_a_failure(completion: dict[str, Any], data: st.DataObject) -> None:
    chunks = list(chunked({**completion, "choices": [{**completion["choices"][0], "finish_reason": None}]}))
    stream = StreamedCompletion(WHERE)
    for chunk in chunks[: data.draw(st.integers(0, len(chunks) - 1))]:  # without the last: [DONE]
        stream.feed(chunk)
    with pytest.raises(ModelError, match="broke off"):
        stream.completion()


def replies(server: lab.Server, do: dict[str, Any], **more: Any) -> list[Reply | ModelError]:
    server.script([{"do": do}])
    return ask_all(server, [question(number, **more) for number in range(4)])


@pytest.mark.parametrize(
    "do", [{}, {"unframed": True}, {"left_open": True}, {"drip": 0.001}, {"no_usage": True}], ids=str
)
@pytest.mark.parametrize("logprobs", [None, 0])
def test_streamed_and_whole_replies_of_the_server_are_equal(
    server: lab.Server, do: dict[str, Any], logprobs: int | None
) -> None:
    def told(each: Reply | ModelError) -> object:
        return replace(each, seconds=0.0) if isinstance(each, Reply) else each

    streamed = [told(each) for each in replies(server, do, logprobs=logprobs)]
    assert json.loads(server.log()[-1]["body"])["stream"] is True
    whole = [told(each) for each in replies(server, {**do, "whole": True}, logprobs=logprobs)]
    assert kinds(streamed) == ["reply"] * 4  # type: ignore[arg-type]
    assert [replace(each, tokens_in=None) for each in streamed if isinstance(each, Reply)] == [
        replace(each, tokens_in=None) for each in whole if isinstance(each, Reply)
    ]


LONG = "word " * 60


async def ask_paced(
    pauses: Callable[[bytes], tuple[float, float]], calls: Sequence[Call], limits: CallLimits
) -> tuple[list[Reply | ModelError], int]:
    """Ask a server in this loop, under its clock; `pauses` come before a reply and before each of its pieces."""
    n_asked = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_asked
        n_asked += 1
        head = await reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"(?i)content-length: (\d+)", head)
        before, between = pauses(await reader.readexactly(int(size[1]) if size else 0))
        with closing(writer), suppress(ConnectionError, asyncio.CancelledError):  # the client may be gone
            await send(writer, before, between)

    async def send(writer: asyncio.StreamWriter, before: float, between: float) -> None:
        await asyncio.sleep(before)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        choice = {"message": {"role": "assistant", "content": LONG}, "finish_reason": "stop"}
        for piece in chunked({"choices": [choice]}):
            await asyncio.sleep(between)
            writer.write(piece)
            await writer.drain()

    async with (
        await asyncio.start_server(answer, "127.0.0.1", 0) as paced,
        client(lab.Server(paced.sockets[0].getsockname()[1]), limits) as using,
    ):
        return await outcomes(using, calls), n_asked


def test_a_steady_reply_may_take_longer_than_the_limit_on_silence() -> None:
    limits = replace(QUICK, timeout=60.0, head_start=600.0)  # some thirty pieces: many minutes, but no long silence
    (reply,), n_asked = clock.run(ask_paced(lambda _: (0.0, 40.0), [question()], limits))
    assert isinstance(reply, Reply)
    assert (reply.text, n_asked) == (LONG, 1)
    (failed,), _ = clock.run(ask_paced(lambda _: (0.0, 90.0), [question()], replace(limits, tries=1)))
    assert isinstance(failed, ModelError)
    assert failed.kind == "timeout"
    assert "sent nothing for 60 s" in failed.message


def test_a_reply_without_end_is_not_called_silence() -> None:
    limits = replace(QUICK, timeout=60.0, longest=300.0, tries=1)
    (failed,), _ = clock.run(ask_paced(lambda _: (0.0, 40.0), [question()], limits))
    assert isinstance(failed, ModelError)
    assert failed.kind == "timeout"
    assert "had not ended its reply after 300 s" in failed.message


@pytest.mark.parametrize("body", ["data: these are words\n" * 40_000, "data: {\n" + 'data: "id": 1,\n' * 40_000])
def test_a_stream_without_json_ends_at_once(server: lab.Server, body: str) -> None:
    """Each of its lines was tried as the rest of one event: a megabyte took a minute, in which all else stood still."""
    server.script([{"do": {"body": body, "type": "text/event-stream"}}])
    begun = time.process_time()
    (failed,) = ask_all(server, [question()], replace(QUICK, tries=1))
    assert isinstance(failed, ModelError)
    assert (failed.kind, "not JSON" in failed.message) == ("bad_reply", True)
    assert time.process_time() - begun < 5


def test_an_error_in_the_stream_becomes_the_failure_it_names(server: lab.Server) -> None:
    limits = replace(QUICK, tries=2)
    for error, kind in ({"message": "overloaded"}, "server"), ({"code": 429, "message": "slow down"}, "rate_limit"):
        server.script([{"do": {"stream_error": error}}])
        (failed,) = ask_all(server, [question()], limits)
        assert isinstance(failed, ModelError)
        assert (failed.kind, str(error["message"]) in failed.message) == (kind, True)


@pytest.mark.parametrize(
    ("said", "left"),
    [("unknown field stream_options", {"stream": True}), ("streaming is not supported", {"stream": None})],
)
def test_a_server_that_rejects_streaming_options_is_asked_without_them(
    server: lab.Server, said: str, left: dict[str, bool | None]
) -> None:
    refuse = {"status": 400, "json": {"error": {"message": said}}}
    server.script(
        [
            {"when": {"contains": "stream_options"}, "do": refuse},
            {"when": {"contains": '"stream"'}, "do": refuse if left["stream"] is None else {}},
        ]
    )
    assert kinds(ask_all(server, [question(number) for number in range(5)])) == ["reply"] * 5
    last = json.loads(server.log()[-1]["body"])
    assert (last.get("stream"), "stream_options" in last) == (left["stream"], False)


def test_short_replies_are_not_streamed(server: lab.Server) -> None:
    ask_all(server, [question(max_tokens=8)])
    assert "stream" not in json.loads(server.log()[-1]["body"])


def test_a_reply_that_runs_on_is_stopped_and_counted(server: lab.Server) -> None:
    server.script([{"do": {"endless": "- It was opened.\n"}}])
    (failed,) = ask_all(server, [question(room=4000, max_tokens=8192)])
    assert isinstance(failed, ModelError)
    assert failed.kind == "length"
    assert "repeated itself without end" in failed.message
    assert failed.reply is not None
    assert failed.reply.tokens_out
    assert json.loads(server.log()[-1]["body"])["max_tokens"] == 4000
    assert server.count() == 1


@given(st.text(min_size=1, max_size=40), st.text(max_size=200))
def test_only_repetitive_text_counts_as_running_on(passage: str, before: str) -> None:
    assert runs_on(before + passage * 1200)
    rows = "\n".join(f'{{"claim": "s{n}.c1", "label": "supported"}}' for n in range(100))
    assert not runs_on(rows)
    assert not runs_on(passage * 3)


def test_a_reasoning_model_gets_the_tokens_it_needs_once_detected(server: lab.Server) -> None:
    think = {"thoughts": "Let me see.", "finish_reason": "length"}
    server.script([{"when": {"contains": '"max_tokens":300'}, "do": think}])
    call = question(room=300, max_tokens=8192)
    ledger = Ledger()

    async def run() -> list[str]:
        async with client(server, prices=known_prices()) as using:
            return [(await ask(using, each, str, ledger=ledger)).value for each in (call, question(1, room=300))]

    assert len(asyncio.run(run())) == 2
    assert [json.loads(each["body"])["max_tokens"] for each in server.log()] == [300, 8192, 2048]
    assert ledger.usage()[0].calls == 3  # the cut-off reply was paid for


def test_the_token_limit_is_estimated_from_the_question() -> None:
    sentence = "The Marlow bridge was opened in 1931."
    assert room_for([sentence] * 3, each=120, times=6) < 1024
    assert room_for([sentence] * 10, each=120, times=6) < 3 * room_for([sentence] * 3, each=120, times=6)
    assert room_for(["Мост открыт в 1931 году."], each=0, times=1) > room_for(
        ["The bridge opened 1931."], each=0, times=1
    )
    thinking = ["o3-mini", "gpt-5-nano", "openai/gpt-oss-20b", "deepseek-reasoner", "qwen3:4b", "deepseek-r1:7b"]
    assert [reasons(model) for model in thinking] == [True] * 6
    assert not any(
        map(reasons, ["gpt-4.1-mini", "gpt-4o", "SmolLM2-135M-Instruct", "llama3.2:3b", "claude-sonnet-4-5"])
    )


def test_room_and_units_are_not_part_of_the_cache_key(server: lab.Server) -> None:
    call = question(max_tokens=900)

    async def run() -> list[str]:
        async with client(server) as using:
            return [using.key(each) for each in (call, replace(call, room=300, units=8))]

    first, second = asyncio.run(run())
    assert first == second


def test_a_timed_out_call_about_several_units_is_not_repeated(server: lab.Server) -> None:
    server.script([{"do": {"hang": True}}])
    call = Call("judge", "openai/lab", (Message("user", "eight claims"),), units=8)
    (failed,) = ask_all(server, [call], replace(QUICK, timeout=0.2))
    assert isinstance(failed, ModelError)
    assert (failed.kind, server.count()) == ("timeout", 1)


def test_a_call_waits_while_its_server_answers_others() -> None:
    limits = replace(QUICK, timeout=60.0, head_start=0.01)
    both, n_asked = clock.run(
        ask_paced(
            lambda body: (0.0, 10.0) if b"question 0" in body else (100.0, 0.0), [question(0), question(1)], limits
        )
    )
    assert (kinds(both), n_asked) == (["reply", "reply"], 2)


def test_the_description_of_calls_under_way_says_what_they_wait_for() -> None:
    judging = CallUnderWay("judge", 8, tokens=412, attempt=2, tries=3, resumes=1.0, asked_wait=30.0, begun=1.0)
    assert (
        describe([judging]) == "judging 8 claims · 412 tokens so far · attempt 2 of 3 · the server asked to wait 30 s"
    )
    assert describe([CallUnderWay("extract", begun=0.5), judging]).startswith(
        "extracting claims from 1 sentence · 1 other call"
    )
    assert describe([]) == ""
