"""Event loop with a virtual clock: waiting costs no time, and a busy machine changes nothing.

The clock stops while there is work to do. When the loop only waits for a timer, the clock jumps to it. Both ends of
each connection must live in this loop, as with `pages.site`: it can't know that another process is working.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")
_SETTLE = 0.005
"""Real seconds allowed for bytes to cross the loopback interface before the clock jumps."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Jumps to the next timer when nothing else can happen, but waits for working threads."""

    def __init__(self) -> None:
        self._now = 0.0
        self._threads = 0
        super().__init__(_Selector(self._jump, lambda: self._threads > 0))

    def time(self) -> float:
        return self._now

    def _jump(self, seconds: float) -> None:
        self._now += seconds

    def run_in_executor(self, executor: Executor | None, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        self._threads += 1
        future = super().run_in_executor(executor, func, *args)

        def done(_: object) -> None:
            self._threads -= 1

        future.add_done_callback(done)
        return future


class _Selector(selectors.DefaultSelector):
    def __init__(self, jump: Callable[[float], None], threads_work: Callable[[], bool]) -> None:
        super().__init__()
        self._jump, self._threads_work = jump, threads_work

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if self._threads_work():
            return super().select(None)  # a finishing thread writes to the loop's own pipe
        ready = super().select(_SETTLE)
        if not ready:
            self._jump(timeout)
        return ready


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run work in a loop with a virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
