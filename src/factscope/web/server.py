"""The server program: its socket and connections, the application, and a clean shutdown."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from errno import EADDRNOTAVAIL
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from factscope.core import UsageError
from factscope.engine.settings import Settings
from factscope.web.app import Application, create
from factscope.web.check_tables import JobLimits
from factscope.web.security import is_loopback, rules_for

_GRACE = 5
"""Seconds that unfinished replies have to end."""
_BACKLOG = 1024  # connections that may wait
_SHORTEST_TOKEN = 16  # characters; shorter tokens can be guessed
HEAD_SECONDS = 15.0
"""Seconds from the start of a connection, or the first byte of a later request, to the end of the header."""
MOST_CONNECTIONS = 2_000
"""Connections beyond this number are closed at once; each takes a file descriptor of the process."""
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True)
class ServerAddress:
    """Address that a server listens on, and its users."""

    host: str = "127.0.0.1"
    port: int = 8642
    """0 selects a free port."""
    tokens: Sequence[str] = ()
    """Accepted tokens; needed for any host but this machine's own."""
    names: Sequence[str] = ()
    """Other names of the server, such as that of a proxy."""


def examine(address: ServerAddress) -> None:
    """Raise UsageError for a server that other machines could use without a token."""
    if not is_loopback(address.host) and not address.tokens:
        raise UsageError(
            f"A server on {address.host} can be reached from other machines, and needs a token.",
            "Give it one of 16 characters or more in the variable FACTSCOPE_TOKEN, or leave out --host.",
        )
    if any(len(token) < _SHORTEST_TOKEN for token in address.tokens):
        raise UsageError(
            f"A token has at least {_SHORTEST_TOKEN} characters.",
            "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
        )


def default_store(settings: Settings) -> str:
    """Return the default store of a server: a file beside the command line's, or the database that both share."""
    return settings.store if isinstance(settings.store, str) else str(settings.store.with_name("server.db"))


def serve(
    settings: Settings,
    store: str,
    server_address: ServerAddress,
    on_ready: Callable[[str], None] = lambda address: None,
    room: JobLimits | None = None,
    idle: float = 0,
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM); checks under way then wait for the next start.

    `on_ready` is called with the address as soon as the server answers. With `idle` the server also ends after that
    many seconds without a request, an open connection or a check under way. Raises UsageError, StoreError.
    """
    examine(server_address)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it would warn of every watcher that disconnects
    listening = _listen(server_address)
    rules = rules_for(server_address.host, server_address.tokens, server_address.names)
    try:
        app = create(settings, store, rules, room)
        host = f"[{server_address.host}]" if ":" in server_address.host else server_address.host
        address = f"http://{host}:{listening.getsockname()[1]}/"
        config = uvicorn.Config(
            app,
            http=Connection,
            log_level="warning",
            access_log=False,  # addresses hold ids of checks, and one holds the token
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            timeout_keep_alive=30,
            proxy_headers=False,
            lifespan="on",
        )
        _Server(config, app, lambda: on_ready(address), idle).run([listening])
    finally:
        listening.close()


def _listen(address: ServerAddress) -> socket.socket:
    """Return a socket that listens. Raises UsageError when it can't be had."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        reason, _, _ = (getattr(error, "strerror", None) or str(error)).partition(" (while")  # Python adds the address
        about_host = isinstance(error, socket.gaierror | UnicodeError) or getattr(error, "errno", 0) == EADDRNOTAVAIL
        port_hint = "Choose another port with --port; 0 takes a free one."
        raise UsageError(
            f"{address.host}:{address.port} can't be listened on: {reason.lower()}.",
            "Name an address of this machine with --host, or 0.0.0.0 for all of them." if about_host else port_hint,
        ) from None


class _Server(uvicorn.Server):
    """Reports when it answers, and releases watchers when it ends, so that no open connection delays it."""

    def __init__(self, config: uvicorn.Config, app: Application, ready: Callable[[], None], idle: float) -> None:
        super().__init__(config)
        self._app, self._ready, self._idle = app, ready, idle
        self._loop: asyncio.AbstractEventLoop | None = None
        self._resting: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started:
            self._ready()
            if self._idle:
                self._resting = self._loop.create_task(self._end_when_idle())

    async def _end_when_idle(self) -> None:
        answered, since = -1, time.monotonic()
        while time.monotonic() - since <= self._idle:
            await asyncio.sleep(min(1.0, self._idle / 4))
            state = self.server_state
            if state.total_requests != answered or state.connections or self._app.running():
                answered, since = state.total_requests, time.monotonic()
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # ending as asked is not interruption
        if self._loop:
            self._loop.call_soon_threadsafe(self._app.let_go)


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection to the server, with a limit on their number, and a time limit for a request's header.

    Without these, the server program waits for ever for the first request's header, so that a few hundred silent or
    very slow connections would use up its file descriptors.
    """

    head_seconds = HEAD_SECONDS
    most = MOST_CONNECTIONS

    def __init__(self, *arguments: Any, **connection_type: Any) -> None:
        super().__init__(*arguments, **connection_type)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection, or close it when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(_FULL)
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the connection."""
        self._rest()
        super().connection_lost(error)

    def _watch(self) -> None:
        if not self._awaits_head():
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.head_seconds, self._late)

    def _awaits_head(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _late(self) -> None:
        self._deadline = None
        if self._awaits_head():
            self._refuse(_LATE)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, reply: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(reply)
            self.transport.close()
