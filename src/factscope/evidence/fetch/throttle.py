"""Throttling: the rate and number of concurrent requests to a host, and the number of requests to all hosts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from factscope.evidence.fetch.fetched import FetchLimits, NotFetchedError

_WINDOW = 1.05
"""Slightly more than the promised second, as requests do not all travel equally fast."""
_LONGEST_HOLD = 86_400.0  # seconds; the longest wait that a server may ask for
_MANY_HOSTS = 4_096  # number of hosts above which idle ones are forgotten


class _HostState:
    """State of a host."""

    def __init__(self, limits: FetchLimits) -> None:
        self.line = asyncio.Lock()
        """Held by the first waiter; the others queue for it in order."""
        self.free = asyncio.Semaphore(limits.at_once)
        self.starts: deque[float] = deque(maxlen=limits.per_second)
        self.not_before = 0.0
        self.delay = 0.0
        self.inside = 0
        """Requests that wait or are in progress."""

    def next_start(self) -> float:
        """Return when the next request may begin."""
        full = len(self.starts) == self.starts.maxlen
        last = self.starts[-1] + self.delay if self.starts else 0.0
        return max(self.not_before, last, self.starts[0] + _WINDOW if full else 0.0)


class Throttle:
    """Grants turns at hosts. Belongs to one event loop."""

    def __init__(self, limits: FetchLimits) -> None:
        self._limits = limits
        self._all = asyncio.Semaphore(limits.in_all)
        self._hosts: dict[str, _HostState] = {}

    @asynccontextmanager
    async def turn(self, name: str, clock: asyncio.Timeout) -> AsyncIterator[None]:
        """Wait for a turn, and hold it. `clock` is stopped while waiting.

        Raises NotFetchedError when the turn does not come within `patience` seconds, or can't.
        """
        now = asyncio.get_running_loop().time
        left = (clock.when() or now()) - now()
        clock.reschedule(None)
        host = self._host(name)
        host.inside += 1
        try:
            await self._enter(name, host)
            try:
                clock.reschedule(now() + left)
                yield
            finally:
                self._all.release()
                host.free.release()
        finally:
            host.inside -= 1

    def hold(self, name: str, seconds: float) -> None:
        """Start no request to a host for this time, because it asked for a pause."""
        host = self._host(name)
        now = asyncio.get_running_loop().time()
        host.not_before = max(host.not_before, now + min(seconds, _LONGEST_HOLD))

    def space(self, name: str, seconds: float) -> None:
        """Leave this much time between the starts of two requests to a host, within the limits."""
        self._host(name).delay = min(seconds, self._limits.longest_delay)

    async def _enter(self, name: str, host: _HostState) -> None:
        patience = self._limits.patience
        try:
            async with asyncio.timeout(patience):
                await host.free.acquire()
                try:
                    async with host.line:
                        await self._wait(name, host)
                        await self._all.acquire()
                        host.starts.append(asyncio.get_running_loop().time())
                except BaseException:
                    host.free.release()
                    raise
        except TimeoutError:
            reason = f"its turn at {name} did not come within {patience:g} s"
            raise NotFetchedError(reason, boundary="timeout") from None

    async def _wait(self, name: str, host: _HostState) -> None:
        while (pause := host.next_start() - asyncio.get_running_loop().time()) > 0:
            if pause > self._limits.longest_pause:
                raise NotFetchedError(f"{name} asks to wait {pause:,.0f} s", "Try again later.")
            await asyncio.sleep(pause)

    def _host(self, name: str) -> _HostState:
        if name not in self._hosts:
            if len(self._hosts) >= _MANY_HOSTS:
                now = asyncio.get_running_loop().time()
                self._hosts = {
                    host_name: host for host_name, host in self._hosts.items() if host.inside or host.next_start() > now
                }
            self._hosts[name] = _HostState(self._limits)
        return self._hosts[name]
