"""Fetched pages → their readable text, in child processes with limits on time and memory, away from the event loop."""

from __future__ import annotations

import asyncio
import queue

from factscope.errors import BoundaryError
from factscope.evidence.fetch import Fetched
from factscope.evidence.formats import Bad, Row
from factscope.evidence.read import Limits, Reader

_SECONDS = 10.0
_ENDINGS = {"application/pdf": ".pdf", "text/plain": ".txt", "text/markdown": ".md"}


class PageReader:
    """Reads pages, a few at once. Close it when done."""

    def __init__(self, at_once: int = 2) -> None:
        limits = Limits()._replace(seconds=_SECONDS)
        self._readers = [Reader(limits) for _ in range(at_once)]
        self._free: queue.SimpleQueue[Reader] = queue.SimpleQueue()
        for reader in self._readers:
            self._free.put(reader)

    async def __call__(self, fetched: Fetched) -> Row:
        """The text of a page. Raises BoundaryError when there is none, or it can't be read within the limits."""
        return await asyncio.to_thread(self._read, fetched)

    def close(self) -> None:
        """End the child processes."""
        for reader in self._readers:
            reader.__exit__(None, None, None)

    def _read(self, fetched: Fetched) -> Row:
        reader = self._free.get()
        try:
            items = list(reader.parse(f"page{_ENDINGS.get(fetched.content_type, '.html')}", fetched.content))
        finally:
            self._free.put(reader)
        rows = [item for item in items if isinstance(item, Row) and item.text.strip()]
        if rows:
            return rows[0]
        why = next((item.message for item in items if isinstance(item, Bad)), "holds no text")
        raise BoundaryError("read", f"{fetched.url} can't be read: it {why}.")
