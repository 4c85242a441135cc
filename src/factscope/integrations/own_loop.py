"""A checker with its own event loop, so that synchronous and asynchronous code may use it."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from factscope.api.checker import Checker

T = TypeVar("T")


class OwnLoop:
    """A checker that runs in its own event loop on its own thread, from the first call on."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.end: Any = _nothing

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start work in the loop; the first call opens the checker."""
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=loop.run_forever, name="factscope", daemon=True)
                thread.start()
                asyncio.run_coroutine_threadsafe(self.checker.__aenter__(), loop).result()
                self.end = weakref.finalize(self, _end, loop, thread, self.checker)
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def _nothing() -> None:
    """Do nothing: the checker was never opened."""


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread, checker: Checker) -> None:
    asyncio.run_coroutine_threadsafe(checker.aclose(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
