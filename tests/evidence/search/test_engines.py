"""Requests in each engine's own form, and the reading of its replies."""

from __future__ import annotations

import json
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from factscope.evidence.search import DirectAnswer, EngineHit, SearchOptions, SearchResults
from tests import lab
from tests.evidence.search.search_requests import ENGINES, KEY, find

QUERY = "harbour bridge Marlow"
TEXT = "{0} is well known here. Much has been written about {0} in this town."


def asked(server: lab.Server) -> dict[str, Any]:
    """Return the parameters of the one request, from its address or its body."""
    (only,) = server.log()
    values = {name: each[0] for name, each in parse_qs(urlsplit(only["path"]).query).items()}
    return values | (json.loads(only["body"]) if only["body"] else {})


def days(results: SearchResults) -> list[str]:
    return [hit.published for hit in results.hits if hit.published]


@pytest.mark.parametrize("name", ENGINES)
def test_pages_are_found_in_the_order_of_the_engine(server: lab.Server, name: str) -> None:
    results = find(server, name, QUERY, SearchOptions(n=3))
    assert [hit.rank for hit in results.hits] == [1, 2, 3]
    assert [hit.url.partition("/page/")[2].partition("?")[0] for hit in results.hits] == ["harbour", "bridge", "Marlow"]
    assert all(hit.url.startswith(f"{server.url}/page/") for hit in results.hits)
    assert all("harbour" in part for part in (results.hits[0].title, results.hits[0].snippet))
    assert results.direct == ()


@pytest.mark.parametrize("name", ENGINES)
def test_an_empty_result_is_not_a_failure(server: lab.Server, name: str) -> None:
    if name == "searxng":  # where no results with failing engines count as a failure
        server.script([{"do": {"json": {"results": [], "answers": [], "unresponsive_engines": []}}}])
    assert find(server, name, "nothing here") == SearchResults()
    assert server.count() == 1


@pytest.mark.parametrize("name", ENGINES)
def test_an_overlong_query_is_truncated_at_a_word(server: lab.Server, name: str) -> None:
    assert find(server, name, f"{'harbour ' * 400} bridge").hits
    query = next(each for field, each in asked(server).items() if field in ("q", "query", "gsrsearch"))
    assert query.split() == ["harbour"] * len(query.split())
    assert 20 < len(query.split()) < 400


@pytest.mark.parametrize("name", ENGINES)
def test_no_more_results_than_requested_are_returned(server: lab.Server, name: str) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    for n in (1, 7, 100):
        found = find(server, name, words, SearchOptions(n=n)).hits
        assert 0 < len(found) <= n
        assert [hit.rank for hit in found] == list(range(1, len(found) + 1))


def test_serper_receives_language_region_dates_and_sites(server: lab.Server) -> None:
    wanted = SearchOptions(3, "en", "US", date(2020, 6, 1), date(2023, 1, 31), ("*.Example.org", "https://b.com/x"))
    find(server, "serper", QUERY, wanted)
    assert asked(server) == {
        "q": f"{QUERY} -site:b.com -site:example.org",
        "num": 3,
        "hl": "en",
        "gl": "us",
        "tbs": "cdr:1,cd_min:6/1/2020,cd_max:1/31/2023",
    }
    server.script([])
    find(server, "serper", QUERY, SearchOptions(n=50))
    assert asked(server) == {"q": QUERY, "num": 10}


def test_serper_answers_knowledge_dates_and_attributes_are_read(server: lab.Server) -> None:
    results = find(server, "serper", "answer harbour bridge", SearchOptions(n=2))
    first, second = results.hits
    assert first.attributes == (("Made of", "stone"),)
    assert first.published is None
    assert second.published is not None
    assert date(2020, 1, 1) <= date.fromisoformat(second.published) < date(2025, 1, 1)
    assert results.direct == (
        DirectAnswer("answer", ("answer it is", "answer was opened", "answer was"), f"{server.url}/page/answer"),
        DirectAnswer(
            "knowledge",
            ("answer: Thing.", "answer is a thing.", "answer Height: 5 m.", "answer Age: 3."),
            f"{server.url}/page/answer",
        ),
    )


def test_brave_receives_language_region_and_dates(server: lab.Server) -> None:
    find(server, "brave", QUERY, SearchOptions(4, "pt-BR", "BR", date(2020, 6, 1), date(2023, 1, 31), ("example.org",)))
    values = asked(server)
    assert {name: values[name] for name in ("q", "count", "country", "search_lang", "freshness", "spellcheck")} == {
        "q": QUERY,
        "count": "8",  # some results may be left out
        "country": "BR",
        "search_lang": "pt-br",
        "freshness": "2020-06-01to2023-01-31",
        "spellcheck": "false",
    }
    server.script([])
    find(server, "brave", QUERY, SearchOptions(language="ja", region="IE", published_before=date(2023, 1, 31)))
    values = asked(server)
    assert (values["country"], values["search_lang"]) == ("ALL", "jp")
    assert values["freshness"] == "1970-01-01to2023-01-31"


def test_brave_markup_is_removed_and_its_infobox_is_read(server: lab.Server) -> None:
    results = find(server, "brave", "answer harbour", SearchOptions(n=1))
    (hit,) = results.hits
    assert (hit.title, hit.snippet) == ("About & around harbour", "harbour is known'")
    assert hit.published is not None
    assert results.direct == (
        DirectAnswer(
            "knowledge", ("A thing.", "A thing of stone.", "Thing Height: 5 m."), f"{server.url}/page/harbour"
        ),
    )


def test_tavily_receives_dates_and_sites_and_is_not_asked_for_a_model_answer(server: lab.Server) -> None:
    find(server, "tavily", QUERY, SearchOptions(4, "en", "US", date(2020, 6, 1), date(2023, 1, 31), ("example.org",)))
    assert asked(server) == {
        "query": QUERY,
        "max_results": 4,
        "search_depth": "basic",
        "include_answer": False,
        "auto_parameters": False,
        "start_date": "2020-06-01",
        "end_date": "2023-01-31",
        "exclude_domains": ["example.org"],
    }
    assert server.log()[0]["authorization"] == f"Bearer {KEY}"


def test_searxng_receives_the_language_and_its_answers_are_read(server: lab.Server) -> None:
    results = find(server, "searxng", "answer harbour", SearchOptions(2, "de", "AT"))
    assert {name: value for name, value in asked(server).items() if name != "pageno"} == {
        "q": "answer harbour",
        "format": "json",
        "language": "de-AT",
    }
    assert len(days(results)) == 2
    assert results.direct == (
        DirectAnswer("answer", ("It is.",)),
        DirectAnswer("answer", ("It was.",), f"{server.url}/page/was"),
        DirectAnswer("knowledge", ("A thing.", "Thing Height: 5 m."), f"{server.url}/page/thing"),
    )


def test_wikipedia_returns_first_sections_in_search_order(server: lab.Server) -> None:
    results = find(server, "wikipedia", QUERY, SearchOptions(n=2, language="de"))
    values = asked(server)
    assert (values["gsrsearch"], values["gsrlimit"], values["maxlag"]) == (QUERY, "2", "5")
    assert results.hits[0] == EngineHit(
        1, f"{server.url}/page/harbour?title=harbour", "harbour", TEXT.format("harbour")
    )


@pytest.mark.parametrize(("name", "kept"), [("serper", True), ("brave", True), ("tavily", True), ("searxng", False)])
def test_publication_date_limits_are_applied_by_the_engine_or_by_factscope(
    server: lab.Server, name: str, kept: bool
) -> None:
    words = " ".join(f"word{number}" for number in range(20))
    after, before = date(2021, 1, 1), date(2022, 12, 31)
    everything = find(server, name, words, SearchOptions(n=20))
    limited = find(server, name, words, SearchOptions(n=20, published_after=after, published_before=before))
    assert limited.hits
    assert all(after.isoformat() <= day <= before.isoformat() for day in days(limited))
    if not kept:
        assert len(limited.hits) < len(everything.hits)


@pytest.mark.parametrize("name", ENGINES)
def test_excluded_sites_never_come_back(server: lab.Server, name: str) -> None:
    assert find(server, name, QUERY).hits
    assert find(server, name, QUERY, SearchOptions(exclude=("127.0.0.1",))).hits == ()
