"""Replies cached by request, in one SQLite file: written in groups by a separate thread, read on the event loop.

Only replies that their reader accepted are stored; errors, refusals, cut-off and unreadable replies never are. A read
takes about 10 µs. Writes that arrive together share one transaction, and `store` returns when it is committed, so that
a killed process loses no paid replies except those in flight.

In a row the note is the canonical call and the value its reply, both as JSON.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from factscope.core import CacheKind, CacheRow, GroupCommit, SqliteCache, unpacked
from factscope.llm.call import Reply, reply_from_json, reply_to_json

_SHORT = 1_000
"""Characters of a reply that is not compressed: starting compression costs .06 ms, more than the rest of a row."""


def _pack(reply: Reply) -> str | bytes:
    text = reply_to_json(reply)
    # Log-probabilities in JSON shrink to an eighth in a third of a ms.
    return text if len(text) < _SHORT else zlib.compress(text.encode(), 1)


def _text(value: object) -> str:
    """Return the text of a row, compressed or not. Raises ValueError."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        raise ValueError("a reply is text, packed or not")
    return unpacked(value).decode()


class Cache(SqliteCache[str, Reply]):
    """An open cache. Use as a context manager, or call `close`."""

    kind = CacheKind(
        of="replies",
        saves="calls",
        encode=_pack,
        decode=lambda value: reply_from_json(_text(value)),
        upgrade="INSERT INTO replies (key, note, value, made)"
        " SELECT key, request, reply, CAST(strftime('%s', made) AS REAL) FROM old_replies;",
    )

    def __init__(self, path: Path | None = None) -> None:
        """Open as other caches are opened. Raises StoreError."""
        super().__init__(path)
        self._coming: dict[str, Reply] = {}
        self._writes = GroupCommit(self._write_group)
        self._writer: sqlite3.Connection | None = None

    def close(self) -> None:
        """Finish pending writes, and close the file."""
        self._writes.close()
        if self._writer:
            self._writer.close()
        super().close()

    def get(self, key: str) -> Reply | None:
        """Return the reply stored under a key, None when there is none. Raises StoreError."""
        coming = self._coming.get(key)
        return super().get(key) if coming is None else replace(coming, cached=True, cost=None, seconds=0.0)

    async def store(self, *replies: CacheRow[str]) -> None:
        """Store replies, each with its key and with its request as the note, all or none.

        They are on disk when this returns, and `get` returns them at once. Raises StoreError.
        """
        self._coming.update((row.key, row.value) for row in replies)
        await self._writes.put(replies)

    def rows(self) -> Iterator[CacheRow[str]]:
        """Yield all stored calls that can be read, as JSON, in the order of the keys. Raises StoreError."""
        for row in super().rows():
            with suppress(ValueError):
                yield row._replace(value=_text(row.value))

    def _write_group(self, rows: Sequence[CacheRow[str]]) -> None:
        try:
            if self.path is None:  # only one connection can see what has no file
                self.put_many(rows)
                return
            # Over a separate connection, so that readers need not wait.
            self._writer = self._writer or self.connect()
            with self.failing("written"):
                self.write(self._writer, rows)
        finally:
            for row in rows:
                self._coming.pop(row.key, None)
