"""Connections to model servers: a POST and its answer, whole or as a stream, with a limit on silence.

A working server keeps sending. So the limit is not on the duration of a reply, but on the time without any byte: a slow
machine may take minutes over a long reply, and a server that has stopped is still noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from factscope.core import by_proxy, connection_reason, proxy_of
from factscope.llm.limits import CallLimits
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint
from factscope.llm.streaming import StreamedCompletion
from factscope.llm.waiting import CallUnderWay

if TYPE_CHECKING:
    import aiohttp

_LARGEST_REPLY = 16 * 2**20  # bytes; with log-probabilities a reply has some megabytes
_CONNECT_SECONDS = 10.0  # an endpoint that has not accepted by then counts as unreachable
_USAGE_SECONDS = 5.0  # seconds after the end of a reply's text in which its usage may still arrive
_END_SECONDS = 0.2  # seconds to wait for the end of the stream after `[DONE]`, so that the connection can be reused
_OTHER_FILES = 256
"""Open files that the rest of the program may need."""


class HttpAnswer(NamedTuple):
    """HTTP answer of a server."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    """The body; empty for a stream."""
    completion: Mapping[str, Any] | None = None
    """The chat completion assembled from a stream."""


class Patience(NamedTuple):
    """Time limits of one attempt."""

    silence: float
    """Seconds that may pass without a byte."""
    first: float
    """Deadline for the first byte, on the loop's clock."""
    last: float
    """Deadline for the last byte."""


class Connections:
    """Connections to all endpoints of a sender. Belongs to one event loop; close it when done."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._proxy: Callable[[str], str | None] = cache(proxy_of)  # the lookup costs more than a call
        self._session: aiohttp.ClientSession | None = None
        self._watch: _Watch | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._session:
            await self._session.close()
            self._session = None
        if self._watch:
            self._watch.close()
            self._watch = None

    async def post(
        self,
        where: Endpoint,
        data: bytes,
        patience: Patience,
        under_way: CallUnderWay,
        *,
        stop_loops: bool = False,
    ) -> HttpAnswer:
        """Post a call; `under_way` is kept up to date. Raises ModelError."""
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=None, sock_connect=min(_CONNECT_SECONDS, patience.silence))
        stream = StreamedCompletion(where, stop_loops=stop_loops)
        self._watch = self._watch or _Watch()
        limit = asyncio.timeout(None)
        silence = _Silence(patience, self._watch, where, limit)
        failure: ModelError
        try:
            with silence:
                async with (
                    limit,
                    self._open().post(
                        where.url,
                        data=data,
                        headers=where.headers,
                        timeout=timeout,
                        allow_redirects=False,
                        proxy=self._proxy(where.url),
                    ) as response,
                ):
                    return await _answer(response, where, stream, silence, under_way)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            if stream.ended:  # the reply is complete, even if the connection breaks now
                return HttpAnswer(200, {}, b"", stream.completion())
            timed_out = isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError)
            name = f"{where.model} at {where.address}{by_proxy(self._proxy(where.url))}"
            broken = f"{name}: {connection_reason(error, where.url)}."
            failure = silence.failure() if timed_out else ModelError("connection", broken)
        raise failure  # outside the block: aiohttp's exceptions hold the headers, and with them the key

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            _allow_open_files((self._limits.in_flight or 256) + _OTHER_FILES)
            # Our own gate limits the calls. Cookies and redirects are off, since a model API needs neither.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session


class _Silence:
    """Silence limit of one call, which ends with TimeoutError when nothing arrives for too long.

    A server on the user's own machine answers calls one after the other: a call without any byte yet is waiting its
    turn as long as another one is being answered.
    """

    def __init__(self, patience: Patience, watch: _Watch, where: Endpoint, limit: asyncio.Timeout) -> None:
        self._patience, self._watch, self._where, self._limit = patience, watch, where, limit
        self._begun = False
        self._allowed = self._quiet = patience.silence
        self._start = self._last = watch.loop.time()

    def __enter__(self) -> _Silence:
        self._watch.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.open.discard(self)

    def received(self) -> None:
        """Note that data arrived."""
        self._begun = True
        self._last = self._watch.signs[self._where.address] = self._watch.loop.time()

    def failure(self) -> ModelError:
        """Return the error of a call that was ended."""
        if self._last + self._quiet >= self._patience.last:
            seconds = self._patience.last - self._start
            message = f"{self._where.model} at {self._where.address} had not ended its reply after {seconds:,.3g} s."
            return ModelError("timeout", message, "Ask a faster model, or for less at a time.")
        return ModelError(
            "timeout",
            f"{self._where.model} at {self._where.address} sent nothing for {self._quiet:,.3g} s.",
            "Give a slow server more time: --timeout SECONDS (setting timeout).",
        )

    def allow(self, seconds: float) -> None:
        """Wait no longer than `seconds` from now: the reply is complete."""
        if self._allowed > seconds:
            self._allowed = seconds
            self._watch.wake_by(self.due())

    def due(self) -> float:
        """Return when the call ends unless data arrives, on the loop's clock."""
        if self._begun:
            return min(self._last + self._allowed, self._patience.last)
        sign = self._watch.signs.get(self._where.address, 0.0) if self._where.takes_turns else 0.0
        return min(max(self._last, sign) + self._allowed, self._patience.first)

    def end(self, now: float) -> None:
        """End the call."""
        self._quiet = now - self._last
        self._limit.reschedule(now)


class _Watch:
    """Watches the silence of all calls with a single timer: a timer per call would cost a tenth of the call."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.open: set[_Silence] = set()
        self.signs: dict[str, float] = {}
        """When each server last sent anything, in any call."""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, silence: _Silence) -> None:
        """Watch one more call."""
        self.open.add(silence)
        self.wake_by(silence.due())

    def wake_by(self, due: float) -> None:
        """Check all calls no later than `due`."""
        if self._timer is None or due < self._timer.when():
            self.close()
            self._timer = self.loop.call_at(due, self._look)

    def close(self) -> None:
        """Stop watching."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """End the calls that are overdue, and set the timer for the next one."""
        self._timer, now = None, self.loop.time()
        overdue = [silence for silence in self.open if silence.due() <= now]
        for silence in overdue:
            silence.end(now)
        self.open.difference_update(overdue)
        if self.open:
            self.wake_by(min(silence.due() for silence in self.open))


async def _answer(
    response: aiohttp.ClientResponse,
    where: Endpoint,
    stream: StreamedCompletion,
    silence: _Silence,
    under_way: CallUnderWay,
) -> HttpAnswer:
    """Read an answer, whole or as a stream."""
    silence.received()
    if response.status != 200 or "event-stream" not in response.headers.get("Content-Type", ""):
        content = await _read(response, where, silence)
        if response.status != 200 or not content.startswith(b"data:"):
            return HttpAnswer(response.status, response.headers, content)
        stream.feed(content)  # a stream with another content type
        return HttpAnswer(200, response.headers, b"", stream.completion())
    async for chunk in response.content.iter_any():
        silence.received()
        stream.feed(chunk)
        under_way.tokens = stream.tokens
        if stream.ended:
            silence.allow(_END_SECONDS if stream.done else _USAGE_SECONDS)
    return HttpAnswer(response.status, response.headers, b"", stream.completion())


async def _read(response: aiohttp.ClientResponse, where: Endpoint, silence: _Silence) -> bytes:
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        silence.received()
        chunks.append(chunk)
        size += len(chunk)
        if size > _LARGEST_REPLY:
            raise ModelError("bad_reply", f"{where.model} sent more than {_LARGEST_REPLY >> 20} MB.")
    return b"".join(chunks)


def _allow_open_files(requested: int) -> None:
    """Raise the limit on open files.

    Each call in flight needs one, and many systems allow only 256 or 1,024 by default.
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < requested:
        most = requested if hard == resource.RLIM_INFINITY else min(requested, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
