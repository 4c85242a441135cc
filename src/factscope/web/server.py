"""The server program: its socket, the application, and a clean shutdown."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType

import uvicorn

from factscope.core.errors import UsageError
from factscope.engine.settings import Settings
from factscope.web.app import Application, create
from factscope.web.check_tables import JobLimits
from factscope.web.security import is_loopback, rules_for
from factscope.web.server_connections import Connection

_GRACE = 5
"""Seconds that unfinished replies have to end."""
_BACKLOG = 1024  # connections that may wait
_SHORTEST_TOKEN = 16  # characters; shorter tokens can be guessed


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
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{address.host}:{address.port} can't be listened on: {reason.lower()}.",
            "Choose another port with --port; 0 takes a free one.",
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
