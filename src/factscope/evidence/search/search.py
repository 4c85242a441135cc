"""Search with one engine: within its limits, and with cached results, so that equal searches are made and paid once.

Results are filtered by address before anything is fetched.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from factscope.core import CacheKind, SingleFlight, SqliteCache, after_attempts
from factscope.evidence.addresses import host_of, in_site, own_site, same_page, site_names, web_address
from factscope.evidence.search.search_errors import SearchError, for_gate, from_gate
from factscope.llm.call import Call, Reply, key_of, one_line
from factscope.llm.cost import Ledger
from factscope.llm.limits import CallLimits, Gate, Ticket
from factscope.llm.model_errors import ModelError

from .engine import EngineHit, Limit, SearchEngine, SearchOptions, SearchResults, results_from_json, results_to_json


@dataclass(frozen=True, slots=True)
class Sites:
    """The sites that a check takes evidence from. Raises UsageError for a text that is not a site.

    A site includes its subdomains: `example.org` includes `news.example.org`, `gov` every host that ends in `.gov`.
    """

    allow: tuple[str, ...] = ()
    """Only these sites; all if empty."""
    deny: tuple[str, ...] = ()
    """Never these sites, even if `allow` names them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "allow", site_names(self.allow))
        object.__setattr__(self, "deny", site_names(self.deny))

    def without_own(self, url: str) -> Sites:
        """Return the filter without the site of the page that makes the claims, which can't be its own evidence."""
        own_host = own_site(url)
        return Sites(self.allow, (*self.deny, own_host)) if own_host else self

    def admits(self, url: str) -> bool:
        """Return whether the page at an address may be evidence."""
        host = host_of(url) if web_address(url) else ""
        if not host or any(in_site(host, site) for site in self.deny):
            return False
        return not self.allow or any(in_site(host, site) for site in self.allow)

    def sift(self, results: SearchResults) -> SearchResults:
        """Return the results that may be evidence, with their ranks. Direct answers without a page stay too."""
        return SearchResults(
            tuple(hit for hit in results.hits if self.admits(hit.url)),
            tuple(each for each in results.direct if each.url is None or self.admits(each.url)),
        )


def filter_results(results: SearchResults, options: SearchOptions) -> SearchResults:
    """Filter the results by the options: excluded sites, days of publication, equal pages, and the number `n`.

    Ranks and addresses do not change; of two addresses of the same page the first stays.
    """
    sifted = Sites(deny=options.exclude).sift(results)
    pages: dict[str, EngineHit] = {}
    for hit in sifted.hits:
        if _in_time(hit, options):
            pages.setdefault(same_page(hit.url), hit)
    return SearchResults(tuple(pages.values())[: options.n], sifted.direct)


def _in_time(hit: EngineHit, options: SearchOptions) -> bool:
    after, before = options.published_after or date.min, options.published_before or date.max
    return hit.published is None or after.isoformat() <= hit.published[:10] <= before.isoformat()


ROLE = "search"
"""Role under which searches are counted in `Usage`."""
LIMITS = CallLimits(timeout=20.0, deadline=90.0, longest_wait=60.0)
_OPERATORS = {"AND", "OR", "NOT"}
"""Engines read these only in capitals."""


class SearchCache(SqliteCache[str, SearchResults]):
    """An open cache of searches; the note of a row is the request as JSON."""

    kind = CacheKind(of="searches", saves="searches", encode=results_to_json, decode=results_from_json)


class WebSearch:
    """An engine with limits and a cache. Belongs to one event loop; close it when done."""

    def __init__(
        self,
        engine: SearchEngine,
        cache: SearchCache | None = None,
        limits: CallLimits = LIMITS,
        per_second: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Without `cache`, results are kept until this is closed.

        `limits.in_flight` and `per_second` override the engine's `traits`. `clock` returns the time in seconds since
        1970: results are cached for a day (UTC), as the web changes.
        """
        self.engine = engine
        self._cache = cache or SearchCache()
        self._limits, self._clock = limits, clock
        self._gate = Gate(limits, engine.traits.in_flight)
        rate = per_second or engine.traits.per_second
        self._spacing, self._turn = (1 / rate if rate else 0.0), 0.0
        self._flights: SingleFlight[SearchResults] = SingleFlight()

    async def __aenter__(self) -> WebSearch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self, patience: float = 0.0) -> None:
        """Give searches in flight `patience` seconds to end, and close connections and cache."""
        await self._flights.close(patience)
        await self.engine.close()
        self._cache.close()

    def ignored(self, options: SearchOptions) -> tuple[Limit, ...]:
        """Return the restrictions that are set but not supported by the engine, in order of name.

        Of these, excluded sites and known days of publication are filtered here; the others have no effect.
        """
        return tuple(sorted(options.limits() - self.engine.traits.can))

    async def find(
        self, query: str, options: SearchOptions | None = None, ledger: Ledger | None = None
    ) -> SearchResults:
        """Search, unless the same was searched today; case and white space make no difference.

        `ledger` records calls, cached calls and their cost. Raises SearchError, StoreError.
        """
        options = options or SearchOptions()
        text = " ".join(query.encode("utf-8", "replace").decode().split())
        if not text:
            raise SearchError("bad_request", "The query is empty.")
        request = self._request(text, options)
        key = key_of(request)
        cached = self._cache.get(key)
        if cached is not None:
            self._count(ledger, cached=True)
            return filter_results(cached, options)
        joined = key in self._flights
        results = await self._flights.result(key, lambda: self._search(text, options, key, request, ledger))
        if joined:
            self._count(ledger, cached=True)
        return filter_results(results, options)

    def _request(self, text: str, options: SearchOptions) -> str:
        """Return the request that determines the results, as one line of JSON."""
        words = [word if word in _OPERATORS else word.casefold() for word in text.split()]
        return one_line(
            {
                "engine": self.engine.name,
                "address": self.engine.traits.address,
                "query": " ".join(words),
                "wanted": options.values(),
                "day": datetime.fromtimestamp(self._clock(), UTC).date().isoformat(),
            }
        )

    def _count(self, ledger: Ledger | None, *, cached: bool = False, seconds: float = 0.0) -> None:
        if ledger is None:
            return
        price = self.engine.traits.price
        call = Call(role=ROLE, model=self.engine.name, messages=())
        cost = price.dollars / 1000 if price else None
        reply = Reply(text="", finish_reason="stop", cost=cost, cached=cached, seconds=seconds)
        ledger.add(call, reply)

    async def _search(
        self, text: str, options: SearchOptions, key: str, request: str, ledger: Ledger | None
    ) -> SearchResults:
        """Search, with retries where they can help, and cache the results."""
        limits, loop, began, last = self._limits, asyncio.get_running_loop(), 0.0, None
        for attempt in range(1, limits.tries + 1):
            ticket = await self._enter(began, last)
            began = began or ticket.begun
            try:
                results = await self._attempt(text, options, began, ledger)
                await asyncio.to_thread(self._cache.put, key, results, request)
                self._gate.leave(ticket, ok=True)
                return results
            except SearchError as failure:
                last = self._unreachable(failure)
                self._gate.leave(ticket, for_gate(last))
            except BaseException:
                self._gate.leave(ticket)
                raise
            if not last.again or attempt == limits.tries:
                break
            pause = limits.pause(attempt, last.wait)
            if loop.time() + pause > began + limits.deadline:
                break
            await asyncio.sleep(pause)
        if last is None:
            raise ValueError("tries must be at least 1")
        message = after_attempts(last.message, last.wait, limits.longest_wait, attempt)
        raise SearchError(last.kind, message, last.hint, wait=last.wait)

    async def _enter(self, began: float, last: SearchError | None) -> Ticket:
        """Wait for permission to make an attempt; a retry only within the deadline. Raises SearchError."""
        try:
            if not began:
                return await self._gate.enter(self.engine.name)
            async with asyncio.timeout_at(began + self._limits.deadline):
                return await self._gate.enter(self.engine.name, again=True)
        except ModelError as failure:
            raise from_gate(failure) from None
        except TimeoutError:
            last_message = last.message if last else ""
        raise SearchError("timeout", f"No time was left for another attempt. The last: {last_message}")

    async def _attempt(self, text: str, options: SearchOptions, began: float, ledger: Ledger | None) -> SearchResults:
        """Make one attempt. Vendors charge only for a status of 200, even when the reply is unusable."""
        loop = asyncio.get_running_loop()
        self._turn = max(self._turn, loop.time())
        turn, self._turn = self._turn, self._turn + self._spacing
        await asyncio.sleep(turn - loop.time())
        start = loop.time()
        seconds = max(0.001, min(self._limits.timeout, began + self._limits.deadline - start))
        try:
            async with asyncio.timeout(seconds):
                results = await self.engine.search(text, options)
        except TimeoutError:
            raise SearchError("timeout", f"{self.engine.name} did not answer within {seconds:.3g} s.") from None
        except SearchError as failure:
            if failure.kind == "bad_reply":
                self._count(ledger, seconds=loop.time() - start)
            raise
        self._count(ledger, seconds=loop.time() - start)
        return results

    def _unreachable(self, failure: SearchError) -> SearchError:
        """Return the failure of an engine that never answered, and now failed twice to reply in the expected format."""
        if failure.kind in ("connection", "bad_reply") and self._gate.doubtful(self.engine.name):
            return SearchError("unreachable", failure.message, failure.hint or "Is the network there?")
        return failure
