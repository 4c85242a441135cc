"""Limits on searches: none is repeated, and their cost is counted."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from factscope.core import StoreError, UsageError
from factscope.evidence.search import (
    EngineHit,
    EngineTraits,
    SearchCache,
    SearchEngine,
    SearchError,
    SearchOptions,
    SearchResults,
    WebSearch,
)
from factscope.llm import CallLimits, Ledger
from tests import lab
from tests.evidence.search.search_requests import KEY, QUICK, find, outcomes, searching

DAY = 86_400.0


class Scripted:
    """An engine of another package that finds scripted results and records its queries."""

    name = "scripted"

    def __init__(self, results: SearchResults | SearchError, traits: EngineTraits = EngineTraits()) -> None:  # noqa: B008
        self.results, self.traits = results, traits
        self.asked: list[tuple[str, SearchOptions]] = []
        self.closed = False

    async def search(self, query: str, wanted: SearchOptions) -> SearchResults:
        self.asked.append((query, wanted))
        await asyncio.sleep(0)
        if isinstance(self.results, SearchError):
            raise self.results
        return self.results

    async def close(self) -> None:
        self.closed = True


FOUND = SearchResults((EngineHit(1, "https://a.org/x", "A", "a"),))


def test_case_and_white_space_do_not_make_a_different_search(server: lab.Server, tmp_path: Path) -> None:
    async def run() -> list[SearchResults | SearchError]:
        async with searching(server, cache=SearchCache(tmp_path / "searches.db")) as using:
            ledger = Ledger()
            queries = ["Harbour  bridge", " harbour BRIDGE\n", "harbour bridge", "other"]
            ended = await outcomes(using, queries, ledger=ledger)
            (usage,) = ledger.usage()
            assert (usage.role, usage.model, usage.calls, usage.cached_calls) == ("search", "serper", 2, 2)
            return ended

    first, second, third, other = asyncio.run(run())
    assert first == second == third != other
    assert server.count() == 2
    assert first == find(server, "serper", "harbour bridge", cache=SearchCache(tmp_path / "searches.db"))
    assert server.count() == 2


def test_a_search_is_made_once_even_without_a_cache_file(server: lab.Server) -> None:
    async def run() -> None:
        async with searching(server) as using:
            for _ in range(3):
                await using.find("harbour")

    asyncio.run(run())
    assert server.count() == 1


def test_operators_in_capitals_make_a_different_search(server: lab.Server) -> None:
    async def run() -> None:
        async with searching(server) as using:
            await outcomes(using, ["cats OR dogs", "cats or dogs", "Cats OR Dogs"])

    asyncio.run(run())
    assert server.count() == 2


@pytest.mark.parametrize(
    "other",
    [
        SearchOptions(n=9),
        SearchOptions(language="de"),
        SearchOptions(region="DE"),
        SearchOptions(published_after=date(2020, 1, 1)),
        SearchOptions(published_before=date(2020, 1, 1)),
        SearchOptions(exclude=("example.org",)),
    ],
)
def test_every_search_option_is_part_of_the_cache_key(other: SearchOptions) -> None:
    engine = Scripted(FOUND)

    async def run() -> None:
        async with WebSearch(engine, limits=QUICK) as using:
            for wanted in (SearchOptions(), other, SearchOptions(), other):
                await using.find("harbour", wanted)

    asyncio.run(run())
    assert [wanted for _, wanted in engine.asked] == [SearchOptions(), other]


def test_the_order_and_form_of_excluded_sites_do_not_make_a_different_search() -> None:
    engine = Scripted(FOUND)

    async def run() -> None:
        async with WebSearch(engine, limits=QUICK) as using:
            await using.find("harbour", SearchOptions(exclude=("b.org", "a.org")))
            await using.find("harbour", SearchOptions(exclude=("https://a.org/page", "*.B.org", "b.org")))

    asyncio.run(run())
    assert len(engine.asked) == 1


def test_results_are_cached_for_a_day_per_engine_and_address(tmp_path: Path) -> None:
    now = [20_000 * DAY]
    engines = [Scripted(FOUND, EngineTraits(address=address)) for address in ("http://one", "http://two")]

    async def run(engine: Scripted) -> None:
        cache = SearchCache(tmp_path / "searches.db")
        async with WebSearch(engine, cache, QUICK, clock=lambda: now[0]) as using:
            await using.find("harbour")

    for engine in engines:
        asyncio.run(run(engine))
        now[0] += DAY - 1
        asyncio.run(run(engine))
        assert len(engine.asked) == 1
        now[0] += 1
        asyncio.run(run(engine))
        assert len(engine.asked) == 2
        now[0] = 20_000 * DAY


def test_simultaneous_identical_searches_are_made_once(server: lab.Server) -> None:
    server.script([{"do": {"delay": 0.2}}])

    async def run() -> None:
        async with searching(server) as using:
            ledger = Ledger()
            first = asyncio.create_task(using.find("harbour", ledger=ledger))
            others = [asyncio.create_task(using.find("HARBOUR", ledger=ledger)) for _ in range(50)]
            await asyncio.sleep(0.05)
            first.cancel()
            assert len(set(await asyncio.gather(*others))) == 1
            assert server.count() == 1
            alone = asyncio.create_task(using.find("bridge", ledger=ledger))
            await asyncio.sleep(0.05)
            alone.cancel()
            await asyncio.gather(alone, return_exceptions=True)
            assert not using._flights
            assert sum(usage.calls for usage in ledger.usage()) == 1

    asyncio.run(run())


def test_failures_are_not_cached(server: lab.Server, tmp_path: Path) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"when": {"calls": [1, 2, 3]}, "do": {"status": 500}}])

    async def run() -> None:
        async with searching(server, cache=SearchCache(tmp_path / "searches.db")) as using:
            await using.find("bridge")
            with pytest.raises(SearchError):
                await using.find("harbour")
            assert (await using.find("harbour")).hits

    asyncio.run(run())
    with sqlite3.connect(tmp_path / "searches.db") as database:
        rows = database.execute("SELECT note, value FROM searches").fetchall()
    assert sorted(json.loads(request)["query"] for request, _ in rows) == ["bridge", "harbour"]
    assert all(json.loads(results)["hits"] for _, results in rows)
    assert KEY not in str(rows)
    database.close()


def test_each_check_learns_its_own_usage(server: lab.Server) -> None:
    async def run() -> None:
        one, two = Ledger(), Ledger()
        async with searching(server) as using:
            await asyncio.gather(using.find("harbour", ledger=one), using.find("harbour", ledger=two))
            await using.find("bridge", ledger=two)
            rows = [usage for ledger in (one, two) for usage in ledger.usage()]
            assert [(usage.calls, usage.cached_calls) for usage in rows] == [(1, 0), (1, 1)]
            assert all(usage.tokens_in is None and usage.seconds is not None for usage in rows)

    asyncio.run(run())


def test_a_price_applies_only_at_the_vendors_own_address(server: lab.Server) -> None:
    from factscope.evidence.search import open_engine

    prices = {
        name: open_engine(
            name, {"SERPER_API_KEY": "k", "BRAVE_SEARCH_API_KEY": "k", "TAVILY_API_KEY": "k"}
        ).traits.price
        for name in ("serper", "brave", "tavily", "wikipedia")
    }
    assert all(price and price.as_of.startswith("2026-") for price in prices.values())
    assert prices["wikipedia"] is not None
    assert prices["wikipedia"].dollars == 0

    async def cost(using: WebSearch) -> float | None:
        async with using:
            ledger = Ledger()
            await using.find("harbour", ledger=ledger)
            return ledger.usage()[0].cost

    assert asyncio.run(cost(searching(server))) is None
    assert asyncio.run(cost(searching(server, "searxng"))) == 0
    priced = Scripted(FOUND, EngineTraits(price=prices["brave"]))
    assert asyncio.run(cost(WebSearch(priced, limits=QUICK))) == 0.005


def test_a_useless_reply_that_was_paid_for_is_counted(server: lab.Server) -> None:
    server.script([{"when": {"calls": [1]}, "do": {"status": 500}}, {"when": {"calls": [2]}, "do": {"body": "{}"}}])

    async def run() -> None:
        async with searching(server) as using:
            ledger = Ledger()
            await using.find("bridge", ledger=ledger)
            await using.find("harbour", ledger=ledger)
            assert ledger.usage()[0].calls == 3

    asyncio.run(run())
    assert server.count() == 4


def test_options_an_engine_cannot_honour_are_named() -> None:
    wanted = SearchOptions(language="de", region="DE", exclude=("example.org",))

    async def ignored(traits: EngineTraits, wanted: SearchOptions) -> tuple[str, ...]:
        async with WebSearch(Scripted(FOUND, traits)) as using:
            return using.ignored(wanted)

    assert asyncio.run(ignored(EngineTraits(), wanted)) == ("exclude", "language", "region")
    assert asyncio.run(ignored(EngineTraits(can=frozenset({"language", "exclude"})), wanted)) == ("region",)
    assert asyncio.run(ignored(EngineTraits(), SearchOptions())) == ()


def test_results_from_an_engine_of_another_package_are_validated_too() -> None:
    odd = [
        EngineHit(1, "javascript://a.org/x", "", ""),
        EngineHit(2, "https://a.org/x", "", "", "long ago"),
        *FOUND.hits,
    ]
    engine = Scripted(SearchResults((*odd, EngineHit(4, "https://b.org/", "", "", "2024-05-06T10:00"))))

    async def run() -> SearchResults:
        async with WebSearch(engine, limits=QUICK) as using:
            return await using.find("harbour", SearchOptions(published_after=date(2024, 5, 6)))

    assert [hit.url for hit in asyncio.run(run()).hits] == ["https://a.org/x", "https://b.org/"]


def test_no_more_are_in_flight_than_allowed(server: lab.Server) -> None:
    server.script([{"when": {"first": 1}, "do": {}}, {"do": {"gather": 5}}])

    async def run() -> None:
        async with searching(server, limits=replace(QUICK, in_flight=5)) as using:
            await outcomes(using, [f"harbour {number}" for number in range(21)])

    asyncio.run(run())
    assert 1 < server.most() <= 5  # on a busy machine some of the five may be answered before the last arrives


@pytest.mark.parametrize(("traits", "given"), [(EngineTraits(per_second=50), None), (EngineTraits(per_second=1), 50)])
def test_searches_begin_no_faster_than_allowed(traits: EngineTraits, given: int | None) -> None:
    async def run() -> float:
        async with WebSearch(Scripted(FOUND, traits), limits=QUICK, per_second=given) as using:
            began = asyncio.get_running_loop().time()
            await outcomes(using, [f"harbour {number}" for number in range(11)])
            return asyncio.get_running_loop().time() - began

    assert 0.2 <= asyncio.run(run()) < 5


def test_an_engine_from_another_package_can_be_used(server: lab.Server) -> None:
    engine = Scripted(SearchError("quota", "No more today.", "Come back tomorrow."))
    assert isinstance(engine, SearchEngine)

    async def run() -> list[SearchResults | SearchError]:
        async with WebSearch(engine, limits=QUICK) as using:
            return await outcomes(using, ["one", "two", "three"])

    assert {str(each) for each in asyncio.run(run())} == {"No more today. Come back tomorrow."}
    assert len(engine.asked) == 1
    assert engine.closed


def test_closing_ends_searches_in_progress_after_a_while(server: lab.Server) -> None:
    server.script([{"when": {"contains": "slow"}, "do": {"hang": True}}, {"do": {"delay": 0.1}}])

    async def run() -> tuple[object, object]:
        using = searching(server)
        quick = asyncio.create_task(using.find("quick"))
        await asyncio.sleep(0.02)
        slow = asyncio.create_task(using.find("slow"))
        await asyncio.sleep(0.02)
        await using.close(patience=1.0)
        ended = await asyncio.gather(quick, slow, return_exceptions=True)
        return ended[0], ended[1]

    quick, slow = asyncio.run(run())
    assert isinstance(quick, SearchResults)
    assert isinstance(slow, asyncio.CancelledError)


def test_a_broken_or_newer_cache_is_reported_and_a_bad_row_is_searched_again(
    server: lab.Server, tmp_path: Path
) -> None:
    path = tmp_path / "searches.db"
    find(server, "serper", "harbour", cache=SearchCache(path))
    database = sqlite3.connect(path)
    database.execute("UPDATE searches SET value = '{\"hits\": [1]}'")
    database.commit()
    assert find(server, "serper", "harbour", cache=SearchCache(path)).hits
    assert server.count() == 2
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer Factscope"):
        SearchCache(path)
    path.write_bytes(b"no database " * 100)
    with pytest.raises(StoreError, match="can't be opened"):
        SearchCache(path)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n": 0}, "1 to 100"),
        ({"n": 101}, "1 to 100"),
        ({"language": "english please"}, "not a language"),
        ({"language": "en.evil"}, "not a language"),
        ({"region": "usa"}, "not a region"),
        ({"published_after": date(2021, 1, 2), "published_before": date(2021, 1, 1)}, "No day"),
        ({"exclude": ("not a site",)}, "not a site"),
    ],
)
def test_impossible_search_options_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        SearchOptions(**values)  # type: ignore[arg-type]


def test_no_limit_carries_over_between_searches_in_different_loops() -> None:
    """A search belongs to one loop, a cache file to any number of them."""
    engine = Scripted(FOUND)

    async def run() -> None:
        async with WebSearch(engine, limits=CallLimits(tries=1)) as using:
            assert await using.find("harbour") == FOUND

    asyncio.run(run())
    asyncio.run(run())
    assert len(engine.asked) == 2
