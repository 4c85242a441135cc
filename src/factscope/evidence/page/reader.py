"""Pages in, text out, without the caller's process ever touching hostile markup."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from types import TracebackType
from typing import Any, NamedTuple

from factscope.core.errors import BoundaryError
from factscope.evidence.page.injection import Instruction
from factscope.evidence.page.page import Page
from factscope.evidence.page.page_type import UNUSABLE

_START_SECONDS = 60.0
_HINTS = {
    "captcha": "Open it in a browser and save it as a file, or use another source.",
    "cookie_wall": "Open it in a browser, choose, and save it as a file, or use another source.",
    "paywall": "Save it as a file if you may read it, or use another source.",
    "empty": "If it needs scripts to show its text, open it in a browser and save it as a file.",
}


class PageLimits(NamedTuple):
    """What one page may use."""

    seconds: float = 10.0
    """Wall time."""
    memory: int = 512 << 20
    """Bytes of address space of the child; where the system can limit it."""


class PageReader:
    """Reads pages in child processes, some at once; an async context manager, for one event loop.

    Children are started when they are needed, used for one page after the other, and replaced when they were killed.
    """

    def __init__(self, at_once: int = 2, limits: PageLimits | None = None) -> None:
        self.limits = limits or PageLimits()
        self._turn = asyncio.Semaphore(at_once)
        self._idle: list[Process] = []

    async def __aenter__(self) -> PageReader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def read(self, content: bytes, content_type: str | None, charset: str | None, url: str) -> Page:
        """The page that was fetched from `url`, with something to read on it.

        Raises:
            BoundaryError: `timeout` when it takes longer than the limit; `read` when it is no text, breaks its child,
                or stands in the place of a text: a captcha, a demand for consent or payment, an error, nothing.
        """
        async with self._turn:
            answer = await self._answer(content, content_type, charset, url)
        if "bad" in answer:
            raise BoundaryError("read", f"{url} {answer['bad']}.", "Use another source, or save it as plain text.")
        page = _page(answer["page"])
        if page.kind in UNUSABLE:
            raise BoundaryError("read", f"{url} {UNUSABLE[page.kind]}.", _HINTS.get(page.kind, "Use another source."))
        return page

    async def _answer(self, content: bytes, content_type: str | None, charset: str | None, url: str) -> dict[str, Any]:
        job = {"content_type": content_type, "charset": charset, "url": url, **self.limits._asdict()}
        child: Process | None = None
        try:
            child = await self._child()
            async with asyncio.timeout(self.limits.seconds):
                await _send(child, json.dumps(job).encode(), content)
                answer: dict[str, Any] = json.loads(await _frame(child))
        except TimeoutError:
            await _end(child)
            message = f"{url} took longer than {self.limits.seconds:g} s to read."
            raise BoundaryError("timeout", message, "Use another source, or save it as plain text.") from None
        except (OSError, EOFError, ValueError):
            await _end(child)
            message = f"{url} broke the process that reads it, or needs too much memory."
            raise BoundaryError("read", message, "Use another source, or save it as plain text.") from None
        except BaseException:
            await _end(child)
            raise
        if answer["last"]:
            await _end(child)
        else:
            self._idle.append(child)
        return answer

    async def _child(self) -> Process:
        """A child that is ready. Raises OSError or EOFError when none can be started."""
        while self._idle:
            child = self._idle.pop()
            if child.returncode is None and child.stdout is not None and not child.stdout.at_eof():
                return child
            await _end(child)
        # The same modules as ours, also when a script has put them on the path itself; `-P`: none from the folder
        # that we happen to stand in.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "factscope.evidence.page.page_worker"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                await _frame(child)
        except TimeoutError:
            await _end(child)
            raise EOFError from None
        except BaseException:
            await _end(child)
            raise
        return child


async def _send(child: Process, *contents: bytes) -> None:
    if child.stdin is None:
        raise EOFError
    for content in contents:
        child.stdin.write(len(content).to_bytes(4, "big"))
        child.stdin.write(content)
    await child.stdin.drain()


async def _frame(child: Process) -> bytes:
    if child.stdout is None:
        raise EOFError
    return await child.stdout.readexactly(int.from_bytes(await child.stdout.readexactly(4), "big"))


async def _end(child: Process | None) -> None:
    """End a child and free what it held."""
    if child is None:
        return
    if child.returncode is None:
        child.kill()
    if child.stdin is not None:
        child.stdin.close()
    await child.communicate()


def _page(fields: list[Any]) -> Page:
    page = Page(*fields)
    return page._replace(
        hints=tuple(page.hints),
        flags=tuple(page.flags),
        instructions=tuple(Instruction(*found) for found in page.instructions),
    )
