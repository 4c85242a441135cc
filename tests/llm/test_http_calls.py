"""Calls over HTTP, good and bad, as a real server sees them."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from factscope.core import UsageError
from factscope.llm import Call, CallLimits, HttpSender, Message, ModelClient, ModelError, Reply
from tests import lab
from tests.conftest import at_least
from tests.lab import warm
from tests.llm.model_requests import KEY, QUICK, ask_all, client, environment, kinds, outcomes, question


def failure(ended: list[Reply | ModelError]) -> ModelError:
    (only,) = ended
    assert isinstance(only, ModelError)
    return only


def test_a_call_sends_only_what_was_asked(server: lab.Server) -> None:
    call = Call(
        role="judge",
        model="openai/lab",
        messages=(Message("system", "Be brief."), Message("user", "Grüße 😀")),
        max_tokens=7,
        seed=3,
        logprobs=2,
    )
    (reply,) = ask_all(server, [call])
    assert isinstance(reply, Reply)
    assert reply.text.startswith("reply ")
    assert (reply.finish_reason, reply.cached, reply.cost) == ("stop", False, None)
    assert reply.tokens_in
    assert reply.logprobs
    (seen,) = server.log()
    assert seen["path"] == "/v1/chat/completions"
    assert seen["authorization"] == f"Bearer {KEY}"
    assert json.loads(seen["body"]) == {
        "model": "lab",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Grüße 😀"}],
        "temperature": 0.0,
        "max_tokens": 7,
        "seed": 3,
        "logprobs": True,
        "top_logprobs": 2,
    }


def test_temperature_is_sent_as_it_is_or_not_at_all(server: lab.Server) -> None:
    ask_all(server, [question(0, temperature=0.0), question(1, temperature=0.9), question(2, temperature=None)])
    sent = {json.loads(each["body"]).get("temperature") for each in server.log()}
    assert sent == {0.0, 0.9, None}


WRONG_KEY = [{"error": {"code": 400, "message": "API key not valid. Please pass one.", "status": "INVALID_ARGUMENT"}}]


@pytest.mark.parametrize(
    "do", [{"status": 400, "json": WRONG_KEY}, *({"status": status} for status in (401, 403, 404, 405, 410))], ids=repr
)
def test_a_bad_key_or_model_costs_one_call_with_256_waiting(server: lab.Server, do: dict[str, Any]) -> None:
    server.script([{"do": do}])
    ended = ask_all(server, [question(number) for number in range(256)])
    assert server.count() <= 2
    assert all(isinstance(each, ModelError) and each.fatal for each in ended)
    assert set(kinds(ended)) == {"not_found" if do["status"] > 403 else "auth"}
    assert ("lab" if do["status"] > 403 else "OPENAI_API_KEY") in str(ended[0])


def test_a_key_that_stops_working_stops_the_rest(server: lab.Server) -> None:
    server.script([{"when": {"first": 40}, "do": {}}, {"do": {"status": 401}}])
    ended = ask_all(server, [question(number) for number in range(400)], replace(QUICK, in_flight=16))
    assert kinds(ended).count("reply") == 40
    assert server.count() <= 40 + 16


@pytest.mark.parametrize(
    "do",
    [
        {"status": 402},
        {"status": 429, "json": {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}},
        {"status": 400, "json": {"error": {"message": "Your credit balance is too low to access the API."}}},
        {"json": {"error": {"code": 402, "message": "No credits are left."}}},
    ],
)
def test_no_credit_is_not_a_rate_limit(server: lab.Server, do: dict[str, Any]) -> None:
    server.script([{"do": do}])
    ended = ask_all(server, [question(number) for number in range(20)])
    assert set(kinds(ended)) == {"quota"}
    assert server.count() == 1


@pytest.mark.medium
def test_a_429_holds_everything_back(server: lab.Server) -> None:
    """256 calls in flight must wait 30 s: the server sees that wave, then nothing for a second."""
    busy = {"status": 429, "headers": {"Retry-After": "30"}, "gather": 256}
    server.script([{"when": {"first": 1}, "do": {}}, {"do": busy}])

    async def run() -> int:
        async with client(server) as using:
            await using.complete(question(0))
            tasks = [asyncio.create_task(using.complete(question(number))) for number in range(1, 1000)]
            while server.count() < 1 + 256:  # noqa: ASYNC110 - it is in another process
                await asyncio.sleep(0.05)
            await asyncio.wait(tasks, timeout=1)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in ended)
            return server.count()

    assert asyncio.run(run()) == 1 + 256


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry-After": "1"}, 1.0),
        ({"Retry-After": "0.3"}, 0.3),
        ({"retry-after-ms": "400"}, 0.4),
        ({"Retry-After": formatdate(time.time() - 3600, usegmt=True)}, 0.0),
        ({"Retry-After": "soon"}, 0.0),
        ({"Retry-After": "-7"}, 0.0),
        ({"x-ratelimit-reset-requests": "300ms", "x-ratelimit-remaining-requests": "0"}, 0.3),
        ({}, 0.0),
    ],
)
def test_a_requested_wait_is_a_lower_bound(server: lab.Server, headers: dict[str, str], least: float) -> None:
    server.script([{"when": {"first": 1}, "do": {"status": 429, "headers": headers}}])
    assert kinds(ask_all(server, [question()])) == ["reply"]
    first, second = (each["time"] for each in server.log())
    assert second - first >= least


def test_an_endless_wait_is_cut_short_and_reported(server: lab.Server) -> None:
    server.script([{"do": {"status": 429, "headers": {"Retry-After": "1000000000"}}}])
    ended = failure(ask_all(server, [question()], replace(QUICK, longest_wait=0.05, tries=3)))
    assert ended.kind == "rate_limit"
    assert "1,000,000,000 s" in ended.message
    assert server.count() == 3


def test_a_wait_beyond_the_deadline_is_not_begun(server: lab.Server) -> None:
    server.script([{"do": {"status": 429, "headers": {"Retry-After": "60"}}}])
    assert failure(ask_all(server, [question()], replace(QUICK, deadline=2.0))).kind == "rate_limit"
    assert server.count() == 1


PASSING: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 503, "headers": {"Retry-After": "0"}},
    {"status": 408},
    {"reset": True},
    {"cut": 20},
    {"cut": 0},
    {"body": '{"choices": [{"mess'},
    {"body": "<html>busy</html>", "type": "text/html"},
    {"body": "[]"},
    {"body": '{"choices": []}'},
    {"body": "[" * 100_000},
    {"body": ""},
    {"silent_after": 3},
    {"cut_after": 3},
    {"hang": True},
]


@pytest.mark.parametrize("do", PASSING, ids=lambda do: next(iter(do.items()))[0] + str(next(iter(do.values())))[:12])
def test_a_single_fault_is_recovered_from(server: lab.Server, do: dict[str, Any]) -> None:
    server.script([{"when": {"calls": [1]}, "do": do}])

    async def run() -> list[Reply | ModelError]:
        async with client(server, replace(QUICK, timeout=0.4 if slow else 60.0)) as using:
            await using.complete(question(0))
            return await outcomes(using, [question(1)])

    slow = "hang" in do or "silent_after" in do
    assert kinds(asyncio.run(run())) == ["reply"]
    # On a busy machine a good reply may also come too late.
    assert server.count() == 3 or (slow and server.count() > 3)


@pytest.mark.medium
@pytest.mark.parametrize(
    ("do", "kind"),
    [
        ({"status": 500}, "server"),
        ({"reset": True}, "connection"),
        ({"cut": 20}, "connection"),
        ({"cut_after": 2}, "connection"),
        ({"cut_after": 2, "unframed": True}, "connection"),
        ({"hang": True}, "timeout"),
        ({"silent_after": 2}, "timeout"),
        ({"body": "{"}, "bad_reply"),
        ({"status": 429}, "rate_limit"),
    ],
)
def test_a_permanent_fault_ends_after_six_attempts_and_silence_after_two(
    server: lab.Server, do: dict[str, Any], kind: str
) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": do}])

    async def run() -> ModelError:
        async with client(server, replace(QUICK, timeout=0.4 if kind == "timeout" else 60.0)) as using:
            await using.complete(question(0))
            return failure(await outcomes(using, [question(1)]))

    ended = asyncio.run(run())
    assert ended.kind == kind
    assert ended.boundary == ("timeout" if kind == "timeout" else "model")
    attempts = 2 if kind == "timeout" else 6
    assert f"{attempts} attempts" in ended.message
    assert server.count() == 1 + attempts


def test_every_call_ends_by_its_deadline(server: lab.Server) -> None:
    server.script([{"do": {"hang": True}}])
    ended = failure(ask_all(server, [question()], CallLimits(timeout=10_000.0, deadline=0.5)))
    assert ended.kind == "timeout"


@pytest.mark.parametrize(
    ("do", "kind"),
    [
        ({"refusal": "I can't help with that."}, "refusal"),
        ({"finish_reason": "content_filter"}, "refusal"),
        ({"finish_reason": "length"}, "length"),
        ({"status": 400, "json": {"error": {"code": "content_filter", "message": "blocked"}}}, "refusal"),
        ({"status": 403, "json": {"error": {"message": "flagged", "metadata": {"flagged_input": "x"}}}}, "refusal"),
        ({"json": {"error": {"code": 403, "metadata": {"flagged_input": "x"}}}}, "refusal"),
        ({"status": 400, "json": {"error": {"message": "context too long"}}}, "bad_request"),
        ({"status": 400, "json": {"error": {"code": "context_length_exceeded"}}}, "length"),
        ({"status": 400, "json": {"error": {"message": "prompt is too long: 201105 tokens > 200000"}}}, "length"),
        ({"status": 500, "json": {"error": {"message": "Context size has been exceeded."}}}, "length"),
        ({"json": {"error": {"code": 400, "message": "it exceeds the available context size"}}}, "length"),
        ({"status": 413, "body": "too large"}, "length"),
        ({"status": 301, "headers": {"Location": "http://127.0.0.1:9/"}}, "not_found"),
    ],
)
def test_a_permanent_failure_is_not_retried(server: lab.Server, do: dict[str, Any], kind: str) -> None:
    server.script([{"do": do}])
    assert failure(ask_all(server, [question()])).kind == kind
    assert server.count() == 1


def test_a_text_in_blocks_is_joined_whatever_they_hold(server: lab.Server) -> None:
    content = [{"type": "text", "text": "One, "}, {"type": "image"}, "x", {"type": "text", "text": 2}, {"type": "text"}]
    server.script([{"do": {"json": {"choices": [{"message": {"content": content}}]}}}])
    (reply,) = ask_all(server, [question()])
    assert isinstance(reply, Reply)
    assert reply.text == "One, 2"


def test_a_failure_includes_the_reply_that_was_paid_for(server: lab.Server) -> None:
    server.script([{"do": {"finish_reason": "length"}}])
    reply = failure(ask_all(server, [question()])).reply
    assert reply is not None
    assert reply.tokens_out


def test_an_unreachable_server_is_reported_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def run() -> list[Reply | ModelError]:
        variables = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
        async with ModelClient(HttpSender(variables, QUICK)) as using:
            return await outcomes(using, [question(number) for number in range(50)])

    ended = asyncio.run(run())
    assert set(kinds(ended)) == {"unreachable"}
    assert "OPENAI_BASE_URL" in str(ended[0])


def test_an_outage_ends_the_run_after_a_few_trials(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"status": 503}}])

    async def run() -> list[Reply | ModelError]:
        async with client(server, replace(QUICK, in_flight=8)) as using:
            await using.complete(question(0))
            ended = await outcomes(using, [question(number) for number in range(1, 500)])
            seen = server.count()
            assert kinds(await outcomes(using, [question(999)])) == ["outage"]
            assert server.count() == seen
            return ended

    ended = asyncio.run(run())
    assert "outage" in kinds(ended)
    assert "reply" not in kinds(ended)
    assert server.count() <= 1 + 20 + 8 + 3


def test_a_short_outage_costs_nothing_but_time(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"when": {"first": 27}, "do": {"reset": True}}])

    async def run() -> list[Reply | ModelError]:
        async with client(server, replace(QUICK, in_flight=8, tries=6)) as using:
            await using.complete(question(0))
            return await outcomes(using, [question(number) for number in range(1, 100)])

    assert set(kinds(asyncio.run(run()))) == {"reply"}


def test_calls_in_flight_stay_within_the_limit_which_can_be_very_high(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"gather": 20}}])
    ask_all(server, [question(number) for number in range(61)], replace(QUICK, in_flight=20, timeout=60.0))
    assert server.most() == 20
    many = at_least(500, in_all=2_000)
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"gather": many}}])
    limits = replace(QUICK, in_flight=many, timeout=60.0)
    assert set(kinds(ask_all(server, [question(number) for number in range(many + 1)], limits))) == {"reply"}
    assert server.most() == many


def test_more_calls_may_be_in_flight_than_the_initial_open_file_limit(server: lab.Server) -> None:
    code = (
        "import asyncio, resource, sys\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))\n"
        "from dataclasses import replace; from tests.lab import Server; from tests.llm.model_requests import *\n"
        "limits = replace(QUICK, in_flight=400, timeout=60.0)\n"
        "ended = ask_all(Server(int(sys.argv[1])), [question(n) for n in range(401)], limits)\n"
        "sys.exit(set(kinds(ended)) != {'reply'})\n"
    )
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"gather": 400}}])
    assert subprocess.run([warm.python(), "-c", code, server.url.rpartition(":")[2]]).returncode == 0
    assert server.most() == 400


def test_the_limit_on_requests_per_minute_is_respected(server: lab.Server) -> None:
    async def run() -> None:
        async with client(server, replace(QUICK, requests_per_minute=10)) as using:
            tasks = [asyncio.create_task(using.complete(question(number))) for number in range(30)]
            ended = asyncio.as_completed(tasks)
            for _ in range(10):
                await next(ended)
            await asyncio.sleep(0.5)
            assert sum(task.done() for task in tasks) == 10
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    assert server.count() == 10


def test_a_simpler_form_of_reply_is_found_once_and_remembered(server: lab.Server) -> None:
    schema = {"type": "object", "properties": {"label": {"enum": ["yes", "no"]}}}
    refuse = {"status": 400, "json": {"error": {"message": "response_format is not supported"}}}
    server.script([{"when": {"contains": "response_format"}, "do": refuse}])
    ended = ask_all(server, [question(number, schema=schema) for number in range(20)])
    assert set(kinds(ended)) == {"reply"}
    assert server.count() == 20 + 2
    assert all(isinstance(each, Reply) and json.loads(each.text)["label"] in ("yes", "no") for each in ended)


def test_unsupported_parameters_are_dropped_or_renamed(server: lab.Server) -> None:
    def no(name: str) -> lab.Rule:
        message = f"Unsupported parameter: '{name}'. Use 'max_completion_tokens' instead."
        return {"when": {"contains": f'"{name}"'}, "do": {"status": 400, "json": {"error": {"message": message}}}}

    server.script([no("seed"), no("logprobs"), no("max_tokens")])
    ended = ask_all(server, [question(number, seed=1, logprobs=0, max_tokens=5) for number in range(9)])
    assert set(kinds(ended)) == {"reply"}
    assert server.count() == 9 + 3
    last = json.loads(server.log()[-1]["body"])
    assert (last["max_completion_tokens"], last["temperature"]) == (5, 0.0)


@pytest.mark.parametrize("address", ["https://127.0.0.1:{port}/v1", "http://no-such-host.invalid/v1"])
def test_a_failed_secure_connection_and_an_unknown_host_are_reported(server: lab.Server, address: str) -> None:
    async def run() -> list[Reply | ModelError]:
        variables = {"OPENAI_BASE_URL": address.format(port=server.url.rpartition(":")[2])}
        async with ModelClient(HttpSender(variables, QUICK)) as using:
            return await outcomes(using, [question(number) for number in range(3)])

    ended = asyncio.run(run())
    assert set(kinds(ended)) == {"unreachable"}
    assert "no https connection" in str(ended[0]) or "host name is not known" in str(ended[0])


def test_a_temperature_that_a_model_refuses_is_not_dropped_silently(server: lab.Server) -> None:
    server.script([{"do": {"status": 400, "json": {"error": {"message": "temperature 0 is not supported"}}}}])
    ended = failure(ask_all(server, [question()]))
    assert ended.kind == "bad_request"
    assert "FACTSCOPE_TEMPERATURE=none" in ended.hint


@pytest.mark.parametrize("key", ["none", "test", "EMPTY", "12345", "anything"])
def test_the_word_that_a_server_without_keys_is_given_stays_in_its_replies(server: lab.Server, key: str) -> None:
    """Or a verdict's quote would differ from its passage, and `null` not be JSON."""
    text = f"The {key} of it, and the {key}s."

    async def run() -> Reply:
        async with ModelClient(HttpSender(environment(server) | {"OPENAI_API_KEY": key}, QUICK)) as using:
            return await using.complete(question())

    server.script([{"do": {"text": text}}])
    assert asyncio.run(run()).text == text


def test_a_key_is_never_shown_or_stored(server: lab.Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    shown: list[str] = []
    each: object
    echo = f"the key {KEY} or c2stY2FuYXJ5LTVmMmI5Yy8rNzc= or sk-canary-5f2b9c%2F%2B77 is wrong"
    said = {"choices": [{"message": {"content": f"Bearer {KEY}"}, "finish_reason": "stop"}]}
    for do in ({"status": 401, "json": {"error": {"message": echo}}}, {"status": 500, "body": echo}, {"json": said}):
        server.script([{"do": do}])
        for each in ask_all(server, [question()]):
            shown.append(f"{each!r} {each}")
            while isinstance(each, BaseException):
                shown.append(f"{each!r} {each.args} {vars(each)}")
                each = each.__context__ or each.__cause__  # noqa: PLW2901
    live = HttpSender(environment(server))
    live.address("openai/lab")
    shown += [repr(live._endpoint(question().model)), caplog.text]
    for text in shown:
        assert "canary" not in text
        assert "c2stY2FuYXJ5" not in text


def test_an_unknown_address_is_a_usage_error() -> None:
    async def run() -> None:
        async with ModelClient(HttpSender({})) as using:
            await using.complete(question())

    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        asyncio.run(run())


@pytest.mark.medium
def test_thousands_of_faults_become_replies_or_failures_and_nothing_else(
    server: lab.Server, cases: Callable[[int], None]
) -> None:
    """Each call ends in exactly one reply or failure, and a failure never passes for a reply."""
    many = at_least(600, in_all=2_000)
    cases(many)
    rules = [
        {"when": {"first": 1}, "do": {}},
        {"when": {"every": 3}, "do": {"status": 500}},
        {"when": {"every": 5}, "do": {"reset": True}},
        {"when": {"every": 7}, "do": {"cut": 33}},
        {"when": {"every": 11}, "do": {"body": '{"choices": [{'}},
        {"when": {"contains": "7 of"}, "do": {"refusal": "no"}},
        {"when": {"contains": "3 of"}, "do": {"finish_reason": "length"}},
    ]
    server.script(rules)
    calls = [replace(question(), messages=(Message("user", f"{number} of {many}"),)) for number in range(many)]
    limits = replace(QUICK, failures_in_a_row=10**6, tries=60, first_wait=1e-7)
    ended = ask_all(server, calls, limits)
    assert len(ended) == many
    for number, each in enumerate(ended):
        expected = {7: "refusal", 3: "length"}.get(number % 10, "reply")
        assert kinds([each]) == [expected]
    assert server.count() > 1.5 * many
