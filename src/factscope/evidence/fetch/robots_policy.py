"""Whether a site may be read, by its robots.txt, which is requested once and kept for a day.

Its rules are RFC 9309 and `Crawl-delay`, read by Protego. That is more lenient than the standard in comparing names and
splitting lines, so the file is first rewritten in a plain form: rules for other crawlers must neither restrict us nor
permit us anything.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

from protego import Protego

from factscope.evidence.fetch.fetched import NotFetchedError
from factscope.evidence.fetch.http_request import HttpResponse
from factscope.evidence.fetch.page_cache import PageCache
from factscope.evidence.fetch.urls import MOVED, FetchTarget, next_hop

AGENT = "factscope"
"""Our product token."""
MAX_BYTES = 512_000
"""Bytes of a file that are read (RFC 9309, section 2.5, asks for at least 500 KiB)."""
MAX_DELAY = 1_000_000.0
"""Seconds. A longer delay is a mistake or an attack, and is ignored."""

_AGENT_LINE = re.compile(r"^[ \t]*user-?agent[ \t]*:[ \t]*([^\n#]*)", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(r"\*(?=\s|$)|[a-z_-]+", re.IGNORECASE)
# `str.splitlines`, which Protego uses, also splits at these; the standard knows CR and LF only.
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_OTHER_AGENT = "-"


class RobotsRules(NamedTuple):
    """The rules that apply to us."""

    rules: Protego
    delay: float = 0.0
    """Seconds between two requests."""

    def allow(self, path: str) -> bool:
        """Return whether a path, with its query, may be fetched."""
        return self.rules.can_fetch(f"http://host{path}", AGENT)


def read_robots(content: bytes) -> RobotsRules:
    """Read the rules of all groups that name us, otherwise those for any crawler. Never raises."""
    text = content[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    text = _OTHER_LINE_ENDS.sub(" ", text.replace("\r", "\n"))
    rules = Protego.parse(_AGENT_LINE.sub(_plain_agent, text))
    delay = rules.crawl_delay(AGENT) or 0.0
    return RobotsRules(rules, delay if delay <= MAX_DELAY else 0.0)


def _plain_agent(line: re.Match[str]) -> str:
    """Reduce the name in a user-agent line to ours, `*`, or a name that never matches."""
    token = _TOKEN.match(line[1])
    name = token[0].lower() if token else _OTHER_AGENT
    return f"User-agent: {name if name in {AGENT, '*'} else _OTHER_AGENT}"


KEPT_SECONDS = 86_400.0
"""A robots.txt is requested again after a day (RFC 9309, section 2.4)."""
FAILURE_SECONDS = 300.0
"""After this time it is requested again if the site could not be reached."""
_MOST_SITES = 500  # sites whose rules are held in memory

Verdict = RobotsRules | NotFetchedError
"""Rules of a site, or the reason why nothing may be fetched from it."""
Ask = Callable[[FetchTarget], Awaitable[HttpResponse]]
"""Requests a robots.txt. Raises NotFetchedError."""


class RobotsPolicy:
    """The rules of the sites seen so far. Belongs to one event loop."""

    def __init__(self, ask: Ask, ports: Collection[int], redirects: int, page_cache: PageCache | None) -> None:
        self._ask = ask
        self._ports = ports
        self._redirects = redirects
        self._cache = page_cache
        self._verdicts: dict[str, tuple[Verdict, float]] = {}
        self._pending: dict[str, asyncio.Task[Verdict]] = {}

    async def enter(self, target: FetchTarget) -> float:
        """Return the seconds to leave between two requests to the page's site.

        Raises NotFetchedError when the page must not be fetched.
        """
        verdict = await self._verdict(target)
        if isinstance(verdict, NotFetchedError):
            raise NotFetchedError(f"{verdict.reason} (asking for its robots.txt)", verdict.hint, verdict.boundary)
        if not verdict.allow(target.path):
            hint = "Give the page as a file if you may use it."
            raise NotFetchedError(f"robots.txt of {target.origin} forbids it", hint)
        return verdict.delay

    def announce(self, target: FetchTarget) -> None:
        """Start to request the robots.txt of a page that may be fetched soon."""
        verdict = self._verdicts.get(target.origin)
        if not verdict or time.time() >= verdict[1]:
            self._pending_for(target)

    async def close(self) -> None:
        """Cancel the requests in progress."""
        tasks = list(self._pending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _verdict(self, target: FetchTarget) -> Verdict:
        site = target.origin
        verdict = self._verdicts.get(site)
        if verdict and time.time() < verdict[1]:
            return verdict[0]
        # Shielded, since others may wait for it when this one is cancelled.
        return await asyncio.shield(self._pending_for(target))

    def _pending_for(self, target: FetchTarget) -> asyncio.Task[Verdict]:
        """Return the request to a site that is in progress, or a new one."""
        site = target.origin
        if site not in self._pending:
            task = self._pending[site] = asyncio.create_task(self._learn(target))
            task.add_done_callback(lambda _: self._pending.pop(site))
        return self._pending[site]

    async def _learn(self, target: FetchTarget) -> Verdict:
        site = target.origin
        cached = await self._cache.robots(site) if self._cache else None
        fetched_at, content = cached or (time.time(), b"")
        verdict: Verdict
        until = fetched_at + KEPT_SECONDS
        if cached and fetched_at <= time.time() < until:
            verdict = await asyncio.to_thread(read_robots, content)
        else:
            fetched_at = time.time()
            try:
                content = await self._read(target._replace(path="/robots.txt"))
                # Parsing a long file takes 0.1 s.
                verdict, until = await asyncio.to_thread(read_robots, content), fetched_at + KEPT_SECONDS
                if self._cache:
                    await self._cache.put_robots(site, fetched_at, content)
            except NotFetchedError as failure:
                verdict, until = failure, fetched_at + FAILURE_SECONDS
        if len(self._verdicts) >= _MOST_SITES:
            del self._verdicts[next(iter(self._verdicts))]
        self._verdicts[site] = (verdict, until)
        return verdict

    async def _read(self, target: FetchTarget) -> bytes:
        """Return the file; empty when there is none, so that everything is allowed (RFC 9309, section 2.3.1.3).

        Raises NotFetchedError when it can't be reached, so that nothing is allowed (section 2.3.1.4).
        """
        passed = [target]
        while True:
            answer = await self._ask(passed[-1])
            if answer.status in MOVED:
                if len(passed) > self._redirects:
                    return b""  # "may assume that the robots.txt file is unavailable" (section 2.3.1.2)
                passed.append(next_hop(passed, answer.headers.get("Location"), self._ports, self._redirects))
                continue
            if 200 <= answer.status < 300:
                return answer.content
            if 400 <= answer.status < 500:
                return b""
            raise NotFetchedError(f"its server answers with {answer.status}")
