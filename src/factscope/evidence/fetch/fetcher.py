"""The only way to fetch a page: with safety checks, politeness and limits, and each page only once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from factscope.core import SingleFlight, asked_wait
from factscope.evidence.fetch.body import charset, guessed_type, media_type
from factscope.evidence.fetch.fetched import FetchedPage, FetchError, FetchLimits, NotFetchedError
from factscope.evidence.fetch.http_request import (
    BodyLimits,
    HttpResponse,
    OpenSocket,
    Requests,
    Resolve,
    open_plain,
    system_addresses,
)
from factscope.evidence.fetch.page_cache import CachedPage, PageCache, today
from factscope.evidence.fetch.robots_policy import MAX_BYTES, RobotsPolicy
from factscope.evidence.fetch.throttle import Throttle
from factscope.evidence.fetch.urls import MOVED, FetchTarget, next_hop, one_line, printable_url, read_url

_PAGE = (200, 203)  # 203: a page that a proxy on the way has changed
_BUSY = (429, 503)  # the two that say in `Retry-After` when to come again
_LONGEST_MARK = 1_000  # characters of an ETag or date that is sent back
_WORDS = {
    204: "it is empty",
    304: "its server says that it has not changed, and no earlier one is known",
    401: "its server requires a password",
    402: "its server requires payment",
    403: "its server refuses it",
    404: "there is no such page",
    410: "the page is gone",
    429: "its server asks for fewer requests",
    451: "its server may not show it",
}


class Fetcher:
    """Fetches pages. Use as an asynchronous context manager, or close it; belongs to one event loop."""

    def __init__(
        self,
        cache: Path | None = None,
        *,
        limits: FetchLimits | None = None,
        resolve: Resolve = system_addresses,
        open_socket: OpenSocket = open_plain,
    ) -> None:
        """`cache` is the file that stores pages. Raises StoreError when it can't be opened.

        `resolve` looks up hosts and `open_socket` makes sockets, in place of the system's functions. Whatever they
        return, an address is checked before a socket is made for it, and again when it is connected.
        """
        self.limits = limits or FetchLimits()
        self._resolve = resolve
        self._open_socket = open_socket
        self._cache = PageCache(cache) if cache else None
        self._turns = Throttle(self.limits)
        self._flights: SingleFlight[FetchedPage] = SingleFlight()
        self._requests: Requests | None = None
        self._permits: RobotsPolicy | None = None

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop requests in flight, and close connections and cache."""
        await self._flights.close()
        if self._permits:
            await self._permits.close()
        if self._requests:
            await self._requests.close()
        if self._cache:
            await asyncio.to_thread(self._cache.close)

    async def fetch(self, url: str) -> FetchedPage:
        """Return the page at `url`: today's from the cache, from a fetch in progress, or fetched now.

        Raises FetchError, which names the address and the reason.
        """
        try:
            target = read_url(url)
            return await self._flights.result(target.url, lambda: self._page(target))
        except NotFetchedError as error:
            message = f"{printable_url(url)} was not fetched: {one_line(error.reason)}."
            failure = FetchError(error.boundary, message, error.hint, error.status)
        raise failure

    def announce(self, url: str) -> None:
        """Request the robots.txt of a page that may be fetched soon; a failure is reported by that fetch."""
        with suppress(NotFetchedError):
            target = read_url(url)
            self._doors()[1].announce(target)

    async def _page(self, target: FetchTarget) -> FetchedPage:
        cached = await self._cache.page(target.url) if self._cache else None
        if cached and cached.is_of_today():
            return replace(cached.fetched, cached=True)
        page = await self._in_time(target, cached)
        if self._cache:
            await self._cache.put_page(target.url, page)
        return page.fetched

    async def _in_time(self, target: FetchTarget, cached: CachedPage | None) -> CachedPage:
        seconds, patience = self.limits.seconds, self.limits.patience
        try:
            async with asyncio.timeout(seconds + patience), asyncio.timeout(seconds) as clock:
                return await self._follow(target, cached, clock)
        except TimeoutError:
            reason = f"it took longer than {seconds:g} s"
            if not clock.expired():
                reason += f" and {patience:g} s of waiting for its turns"
            raise NotFetchedError(reason, boundary="timeout") from None

    async def _follow(self, target: FetchTarget, cached: CachedPage | None, clock: asyncio.Timeout) -> CachedPage:
        """Return the page at the end of the address's redirects."""
        passed = [target]
        while True:
            current = passed[-1]
            try:
                cached_here = cached if cached and cached.fetched.url == current.url else None
                answer = await self._ask(current, cached_here, clock)
                if answer.status not in MOVED:
                    return _page_of(answer, passed, cached_here)
            except NotFetchedError as error:
                if current is target:
                    raise
                raise NotFetchedError(
                    f"it leads to {printable_url(current.url)}: {error.reason}",
                    error.hint,
                    error.boundary,
                    error.status,
                ) from None
            passed.append(next_hop(passed, answer.headers.get("Location"), self.limits.redirects))

    async def _ask(self, target: FetchTarget, cached: CachedPage | None, clock: asyncio.Timeout) -> HttpResponse:
        """Request the page, and once more if the server asks to come back soon."""
        requests, permits = self._doors()
        self._turns.space(target.host, await permits.enter(target))
        for again in (True, False):
            async with self._turns.turn(target.host, clock):
                answer = await requests.get(target, _conditions(cached), self._body_limits)
            wait = _asked_wait(answer)
            if wait is not None:
                self._turns.hold(target.host, wait)
            if wait is None or wait > self.limits.seconds or not again:
                break
        return answer

    def _body_limits(self, status: int, headers: Mapping[str, str]) -> BodyLimits | None:
        if status not in _PAGE:
            return None
        media_type(headers.get("Content-Type", ""))
        return BodyLimits(self.limits.wire_bytes, self.limits.decoded_bytes)

    async def _ask_robots(self, target: FetchTarget) -> HttpResponse:
        requests, _ = self._doors()
        seconds = self.limits.seconds
        try:
            async with asyncio.timeout(seconds) as clock, self._turns.turn(target.host, clock):
                answer = await requests.get(
                    target, {}, lambda status, _: BodyLimits(MAX_BYTES, MAX_BYTES, cut=True) if status < 300 else None
                )
        except TimeoutError:
            raise NotFetchedError(f"it took longer than {seconds:g} s", boundary="timeout") from None
        if (wait := _asked_wait(answer)) is not None:
            self._turns.hold(target.host, wait)
        return answer

    def _doors(self) -> tuple[Requests, RobotsPolicy]:
        """Create the parts that need an event loop, on the first request."""
        if self._requests is None or self._permits is None:
            self._requests = Requests(self._resolve, self._open_socket)
            self._permits = RobotsPolicy(self._ask_robots, self.limits.redirects, self._cache)
        return self._requests, self._permits


def _page_of(answer: HttpResponse, passed: list[FetchTarget], cached: CachedPage | None) -> CachedPage:
    """Return the page in a response. Raises NotFetchedError when it holds none."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    way = tuple(target.url for target in passed[:-1])
    if answer.status == 304 and cached:
        return cached._replace(fetched=replace(cached.fetched, fetched_at=now, redirects=way), day=today())
    if answer.status not in _PAGE:
        raise NotFetchedError(_words(answer), status=answer.status)
    if not answer.content:
        raise NotFetchedError("it is empty")
    declared = answer.headers.get("Content-Type", "")
    fetched = FetchedPage(
        url=passed[-1].url,
        status=answer.status,
        content=answer.content,
        content_type=media_type(declared) or guessed_type(answer.content),
        charset=charset(declared),
        fetched_at=now,
        redirects=way,
        cached=False,
        modified=_mark(answer.headers.get("Last-Modified")),
    )
    return CachedPage(fetched, _mark(answer.headers.get("ETag")), today())


def _words(answer: HttpResponse) -> str:
    usual = "its server has failed" if answer.status >= 500 else "its server does not give it"
    reason = f"{_WORDS.get(answer.status, usual)} ({answer.status})"
    wait = _asked_wait(answer)
    return reason if wait is None else f"{reason}, and asks to come back in {wait:,.0f} s"


def _asked_wait(answer: HttpResponse) -> float | None:
    """Return the seconds that an overloaded server asks to wait."""
    return asked_wait(answer.headers, time.time()) if answer.status in _BUSY else None


def _conditions(cached: CachedPage | None) -> dict[str, str]:
    """Return headers that request a page only if it has changed (RFC 9110, section 13.1)."""
    if not cached:
        return {}
    marks = {"If-None-Match": cached.etag, "If-Modified-Since": cached.fetched.modified}
    return {name: mark for name, mark in marks.items() if mark}


def _mark(text: str | None) -> str | None:
    """Return a validator (ETag or date) that can be sent back unchanged."""
    return text if text and len(text) <= _LONGEST_MARK and text.isascii() and text.isprintable() else None
