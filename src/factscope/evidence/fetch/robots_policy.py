"""Whether a site may be read, by its robots.txt, which is requested once and kept for a day.

Its rules are RFC 9309 and `Crawl-delay`, read by Protego. That is more lenient than the standard in comparing names and
splitting lines, so the file is first rewritten in a plain form: rules for other crawlers must neither restrict us nor
permit us anything.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
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


def _is_over(task: asyncio.Task[tuple[Verdict, float]]) -> bool:
    """Return whether a verdict has expired, or there is none because its request ended in another error."""
    return task.done() and (task.cancelled() or task.exception() is not None or time.time() >= task.result()[1])


class RobotsPolicy:
    """The rules of the sites seen so far. Belongs to one event loop."""

    def __init__(self, ask: Ask, redirects: int, page_cache: PageCache | None) -> None:
        self._ask = ask
        self._redirects = redirects
        self._cache = page_cache
        self._verdicts: dict[str, asyncio.Task[tuple[Verdict, float]]] = {}
        """By site: the verdict, or the request for it, and when it is to be requested again."""

    async def enter(self, target: FetchTarget) -> float:
        """Return the seconds to leave between two requests to the page's site.

        Raises NotFetchedError when the page must not be fetched.
        """
        # Shielded, since others may wait for it when this one is cancelled.
        verdict, _ = await asyncio.shield(self._verdict(target))
        if isinstance(verdict, NotFetchedError):
            raise NotFetchedError(f"{verdict.reason} (asking for its robots.txt)", verdict.hint, verdict.boundary)
        if not verdict.allow(target.path):
            hint = "Give the page as a file if you may use it."
            raise NotFetchedError(f"robots.txt of {target.origin} forbids it", hint)
        return verdict.delay

    def announce(self, target: FetchTarget) -> None:
        """Start to request the robots.txt of a page that may be fetched soon."""
        self._verdict(target)

    async def close(self) -> None:
        """Cancel the requests in progress."""
        for task in self._verdicts.values():
            task.cancel()
        await asyncio.gather(*self._verdicts.values(), return_exceptions=True)

    def _verdict(self, target: FetchTarget) -> asyncio.Task[tuple[Verdict, float]]:
        """Return the verdict on a site, or the request for it that is in progress, or a new one."""
        task = self._verdicts.pop(target.origin, None)
        if task is None or _is_over(task):
            if len(self._verdicts) >= _MOST_SITES:
                del self._verdicts[next(iter(self._verdicts))]
            task = asyncio.create_task(self._learn(target))
        self._verdicts[target.origin] = task
        return task

    async def _learn(self, target: FetchTarget) -> tuple[Verdict, float]:
        """Return the verdict on a site, and when it is to be requested again."""
        cached = await self._cache.robots(target.origin) if self._cache else None
        # Parsing a long file takes 0.1 s.
        if cached and cached.made <= time.time() < cached.made + KEPT_SECONDS:
            return await asyncio.to_thread(read_robots, cached.content), cached.made + KEPT_SECONDS
        asked_at = time.time()
        try:
            content = await self._read(target._replace(path="/robots.txt"))
        except NotFetchedError as failure:
            return failure, asked_at + FAILURE_SECONDS
        rules = await asyncio.to_thread(read_robots, content)
        if self._cache:
            await self._cache.put_robots(target.origin, asked_at, content)
        return rules, asked_at + KEPT_SECONDS

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
                passed.append(next_hop(passed, answer.headers.get("Location"), self._redirects))
                continue
            if 200 <= answer.status < 300:
                return answer.content
            if 400 <= answer.status < 500:
                return b""
            raise NotFetchedError(f"its server answers with {answer.status}")
