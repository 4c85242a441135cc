"""Shortcuts for searches in the tests of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from factscope.evidence.search import SearchCache, SearchError, SearchOptions, SearchResults, WebSearch, open_engine
from factscope.llm import CallLimits, Ledger
from tests import lab

KEY = "sk-canary-5f2b9c/+77"
QUICK = CallLimits(tries=3, first_wait=0.001, timeout=60.0, cool_down=0.01, failures_in_a_row=10**6, head_start=60.0)
"""No waits except for the first call's reply, however busy the machine is."""
ENGINES = ("serper", "brave", "tavily", "searxng", "wikipedia")
KEYED = ("serper", "brave", "tavily")


def environment(server: lab.Server, key: str = KEY) -> dict[str, str]:
    """Return variables that point every engine to the laboratory."""
    names = {"SERPER": "serper", "BRAVE": "brave", "TAVILY": "tavily"}
    keys = {f"{name}_API_KEY": key for name in names}
    addresses = {f"{name}_BASE_URL": f"{server.url}/{path}" for name, path in names.items()}
    return {**keys, **addresses, "SEARXNG_URL": f"{server.url}/searxng", "WIKIPEDIA_URL": f"{server.url}/wikipedia"}


def searching(
    server: lab.Server, name: str = "serper", limits: CallLimits = QUICK, cache: SearchCache | None = None, **more: Any
) -> WebSearch:
    """Return a search with an engine of the laboratory, without polite delays."""
    return WebSearch(open_engine(name, environment(server)), cache, limits, **{"per_second": 10_000, **more})


async def outcomes(
    using: WebSearch, queries: Sequence[str], wanted: SearchOptions | None = None, ledger: Ledger | None = None
) -> list[SearchResults | SearchError]:
    """Return the outcome of each search, in order; raise anything but results or a SearchError."""
    ended = await asyncio.gather(*(using.find(query, wanted, ledger) for query in queries), return_exceptions=True)
    for each in ended:
        if isinstance(each, BaseException) and not isinstance(each, SearchError):
            raise each
    return [each for each in ended if isinstance(each, SearchResults | SearchError)]


def find_all(
    server: lab.Server, name: str, queries: Sequence[str], wanted: SearchOptions | None = None, **more: Any
) -> list[SearchResults | SearchError]:
    """Run `outcomes` in its own loop with its own search."""

    async def run() -> list[SearchResults | SearchError]:
        async with searching(server, name, **more) as using:
            return await outcomes(using, queries, wanted)

    return asyncio.run(run())


def find(server: lab.Server, name: str, query: str, wanted: SearchOptions | None = None, **more: Any) -> SearchResults:
    """Return the results of one search that must not fail."""
    (only,) = find_all(server, name, [query], wanted, **more)
    assert isinstance(only, SearchResults), only
    return only


def fail(server: lab.Server, name: str, query: str = "harbour", **more: Any) -> SearchError:
    """Return the failure of one search."""
    (only,) = find_all(server, name, [query], **more)
    assert isinstance(only, SearchError), only
    return only


def kinds(ended: Sequence[SearchResults | SearchError]) -> list[str]:
    """Return `results` or the kind of failure for each outcome."""
    return [each.kind if isinstance(each, SearchError) else "results" for each in ended]
