"""One request to one host: the only code that opens connections, after checking every address."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from ipaddress import ip_address
from typing import NamedTuple

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from factscope.core import __version__
from factscope.evidence.fetch.body import CODINGS, read_body, unpack
from factscope.evidence.fetch.fetched import NotFetchedError
from factscope.evidence.fetch.public_address import refusal
from factscope.evidence.fetch.urls import ONLY_PUBLIC, FetchTarget

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Looks up the addresses of a host. Raises OSError when there are none."""
AddressInfo = tuple[socket.AddressFamily | int, socket.SocketKind | int, int, str, tuple[object, ...]]
"""An entry of `socket.getaddrinfo`: family, type, protocol, name, address."""
OpenSocket = Callable[[AddressInfo], socket.socket]
"""Makes the socket that is then connected to the address."""

USER_AGENT = f"Factscope/{__version__} (+https://pypi.org/project/factscope/)"
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Encoding": CODINGS,
}
_CONNECT_SECONDS = 5.0  # a host that has not accepted by then counts as unreachable
_LONGEST_HEADER = 32_768  # bytes of one header line
_MOST_ADDRESSES = 8
"""Addresses of one host that are tried; all of them are checked."""


_REASONS: dict[type[Exception], str] = {
    aiohttp.ClientConnectorCertificateError: "its certificate is not trusted",
    aiohttp.ClientSSLError: "the secure connection failed",
    ssl.SSLError: "the secure connection failed",
    aiohttp.ClientConnectorDNSError: "its host name is not known",
    aiohttp.ClientPayloadError: "it was cut short on the way",
    aiohttp.ClientResponseError: "its server does not speak proper HTTP",
}
"""Reasons by the kind of a connection error."""


class HttpResponse(NamedTuple):
    """Response of a server."""

    status: int
    headers: Mapping[str, str]
    """Looked up case-insensitively."""
    content: bytes
    """The body after decompression; empty when it was not requested."""


class BodyLimits(NamedTuple):
    """Limits of a body."""

    wire: int
    decoded: int
    cut: bool = False
    """Whether the rest is dropped; otherwise it raises an error."""


LimitsFor = Callable[[int, Mapping[str, str]], BodyLimits | None]
"""Returns the limits of the body for a status and headers; None when the body is not to be read."""


class RefusedAddressError(OSError):
    """A host has an address that is not on the public internet.

    Its text is a clause that follows the requested address.
    """


async def system_addresses(host: str) -> Sequence[str]:
    """Return the addresses of a host by the system's resolver, as a complete name, without the system's search list.

    Runs in a thread that can hang without delaying the program's end or other threads' work.
    """
    addresses = Future[list[str]]()

    def look_up() -> None:
        """Resolve the host in this thread."""
        if not addresses.set_running_or_notify_cancel():
            return
        try:
            infos = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
            addresses.set_result(list(dict.fromkeys(str(info[4][0]) for info in infos)))
        except OSError as error:
            addresses.set_exception(error)

    threading.Thread(target=look_up, name="factscope-dns", daemon=True).start()
    return await asyncio.wrap_future(addresses)


def open_plain(info: AddressInfo) -> socket.socket:
    """Return a plain socket for an address."""
    return socket.socket(info[0], info[1], info[2])


class Requests:
    """Makes requests. Belongs to one event loop."""

    def __init__(self, resolve: Resolve, open_socket: OpenSocket) -> None:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        # No cookies, redirects, proxies or passwords from the environment; throttling happens elsewhere.
        self._session = aiohttp.ClientSession(
            connector=_Connector(
                resolver=_Resolver(resolve),
                socket_factory=lambda info: open_socket(_checked(info)),
                ssl=context,
                use_dns_cache=False,
                limit=0,
                keepalive_timeout=15,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            auto_decompress=False,
            trust_env=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def get(self, target: FetchTarget, headers: Mapping[str, str], limits: LimitsFor) -> HttpResponse:
        """Request a page once, without following redirects. Raises NotFetchedError."""
        url = URL(target.url, encoded=True)
        if (url.scheme, url.raw_host, url.port) != (target.scheme, target.host, target.port):
            raise NotFetchedError("its host can't be read")
        failure: NotFetchedError
        try:
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                room = limits(response.status, response.headers)
                if room is None:
                    return HttpResponse(response.status, response.headers, b"")
                pieces = response.content.iter_any()
                length = response.headers.get("Content-Length", "")
                data = await read_body(pieces, length, room.wire, cut=room.cut)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = _broken(error)
        else:
            # After the connection is released, so that others can use it meanwhile.
            coding = ", ".join(response.headers.getall("Content-Encoding", ()))
            return HttpResponse(
                response.status, response.headers, await unpack(data, coding, room.decoded, cut=room.cut)
            )
        raise failure


class _Resolver(AbstractResolver):
    """Returns the addresses of a host only when all of them are on the public internet."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolve(host)
        if not addresses:
            raise OSError("no address")
        for address in addresses:
            _check(host, address)
        return [
            ResolveResult(
                hostname=host,
                host=str(ip),
                port=port,
                family=socket.AF_INET if ip.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for ip in map(ip_address, addresses[:_MOST_ADDRESSES])
        ]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class _Connector(aiohttp.TCPConnector):
    """Checks the connected peer once more before anything is sent."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[aiohttp.tracing.Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the base class has it
    ) -> aiohttp.connector.Connection:
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        peer, local = (transport.get_extra_info(end) if transport else None for end in ("peername", "sockname"))
        try:
            if not peer or not local:
                raise RefusedAddressError("it is not known where the connection leads")
            _check(req.url.raw_host or "", peer[0])
            if local[0] == peer[0]:
                raise RefusedAddressError(f"its address {peer[0]} is this machine's own")
        except RefusedAddressError:
            connection.close()
            raise
        return connection


def _checked(info: AddressInfo) -> AddressInfo:
    _check("", str(info[4][0]))
    return info


def _check(host: str, address: str) -> None:
    """Raise RefusedAddressError for an address outside the public internet."""
    reason = refusal(address)
    if reason:
        which = f"its address {address}" if host in {"", address} else f"the address {address} of {host}"
        raise RefusedAddressError(f"{which} is {reason}")


def _broken(error: Exception) -> NotFetchedError:
    """Describe a connection error."""
    for cause in (error, getattr(error, "os_error", None), error.__cause__):
        if isinstance(cause, RefusedAddressError):
            return NotFetchedError(str(cause), ONLY_PUBLIC)
    if isinstance(error, TimeoutError):
        return NotFetchedError(f"its server took no connection within {_CONNECT_SECONDS:g} s", boundary="timeout")
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return NotFetchedError(reason)
    if isinstance(error, aiohttp.ClientConnectorError) and (number := error.os_error.errno):
        return NotFetchedError(os.strerror(number).lower())
    if isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError | aiohttp.ClientOSError):
        return NotFetchedError("the connection broke off")
    return NotFetchedError(f"the connection failed ({type(error).__name__})")
