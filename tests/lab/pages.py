"""A small web of pages that misbehave as a test asks, and a simulated network on which its hosts are public.

`Site` is a server in the test's own event loop: a function decides the answer to each request. `Net` defines the hosts
and their addresses, and routes connections to public addresses to a server on the loopback interface.
Neither weakens the tests: the code under test sees the public address, and each address it dials is recorded.
"""

from __future__ import annotations

import _socket
import argparse
import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:2800:220:1:248:1893:25c8:1946"


@dataclass(frozen=True)
class Asked:
    """One request."""

    time: float
    host: str
    path: str
    headers: dict[str, str]


@dataclass(frozen=True)
class Page:
    """Answer to a request."""

    body: bytes = b"<!doctype html><p>The bridge opened in 1931.</p>"
    status: int = 200
    type: str | None = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before anything is sent."""
    drip: float = 0.0
    """Seconds between two bytes of the body."""
    length: int | None = None
    """Value of Content-Length if not the true one; -1 for no such header."""
    raw: bytes | None = None
    """Sent verbatim instead of everything else."""
    endless: bytes = b""
    """Sent repeatedly after the body."""


def moved(to: str, status: int = 302) -> Page:
    """Return a redirect."""
    return Page(b"", status, None, {"Location": to})


Answer = Callable[[Asked], Page]


def only(page: Page) -> Answer:
    """Serve the same page at every path, and no robots.txt."""
    return lambda asked: Page(status=404) if asked.path == "/robots.txt" else page


def paths(pages: dict[str, Page]) -> Answer:
    """Serve a page for each path, or for each host and path."""
    return lambda asked: pages.get(asked.path) or pages.get(asked.host + asked.path) or Page(b"no", status=404)


class Site:
    """A running server."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.log: list[Asked] = []
        self.now = self.most = self.connections = 0
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def asked(self, path: str) -> int:
        """Return the number of requests for a path."""
        return sum(each.path == path for each in self.log)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        begin = await reader.readexactly(1)
        if begin == b"\x16":  # the first byte of a secure connection, not supported here
            writer.write(b"HTTP/1.1 400 So\r\n\r\n")
            return False
        head = (begin + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        asked = Asked(asyncio.get_running_loop().time(), headers["host"], first.split(" ")[1], headers)
        self.log.append(asked)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self._send(self.answer(asked), writer)
        finally:
            self.now -= 1

    async def _send(self, page: Page, writer: asyncio.StreamWriter) -> bool:
        if page.delay:
            await asyncio.sleep(page.delay)
        if page.raw is not None:
            writer.write(page.raw)
        else:
            length = len(page.body) if page.length is None else page.length
            fields = {"Content-Type": page.type, **page.headers} if page.type is not None else page.headers
            if length >= 0:
                fields = {"Content-Length": str(length), **fields}
            lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            writer.write(f"HTTP/1.1 {page.status} So\r\n{lines}\r\n".encode("latin-1"))
            if not page.drip:
                writer.write(page.body)
        for byte in page.body if page.drip else b"":
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(page.drip)
        while page.endless:
            writer.write(page.endless)
            await writer.drain()
        await writer.drain()
        return page.raw is None and page.length is None


@asynccontextmanager
async def site(answer: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """Run a server on a free port."""
    made = Site(answer)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls, limit=1 << 18, backlog=1024)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        await made.stop()


class Net:
    """Hosts, their addresses, and the ports they lead to."""

    def __init__(self, port: int = 0, tls_port: int = 0) -> None:
        self.ports = {80: port, 443: tls_port}
        """The loopback port for each port of every public address."""
        self.hosts: dict[str, Sequence[str] | Callable[[], Sequence[str]]] = {}
        """Addresses of a host, fixed or new for each query."""
        self.others: Sequence[str] = (PUBLIC,)
        """Addresses of all other hosts."""
        self.dead: set[str] = set()
        """Addresses where no one answers."""
        self.asked: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        """Every address that a socket was asked to connect to."""

    async def resolve(self, host: str) -> Sequence[str]:
        """Resolve a host for the fetcher."""
        self.asked.append(host)
        found = self.hosts.get(host, self.others)
        return found() if callable(found) else found

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Make a socket for the fetcher."""
        return Led(self, info[0])


class Led(socket.socket):
    """A socket that goes to the loopback interface while reporting the address it was given."""

    family = socket.AF_INET

    def __init__(self, net: Net, family: socket.AddressFamily) -> None:
        super().__init__(socket.AF_INET, socket.SOCK_STREAM)
        self.family = family
        self.net = net
        self.peer: tuple[Any, ...] = ()

    def connect(self, address: Any) -> None:
        self.peer = address
        self.net.dialled.append((address[0], address[1]))
        if address[0] in self.net.dead:
            raise ConnectionRefusedError(111, "Connection refused")
        # Not through `socket.socket.connect`, which tests watch for connections made in any other way.
        _socket.socket.connect(self, ("127.0.0.1", self.net.ports.get(address[1], 1)))

    def getpeername(self) -> tuple[Any, ...]:
        super().getpeername()
        return self.peer


def main() -> None:
    """Serve pages of one size after a delay, and print the port."""
    options = argparse.ArgumentParser()
    options.add_argument("--bytes", type=int, default=100_000)
    options.add_argument("--latency", type=float, default=0.3)
    given = options.parse_args()
    text = b"<!doctype html><title>Page</title>" + b"<p>The bridge opened in 1931.</p>" * (given.bytes // 33)
    page, robots = Page(text, delay=given.latency), Page(b"User-agent: *\nDisallow: /no\n", delay=given.latency)

    async def forever() -> None:
        async with site(lambda asked: robots if asked.path == "/robots.txt" else page) as made:
            print(made.port, flush=True)
            await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(forever())


if __name__ == "__main__":
    main()
