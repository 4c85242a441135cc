"""Connections of the server, with a limit on their number, and a time limit for a request's header.

Without these, the server program waits for ever for the first request's header, so that a few hundred silent or very
slow connections would use up its file descriptors.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 15.0
"""Seconds from the start of a connection, or the first byte of a later request, to the end of the header."""
MOST_CONNECTIONS = 2_000
"""Connections beyond this number are closed at once; each takes a file descriptor of the process."""
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection to the server."""

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
