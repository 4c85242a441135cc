"""Pages and robots.txt files, cached in one SQLite file by address and day, so that a page is requested once a day.

It is only a cache: a row that can't be read or written counts as missing.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, TypeVar

from factscope.core import CacheKind, SqliteCache, StoreError, unpacked
from factscope.evidence.fetch.fetched import FetchedPage

LEFT_DAYS = 30
"""Days after which a page that nobody requested is dropped."""

T = TypeVar("T")


class CachedPage(NamedTuple):
    """A page with the headers for revalidating it."""

    fetched: FetchedPage
    etag: str | None
    day: int

    def is_of_today(self) -> bool:
        """Return whether it was fetched today and can be used without a request."""
        return self.day == today()


class RobotsFile(NamedTuple):
    """A robots.txt, and when it was fetched."""

    made: float
    content: bytes


def _encode_page(page: CachedPage) -> bytes:
    head = {**asdict(page.fetched), "etag": page.etag, "day": page.day}
    del head["content"]
    return json.dumps(head).encode() + b"\n" + zlib.compress(page.fetched.content, 1)


def _decode_page(value: object) -> CachedPage:
    if not isinstance(value, bytes):
        raise TypeError("a page is bytes")
    head, _, content = value.partition(b"\n")
    values = json.loads(head)
    etag, day = values.pop("etag"), int(values.pop("day"))
    values["redirects"] = tuple(values["redirects"])
    return CachedPage(FetchedPage(**values, content=unpacked(content)), etag, day)


class _Pages(SqliteCache[str, CachedPage]):
    kind = CacheKind(of="pages", saves="requests", encode=_encode_page, decode=_decode_page, days=LEFT_DAYS)


class _Robots(SqliteCache[str, RobotsFile]):
    kind = CacheKind(
        of="robots",
        saves="requests",
        encode=lambda robots: f"{robots.made!r}\n".encode() + robots.content,
        decode=lambda value: RobotsFile(float(value.partition(b"\n")[0]), value.partition(b"\n")[2]),
        days=1,
    )


class PageCache:
    """An open cache of pages. Close it when done."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises StoreError when it can't be opened, or is of another version of Factscope."""
        self._pages, self._robots = _Pages(path), _Robots(path)
        # One thread: SQLite does one thing at a time, and must not block the event loop.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="factscope-pages")

    def close(self) -> None:
        """Finish pending writes, and close the file."""
        self._thread.shutdown()
        self._pages.close()
        self._robots.close()

    async def page(self, url: str) -> CachedPage | None:
        """Return a cached page, whatever its day."""
        return await self._do(lambda: self._pages.get(url))

    async def put_page(self, url: str, page: CachedPage) -> None:
        """Store a page in place of an earlier one."""
        await self._do(lambda: self._pages.put(url, page))

    async def robots(self, site: str) -> RobotsFile | None:
        """Return a robots.txt, and when it was fetched."""
        return await self._do(lambda: self._robots.get(site))

    async def put_robots(self, site: str, fetched_at: float, content: bytes) -> None:
        """Store a robots.txt."""
        await self._do(lambda: self._robots.put(site, RobotsFile(fetched_at, content)))

    async def _do(self, work: Callable[[], T]) -> T | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except StoreError:
            return None


def today() -> int:
    """Return the day in UTC, counted since 1970."""
    return int(time.time() // 86_400)
