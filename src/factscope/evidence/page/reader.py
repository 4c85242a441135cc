"""Reads pages in child processes, so that the caller's process never parses hostile markup; the same content once.

Parsed pages are cached in an SQLite file that other processes share; a row that can't be read or written counts as
missing.
"""

from __future__ import annotations

import asyncio
import json
import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from factscope.core import Boundary, BoundaryError, CacheKind, SingleFlight, SqliteCache, StoreError, unpacked
from factscope.core.version import __version__
from factscope.evidence.forked import fork_server
from factscope.evidence.page.injection import Instruction
from factscope.evidence.page.page import ReadPage
from factscope.evidence.page.page_type import UNUSABLE, Kind
from factscope.evidence.sandbox import Reason, Sandbox, SandboxError, SandboxLimits, ServerLostError

PAGE_VERSION = 13
"""Must be raised when the same content would be parsed differently than before, within a version of Factscope."""
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
    """Parsed pages in a file, opened with the first page and closed by `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: _ParsedRows | None = None

    @staticmethod
    def key(content: bytes, content_type: str | None, charset: str | None, url: str) -> bytes:
        """Return a key of everything that affects the result of parsing."""
        about = json.dumps([__version__, PAGE_VERSION, content_type, charset, url])
        return sha256(about.encode() + b"\0" + content).digest()

    def get(self, key: bytes) -> ReadPage | None:
        """Return the page under a key; None when it must be parsed."""
        with suppress(StoreError):
            self._rows = self._rows or _ParsedRows(self._path)
            return self._rows.get(key)
        return None

    def put(self, key: bytes, page: ReadPage) -> None:
        """Store a page."""
        with suppress(StoreError):
            if self._rows:
                self._rows.put(key, page)

    def close(self) -> None:
        """Close the file."""
        if self._rows:
            self._rows.close()


_MOST_READERS = 8
"""Most pages that are read at the same time, each in its own process."""
_PROBLEMS: dict[Reason, str] = {
    "time": "took longer than {seconds:g} s to read",
    "content": "{detail}",
    "memory": "needs too much memory to read",
    "install": "can't be read: the installation of Factscope is incomplete ({detail})",
    "lost": "broke the process that reads it, or needs too much memory",
}
_HINTS = {
    "captcha": "Open it in a browser and save it as a file, or use another source.",
    "cookie_wall": "Open it in a browser, choose, and save it as a file, or use another source.",
    "paywall": "Save it as a file if you may read it, or use another source.",
    "empty": "If it needs scripts to show its text, open it in a browser and save it as a file.",
}


class ReadError(BoundaryError):
    """A page without readable text, with the kind of page that it is instead."""

    def __init__(self, boundary: Boundary, message: str, hint: str = "", kind: Kind | None = None) -> None:
        super().__init__(boundary, message, hint)
        self.args = (boundary, message, hint, kind)  # the arguments from which another process rebuilds it (pickle)
        self.kind = kind


def open_reader(cache: Path) -> PageReader:
    """Return a reader for as many concurrent pages as there are processors; it caches parsed pages in a folder."""
    at_once = max(2, min(_MOST_READERS, os.cpu_count() or 1))
    return PageReader(at_once=at_once, parsed=ParsedPages(cache / "pages.db"))


class PageReader:
    """Reads pages in child processes, several at once; an async context manager, for one event loop.

    Children are started when they are needed, used for one page after the other, and replaced when they were killed.
    The process's fork server starts them, which loads the parsers once for all readers.
    """

    def __init__(self, at_once: int = 2, parsed: ParsedPages | None = None) -> None:
        """With `parsed`, a page with unchanged content is not read again; the reader closes it."""
        self.limits = SandboxLimits()
        self.at_once = at_once
        """Pages that are read at the same time, each in its own child process."""
        self._parsed = parsed
        self._flights: SingleFlight[ReadPage] = SingleFlight()
        self._turn = asyncio.Semaphore(at_once)
        self._threads = ThreadPoolExecutor(at_once, "page-reader")
        self.idle: list[Sandbox] = []
        """Children that wait for a page."""

    async def __aenter__(self) -> PageReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop reading, end the children, and close the cache of pages."""
        await self._flights.close()
        while self.idle:
            self.idle.pop().close()
        self._threads.shutdown(wait=False)
        if self._parsed:
            self._parsed.close()

    def prepare(self) -> None:
        """Start the children that are still missing, so that they are ready for the first pages.

        A child that can't be started is tried again with its first page, which then fails with the reason.
        """
        while len(self.idle) < self.at_once:
            sandbox = Sandbox(_parser_of(b""), fork_server())
            with suppress(SandboxError):
                sandbox.start()
            self.idle.append(sandbox)

    async def read(self, content: bytes, content_type: str | None, charset: str | None, url: str) -> ReadPage:
        """Return the page that was fetched from `url`, with something to read on it.

        Raises:
            BoundaryError: `timeout` when it takes longer than the limit; `read` when it is not text, breaks its child,
                or is not a text at all: a captcha, a demand for consent or payment, an error, nothing.
        """
        job = {"content_type": content_type, "charset": charset, "url": url}
        parsed = self._parsed
        if parsed is None:
            page = await self._read_now(job, content)
        else:
            key = parsed.key(content, content_type, charset, url)
            page = await self._flights.result(key.hex(), lambda: self._read_once(parsed, key, job, content))
        if page.kind in UNUSABLE:
            hint = _HINTS.get(page.kind, "Use another source.")
            raise ReadError("read", f"{url} {UNUSABLE[page.kind]}.", hint, page.kind)
        return page

    async def _read_once(self, parsed: ParsedPages, key: bytes, job: dict[str, str | None], content: bytes) -> ReadPage:
        """Return the page from the cache, or read and store it. Raises BoundaryError."""
        page = await asyncio.to_thread(parsed.get, key)
        if page is None:
            page = await self._read_now(job, content)
            await asyncio.to_thread(parsed.put, key, page)
        return page

    async def _read_now(self, job: dict[str, str | None], content: bytes) -> ReadPage:
        async with self._turn:
            try:
                return page_of(await self._fields(job, content))
            except SandboxError as error:
                raise _boundary_error(str(job["url"]), error, self.limits) from None

    async def _fields(self, job: dict[str, str | None], content: bytes) -> list[Any]:
        """Return the fields of a page, parsed by a child process reserved for it. Raises SandboxError."""
        sandbox = self._sandbox(_parser_of(content))
        # Started here, so that there is a child to kill whenever this call is cancelled.
        sandbox.start()
        # Not by asyncio's own subprocesses: before Python 3.13 a loop that closes while one starts hangs.
        parsing = asyncio.get_running_loop().run_in_executor(self._threads, _parsed, sandbox, job, content, self.limits)
        try:
            fields = await asyncio.shield(parsing)
        except asyncio.CancelledError:
            sandbox.kill()
            await asyncio.gather(parsing, return_exceptions=True)  # the thread ends with the child
            raise
        except SandboxError:
            self.idle.append(sandbox)
            raise
        self.idle.append(sandbox)
        return fields

    def _sandbox(self, parser: str) -> Sandbox:
        """Return an idle child with this parser, or with all parsers; otherwise replace an idle one by a new one."""
        for sandbox in reversed(self.idle):
            if sandbox.parser in {parser, "pdf"}:
                self.idle.remove(sandbox)
                return sandbox
        if self.idle:
            self.idle.pop().close()
        return Sandbox(parser, fork_server())


def _parser_of(content: bytes) -> str:
    """Return the parser that a child needs."""
    return "pdf" if b"%PDF-" in content[:1_024] else "page"


def _parsed(sandbox: Sandbox, job: dict[str, str | None], content: bytes, limits: SandboxLimits) -> list[Any]:
    """Return the fields of a page, trying once more when the fork server was killed. Raises SandboxError."""
    try:
        [fields] = sandbox.parse(job, content, limits)
    except ServerLostError:
        [fields] = sandbox.parse(job, content, limits)
    return list(fields)


def _boundary_error(url: str, error: SandboxError, limits: SandboxLimits) -> BoundaryError:
    hint = "Install it again." if error.reason == "install" else "Use another source, or save it as plain text."
    problem = _PROBLEMS[error.reason].format(detail=error.detail, seconds=limits.cpu_seconds)
    return BoundaryError("timeout" if error.reason == "time" else "read", f"{url} {problem}.", hint)
