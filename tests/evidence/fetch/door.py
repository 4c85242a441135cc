"""Helpers for tests of the fetcher: a fetcher on a fake net, and its failures as text."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from factscope.core import BoundaryError
from factscope.evidence.fetch import FetchedPage, Fetcher, FetchLimits
from tests.lab.pages import Answer, Net, Site, site

QUICK = FetchLimits(seconds=60.0, per_second=10_000)


class Door(NamedTuple):
    fetcher: Fetcher
    site: Site
    net: Net

    async def fetch(self, url: str) -> FetchedPage:
        return await self.fetcher.fetch(url)

    async def failure(self, url: str) -> BoundaryError:
        """Return the error that `url` must end in, which always names the address and states the reason in words."""
        with pytest.raises(BoundaryError) as caught:
            await self.fetcher.fetch(url)
        assert " was not fetched: " in caught.value.message
        assert caught.value.message.isprintable()
        return caught.value

    async def why(self, url: str) -> str:
        return (await self.failure(url)).message.partition(" was not fetched: ")[2]


@asynccontextmanager
async def door(
    answer: Answer, limits: FetchLimits = QUICK, cache: Path | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Door]:
    """Open a fetcher whose net leads to one server for every public address and both ports."""
    async with site(answer, tls) as server:
        net = Net(server.port, server.port)
        made = Fetcher(cache, limits=limits, resolve=net.resolve, open_socket=net.open_socket)
        async with made as fetcher:
            yield Door(fetcher, server, net)


class Lag:
    """An async context manager that measures the event loop's longest work without a pause, and its total work.

    Both are processor time of the thread, since other programs may occupy the processor.
    """

    worst = total = 0.0

    async def __aenter__(self) -> Lag:
        self.task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            took = time.thread_time() - began
            self.worst, self.total = max(self.worst, took), self.total + took
