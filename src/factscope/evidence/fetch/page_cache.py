"""Pages and robots.txt files, kept in one SQLite file: a page by address and day, so that it is asked for once a day.

Several processes may use the file at once. It is a cache: a row that can't be read or written is as good as missing.

    pages   url (as asked for, normalised), day (UTC, since 1970), head (JSON), content (packed by zlib)
    robots  site, made (seconds since 1970), content
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, TypeVar

from factscope.core.sqlite_cache import CacheKind, open_cache
from factscope.evidence.fetch.fetched import FetchedPage

KEPT_DAYS = 30
"""A page is dropped when it was not asked for in so many days."""
_KIND = CacheKind(
    of="pages",
    saves="requests",
    schema="""
PRAGMA auto_vacuum = FULL;
CREATE TABLE IF NOT EXISTS pages
    (url TEXT PRIMARY KEY, day INTEGER NOT NULL, head TEXT NOT NULL, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS robots (site TEXT PRIMARY KEY, made REAL NOT NULL, content BLOB NOT NULL);
""",
)

T = TypeVar("T")


class CachedPage(NamedTuple):
    """A page with what to ask for it again by."""

    fetched: FetchedPage
    etag: str | None
    modified: str | None
    day: int

    def is_of_today(self) -> bool:
        """Whether it need not be asked for again."""
        return self.day == today()


class PageCache:
    """An open file of pages. Close it when done."""

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises StoreError when it can't be, or is of a newer Factscope."""
        self.path = path
        self._db = open_cache(path, _KIND)
        with suppress(sqlite3.OperationalError):  # what is old can go another time
            self._db.execute("DELETE FROM pages WHERE day < ?", (today() - KEPT_DAYS,))
            self._db.execute("DELETE FROM robots WHERE made < ?", (time.time() - 86_400,))
        # One thread: SQLite is asked one thing at a time, and never on the event loop.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="factscope-pages")

    def close(self) -> None:
        """Finish what is being written, and close the file."""
        self._thread.shutdown()
        self._db.close()

    async def page(self, url: str) -> CachedPage | None:
        """Return a cached page, of any day."""
        return await self._do(lambda: self._page(url))

    async def put_page(self, url: str, page: CachedPage) -> None:
        """Keep a page, instead of an earlier one."""
        head = {**asdict(page.fetched), "etag": page.etag, "modified": page.modified}
        del head["content"]
        text = json.dumps(head)

        def store_page() -> None:
            values = (url, page.day, text, zlib.compress(page.fetched.content, 1))
            self._db.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)", values)

        await self._do(store_page)

    async def robots(self, site: str) -> tuple[float, bytes] | None:
        """A robots.txt, and when it was fetched."""

        def get() -> tuple[float, bytes] | None:
            row = self._db.execute("SELECT made, content FROM robots WHERE site = ?", (site,)).fetchone()
            return (float(row[0]), bytes(row[1])) if row else None

        return await self._do(get)

    async def put_robots(self, site: str, fetched_at: float, content: bytes) -> None:
        """Keep a robots.txt."""
        await self._do(
            lambda: self._db.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (site, fetched_at, content))
        )

    def _page(self, url: str) -> CachedPage | None:
        row = self._db.execute("SELECT day, head, content FROM pages WHERE url = ?", (url,)).fetchone()
        if not row:
            return None
        head = json.loads(row[1])
        etag, modified = head.pop("etag"), head.pop("modified")
        head["redirects"] = tuple(head["redirects"])
        return CachedPage(FetchedPage(**head, content=zlib.decompress(row[2])), etag, modified, row[0])

    async def _do(self, work: Callable[[], T]) -> T | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.Error, ValueError, TypeError, KeyError, zlib.error):
            return None


def today() -> int:
    """The day in UTC, counted since 1970."""
    return int(time.time() // 86_400)
