"""Failures of a search: reported, distinct from an empty result, and ending the run when nothing else would help."""

from __future__ import annotations

import asyncio
import logging
import socket
import sqlite3
import time
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from factscope.core import UsageError
from factscope.evidence.search import SearchCache, SearchError, SearchResults, WebSearch, open_engine
from factscope.llm import CallLimits
from tests import lab
from tests.evidence.search.search_requests import (
    ENGINES,
    KEY,
    KEYED,
    QUICK,
    environment,
    fail,
    find_all,
    kinds,
    outcomes,
    searching,
)
from tests.lab.many_cases import try_all

VARIABLE = {name: f"{name.upper()}_API_KEY" for name in KEYED}


@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize("do", [{"fault": "key"}, {"status": 401}, {"status": 403}])
def test_a_bad_key_costs_at_most_two_calls_with_100_waiting(server: lab.Server, name: str, do: dict[str, Any]) -> None:
    server.script([{"do": do}])
    ended = find_all(server, name, [f"harbour {number}" for number in range(100)])
    assert server.count() <= 2
    assert set(kinds(ended)) == {"auth"}
    for each in ended:
        assert isinstance(each, SearchError)
        assert each.fatal
        assert each.boundary == "search"
        assert VARIABLE[name] in each.hint
        assert " rejected the key (HTTP " in each.message


@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize(
    "do", [{"fault": "quota"}, {"status": 402}, {"status": 429, "json": {"error": "You ran out of credits"}}]
)
def test_an_exhausted_quota_is_not_treated_as_a_busy_engine(server: lab.Server, name: str, do: dict[str, Any]) -> None:
    server.script([{"do": do}])
    ended = find_all(server, name, [f"harbour {number}" for number in range(20)])
    assert server.count() == 1
    assert set(kinds(ended)) == {"quota"}
    assert all(isinstance(each, SearchError) and each.fatal and VARIABLE[name] in each.hint for each in ended)


def test_a_rejected_query_about_quotas_does_not_stop_the_run(server: lab.Server) -> None:
    said = {"detail": {"error": "Invalid query: steel quota, credits run out"}}
    server.script([{"do": {"status": 400, "json": said}}])
    ended = fail(server, "tavily", "steel quota")
    assert (ended.kind, ended.fatal) == ("bad_request", False)
    server.script([{"do": {"status": 422, "json": {"error": {"code": "VALIDATION", "input": "QUOTA_LIMITED"}}}}])
    assert fail(server, "brave").kind == "bad_request"
    assert server.count() == 1


@pytest.mark.parametrize("name", ["searxng", "wikipedia"])
def test_a_refusal_by_an_engine_without_a_key_says_what_to_do(server: lab.Server, name: str) -> None:
    server.script([{"do": {"fault": "key"}}])
    ended = fail(server, name)
    assert (ended.kind, ended.fatal) == ("auth", True)
    assert ("settings.yml" if name == "searxng" else "WIKIPEDIA_CONTACT") in ended.hint
    assert " rejected the search (HTTP " in ended.message


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("status", [301, 404])
def test_a_wrong_address_is_reported_immediately(server: lab.Server, name: str, status: int) -> None:
    server.script([{"do": {"status": status, "headers": {"Location": "http://127.0.0.1:9/"}}}])
    ended = fail(server, name)
    assert (ended.kind, ended.fatal) == ("not_found", True)
    assert f"{'WIKIPEDIA_URL' if name == 'wikipedia' else name.upper()}"[:6] in ended.hint
    assert server.count() == 1


PASSING: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 503, "headers": {"Retry-After": "0"}},
    {"status": 429},
    {"fault": "rate"},
    {"reset": True},
    {"cut": 20},
    {"cut": 0},
    {"body": '{"organic": [{"li'},
    {"body": "<html>busy</html>", "type": "text/html"},
    {"body": "[]"},
    {"body": "{}"},
    {"json": {"organic": [1, 2], "results": [1, 2], "web": {"results": [1]}, "query": {"pages": [1]}}},
    {"json": {"organic": "none", "results": "none", "web": {"results": "none"}, "query": {"pages": "none"}}},
    {"body": "[" * 100_000},
    {"body": ""},
    {"body": "1" * 10_000},
]


def named(do: dict[str, Any]) -> str:
    name, value = next(iter(do.items()))
    return f"{name} {value}"[:24]


def after_one_that_went_well(server: lab.Server, name: str, limits: CallLimits) -> SearchResults | SearchError:
    """Return the outcome of a search after the engine has answered once."""

    async def run() -> list[SearchResults | SearchError]:
        async with searching(server, name, limits) as using:
            await using.find("bridge")
            return await outcomes(using, ["harbour"])

    (only,) = asyncio.run(run())
    return only


@pytest.mark.parametrize("do", PASSING, ids=named)
@try_all("name", ENGINES)
def test_a_single_fault_is_overcome(server: lab.Server, name: str, do: dict[str, Any]) -> None:
    if name == "wikipedia" and do.get("fault"):
        do = {"fault": "maxlag", "retry_after": "0"}
    server.script([{"when": {"calls": [1]}, "do": do}])
    ended = after_one_that_went_well(server, name, QUICK)
    assert isinstance(ended, SearchResults)
    assert ended.hits
    assert server.count() == 3


@pytest.mark.parametrize(
    ("do", "kind"),
    [
        ({"status": 500}, "server"),
        ({"status": 429}, "rate_limit"),
        ({"reset": True}, "connection"),
        ({"cut": 20}, "connection"),
        ({"body": "{"}, "bad_reply"),
        ({"body": "<html></html>", "type": "text/html"}, "bad_reply"),
    ],
)
@try_all("name", ENGINES)
def test_a_persistent_fault_is_a_failure_after_a_bounded_number_of_attempts(
    server: lab.Server, name: str, do: dict[str, Any], kind: str
) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": do}])
    ended = after_one_that_went_well(server, name, QUICK)
    assert isinstance(ended, SearchError)
    assert (ended.kind, ended.fatal, ended.boundary) == (kind, False, "search")
    assert "3 attempts" in ended.message
    resent = kind == "connection"  # by aiohttp: a GET over a kept-alive connection
    assert server.count() <= 1 + 3 * (2 if resent else 1)


@pytest.mark.medium
@pytest.mark.parametrize("do", [{"hang": True}, {"drip": 0.05}], ids=named)
def test_an_engine_that_is_too_slow_is_given_up(server: lab.Server, do: dict[str, Any]) -> None:
    limits = replace(QUICK, timeout=0.5, tries=2)
    server.script([{"when": {"calls": [1]}, "do": do}])
    assert isinstance(after_one_that_went_well(server, "serper", limits), SearchResults)
    server.script([{"when": {"first": 1}, "do": {}}, {"do": do}])
    ended = after_one_that_went_well(server, "serper", limits)
    assert isinstance(ended, SearchError)
    assert (ended.kind, ended.fatal) == ("timeout", False)
    assert "2 attempts" in ended.message


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry-After": "0.3"}, 0.3),
        ({"retry-after-ms": "300"}, 0.3),
        ({"Retry-After": formatdate(time.time() - 3600, usegmt=True)}, 0.0),
        ({"Retry-After": "soon"}, 0.0),
        ({"Retry-After": "-7"}, 0.0),
        ({"X-RateLimit-Limit": "1, 0", "X-RateLimit-Remaining": "0, 0", "X-RateLimit-Reset": "1, 1419704"}, 1.0),
        ({"X-RateLimit-Limit": "9", "X-RateLimit-Remaining": "9", "X-RateLimit-Reset": "99"}, 0.0),
        ({"X-RateLimit-Limit": "x, 1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1, 2, 3"}, 0.0),
        ({}, 0.0),
    ],
)
def test_a_requested_wait_is_the_minimum(server: lab.Server, headers: dict[str, str], least: float) -> None:
    server.script([{"when": {"first": 1}, "do": {"status": 429, "headers": headers}}])
    assert kinds(find_all(server, "brave", ["harbour"])) == ["results"]
    first, second = (each["time"] for each in server.log())
    assert second - first >= least


@pytest.mark.medium
def test_a_retry_after_date_is_waited_for(server: lab.Server) -> None:
    until = formatdate(time.time() + 2, usegmt=True)
    server.script([{"when": {"first": 1}, "do": {"status": 503, "headers": {"Retry-After": until}}}])
    assert kinds(find_all(server, "serper", ["harbour"])) == ["results"]
    first, second = (each["time"] for each in server.log())
    assert second - first > 0.5


def test_an_endless_wait_is_cut_short_and_reported(server: lab.Server) -> None:
    server.script([{"do": {"status": 429, "headers": {"Retry-After": "1000000000"}}}])
    ended = fail(server, "serper", limits=replace(QUICK, longest_wait=0.05))
    assert ended.kind == "rate_limit"
    assert "1,000,000,000 s" in ended.message
    assert server.count() == 3


def test_wikipedia_lag_is_waited_out(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {"fault": "maxlag", "retry_after": "0.4"}}])
    assert kinds(find_all(server, "wikipedia", ["harbour"])) == ["results"]
    first, second = (each["time"] for each in server.log())
    assert second - first >= 0.4
    server.script([{"do": {"fault": "maxlag", "retry_after": "0"}}])
    ended = fail(server, "wikipedia")
    assert ended.kind == "server"
    assert "lagged" in ended.message


def test_a_429_response_holds_back_all_searches(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"status": 429, "headers": {"Retry-After": "30"}}}])

    async def run() -> int:
        async with searching(server, "serper", replace(QUICK, in_flight=20)) as using:
            await using.find("bridge")
            tasks = [asyncio.create_task(using.find(f"harbour {number}")) for number in range(200)]
            await asyncio.wait(tasks, timeout=0.7)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return server.count()

    assert asyncio.run(run()) <= 1 + 20


def test_failing_engines_behind_searxng_are_not_an_empty_result(server: lab.Server) -> None:
    server.script([{"do": {"fault": "unresponsive"}}])
    ended = fail(server, "searxng")
    assert (ended.kind, ended.fatal) == ("server", False)
    assert "startpage: CAPTCHA" in ended.message


def test_an_unreachable_engine_is_reported_once_for_all_searches(server: lab.Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def run() -> list[SearchResults | SearchError]:
        engine = open_engine("searxng", {"SEARXNG_URL": f"http://127.0.0.1:{port}"})
        async with WebSearch(engine, limits=QUICK, per_second=10_000) as using:
            return await outcomes(using, [f"harbour {number}" for number in range(50)])

    ended = asyncio.run(run())
    assert set(kinds(ended)) == {"unreachable"}
    assert all(isinstance(each, SearchError) and each.fatal and "SEARXNG_URL" in each.hint for each in ended)


def test_an_outage_ends_the_run_after_a_few_attempts(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"status": 503}}])
    limits = replace(QUICK, in_flight=4, failures_in_a_row=20, cool_down=0.005, tries=6)

    async def run() -> list[SearchResults | SearchError]:
        async with searching(server, "serper", limits) as using:
            await using.find("bridge")
            return await outcomes(using, [f"harbour {number}" for number in range(300)])

    ended = asyncio.run(run())
    assert "outage" in kinds(ended)
    assert "results" not in kinds(ended)
    assert server.count() <= 1 + 20 + 4 + 3


def test_every_search_ends_by_its_deadline(server: lab.Server) -> None:
    server.script([{"do": {"hang": True}}])
    assert fail(server, "serper", limits=CallLimits(timeout=10_000.0, deadline=0.3)).kind == "timeout"


def test_an_oversized_reply_is_not_read_to_the_end(server: lab.Server) -> None:
    server.script([{"do": {"body": '{"organic": []}' + " " * 5_000_000}}])
    assert "more than 4 MB" in fail(server, "serper").message


def test_an_empty_query_is_not_sent(server: lab.Server) -> None:
    assert fail(server, "serper", " \n\t ").kind == "bad_request"
    assert server.count() == 0


def test_a_key_is_never_shown_or_stored(
    server: lab.Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.NOTSET)
    echo = f"the key {KEY} or c2stY2FuYXJ5LTVmMmI5Yy8rNzc= or sk-canary-5f2b9c%2F%2B77 is wrong"
    page = {"title": KEY, "link": f"https://a.org/{KEY}", "snippet": echo, "attributes": {KEY: KEY}}
    faults: list[dict[str, Any]] = [
        {"status": 401, "json": {"error": {"message": echo, "code": KEY}}},
        {"status": 500, "body": f"{' ' * 780}{KEY}", "type": "text/html"},
        {"status": 400, "json": {"message": [echo]}},
        {"json": {"organic": [page], "answerBox": {"answer": KEY}}},
        {"reset": True},
        {"hang": True},
        {"body": KEY},
    ]
    shown: list[str] = []
    each: object
    for number, do in enumerate(faults):
        server.script([{"do": do}])
        with_file = SearchCache(tmp_path / f"{number}.db")
        for each in find_all(server, "serper", ["harbour"], limits=replace(QUICK, timeout=0.1), cache=with_file):
            shown.append(f"{each!r} {each}")
            while isinstance(each, BaseException):
                shown.append(f"{each!r} {each.args} {vars(each)}")
                each = each.__context__ or each.__cause__  # noqa: PLW2901
    engine = open_engine("serper", environment(server))
    shown += [repr(engine), repr(vars(engine)), caplog.text, *capfd.readouterr()]
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert any(b"[key]" in content for content in files)
    for text in [*shown, *(content.decode("latin-1") for content in files)]:
        assert "canary" not in text
        assert "c2stY2FuYXJ5" not in text


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_an_invalid_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError, match="SERPER_API_KEY contains characters") as caught:
        open_engine("serper", {"SERPER_API_KEY": key})
    assert key not in str(caught.value)


def test_a_full_disk_is_reported(server: lab.Server, tmp_path: Path) -> None:
    cache = SearchCache(tmp_path / "searches.db")
    cache._db.execute("PRAGMA query_only = 1")

    async def run() -> None:
        async with searching(server, cache=cache) as using:
            await using.find("harbour")

    with pytest.raises(Exception, match="can't be written") as caught:
        asyncio.run(run())
    assert not isinstance(caught.value, SearchError | sqlite3.Error)


@pytest.mark.medium
def test_hundreds_of_faults_become_results_or_failures_and_nothing_else(server: lab.Server) -> None:
    rules: list[lab.Rule] = [
        {"when": {"first": 1}, "do": {}},
        {"when": {"every": 3}, "do": {"status": 500}},
        {"when": {"every": 5}, "do": {"cut": 15}},
        {"when": {"every": 7}, "do": {"body": "{"}},
        {"when": {"every": 11}, "do": {"reset": True}},
    ]
    for name in ENGINES:
        server.script(rules)
        ended = find_all(server, name, [f"harbour {number}" for number in range(80)])
        assert len(ended) == 80
        assert all(isinstance(each, SearchError) or each.hits for each in ended)
        assert set(kinds(ended)) <= {"results", "server", "connection", "bad_reply"}
