"""Parsed pages by their content, so that the same content is not parsed again.

They are kept in memory up to a limit, and in an SQLite file that other processes share. It is only a cache: a row that
can't be read or written counts as missing.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path

from factscope.core.errors import StoreError
from factscope.core.sqlite_cache import CacheKind, SqliteCache, unpacked
from factscope.core.version import __version__
from factscope.evidence.page.injection import Instruction
from factscope.evidence.page.page import ReadPage

PAGE_VERSION = 1
"""Must be raised when the same content would be parsed differently than before, within a version of Factscope."""
MEMORY_CHARACTERS = 20_000_000
"""Characters of pages that are held in memory, the most recently used ones."""
KEPT_DAYS = 30
"""Days after which a page is removed from the file."""


def page_of(fields: list[object]) -> ReadPage:
    """Restore a page from its fields, as read from JSON. Raises TypeError."""
    page = ReadPage(*fields)  # type: ignore[arg-type]
    return page._replace(
        hints=tuple(page.hints),
        flags=tuple(page.flags),
        instructions=tuple(Instruction(*instruction) for instruction in page.instructions),
    )


def _decode(value: object) -> ReadPage:
    if not isinstance(value, bytes):
        raise TypeError("a page is bytes")
    return page_of(json.loads(unpacked(value)))


class _ParsedRows(SqliteCache[bytes, ReadPage]):
    kind = CacheKind(
        of="parsed_pages",
        saves="parsing",
        encode=lambda page: zlib.compress(json.dumps(page).encode(), 1),
        decode=_decode,
        synchronous="OFF",
        days=KEPT_DAYS,
    )


class ParsedPages:
    """Parsed pages of one reader; `path` is the file, opened with the first page and closed by `close`."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._rows: _ParsedRows | None = None
        self._pages: OrderedDict[bytes, ReadPage] = OrderedDict()
        self._characters = 0

    @staticmethod
    def key(content: bytes, content_type: str | None, charset: str | None, url: str) -> bytes:
        """Return a key of everything that affects the result of parsing."""
        about = json.dumps([__version__, PAGE_VERSION, content_type, charset, url])
        return sha256(about.encode() + b"\0" + content).digest()

    async def get(self, key: bytes) -> ReadPage | None:
        """Return the page under a key; None when it must be parsed."""
        if key in self._pages:
            self._pages.move_to_end(key)
            return self._pages[key]
        page = await asyncio.to_thread(self._from_file, key)
        if page:
            self._hold(key, page)
        return page

    async def put(self, key: bytes, page: ReadPage) -> None:
        """Store a page."""
        self._hold(key, page)
        await asyncio.to_thread(self._to_file, key, page)

    def close(self) -> None:
        """Close the file."""
        if self._rows:
            self._rows.close()
        self._rows = self._path = None

    def _hold(self, key: bytes, page: ReadPage) -> None:
        if key not in self._pages:
            self._pages[key] = page
            self._characters += len(page.text)
        while self._characters > MEMORY_CHARACTERS:
            self._characters -= len(self._pages.popitem(last=False)[1].text)

    def _from_file(self, key: bytes) -> ReadPage | None:
        try:
            if self._rows is None and self._path:
                self._rows = _ParsedRows(self._path)
            return self._rows.get(key) if self._rows else None
        except StoreError:
            return None

    def _to_file(self, key: bytes, page: ReadPage) -> None:
        try:
            if self._rows:
                self._rows.put(key, page)
        except StoreError:
            return
