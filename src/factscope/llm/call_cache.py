"""Replies cached by request, in one SQLite file: written in groups by a separate thread, read on the event loop.

Only replies that their reader accepted are stored; errors, refusals, cut-off and unreadable replies never are. A read
takes about 10 µs. Writes that arrive together share one transaction, and `put` returns when it is committed, so that a
killed process loses no paid replies except those in flight.

In a row the note is the canonical call and the value its reply, both as JSON.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from factscope.core.group_commit import GroupCommit
from factscope.core.sqlite_cache import CacheKind, CacheRow, SqliteCache, unpacked
from factscope.llm.call import Reply, reply_from_json, reply_to_json


class Exchange(NamedTuple):
    """A call with its reply, and when the reply was stored (seconds since 1970)."""

    request: str
    reply: Reply
    made: float


_SHORT = 1_000
"""Characters of a reply that is not compressed: starting compression costs .06 ms, more than the rest of a row."""


def _pack(reply: str) -> str | bytes:
    # Log-probabilities in JSON shrink to an eighth in a third of a ms.
    return reply if len(reply) < _SHORT else zlib.compress(reply.encode(), 1)


def _unpack(value: object) -> str:
    """Decode the text of a row, compressed or not. Raises ValueError."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        raise ValueError("a reply is text, packed or not")
    return unpacked(value).decode()


class _Replies(SqliteCache[str, str]):
    kind = CacheKind(
        of="replies",
        saves="calls",
        encode=_pack,
        decode=_unpack,
        upgrade="INSERT INTO replies (key, note, value, made)"
        " SELECT key, request, reply, CAST(strftime('%s', made) AS REAL) FROM old_replies;",
    )


class Cache:
    """An open cache. Use as a context manager, or call `close`."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises StoreError when it can't be opened, or was written by a newer Factscope."""
        self.path = path
        self._coming: dict[str, str] = {}
        self._writes = GroupCommit(self._write)
        self._database: sqlite3.Connection | None = None
        self._replies = _Replies(path)

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish pending writes, and close the file."""
        self._writes.close()
        if self._database:
            self._database.close()
        self._replies.close()

    def get(self, key: str) -> Reply | None:
        """Return the reply stored under a key, None when there is none. Raises StoreError."""
        line = self._coming.get(key) or self._replies.get(key)
        if line is None:
            return None
        try:
            return reply_from_json(line)
        except ValueError:
            return None  # a row that can't be decoded counts as missing

    def exchange(self, key: str) -> Exchange | None:
        """Return the call with this key as it was made, with its reply; None when it is not on disk.

        Raises StoreError.
        """
        entry = self._replies.entry(key)
        try:
            return Exchange(entry.note, reply_from_json(entry.value), entry.made) if entry else None
        except ValueError:
            return None  # as in `get`

    async def put(self, *replies: tuple[str, str, Reply]) -> None:
        """Store replies, each with its key and request, all or none.

        They are on disk when this returns, and `get` returns them at once. Raises StoreError.
        """
        rows = tuple(CacheRow(key, reply_to_json(reply), request) for key, request, reply in replies)
        self._coming.update((row.key, row.value) for row in rows)
        await self._writes.put(rows)

    def put_all(self, calls: Iterable[CacheRow[str]]) -> int:
        """Store many calls in one transaction; return their number. Raises StoreError."""
        return self._replies.put_many(calls)

    def rows(self) -> Iterator[CacheRow[str]]:
        """Yield all stored calls that can be read, in the order of the keys. Raises StoreError."""
        for row in self._replies.rows():
            with suppress(ValueError):
                yield row._replace(value=_unpack(row.value))

    def _write(self, rows: Sequence[CacheRow[str]]) -> None:
        try:
            # Over a separate connection, so that readers need not wait.
            self._database = self._database or self._replies.connect()
            with self._replies.failing("written"):
                self._replies.write(self._database, rows)
        finally:
            for row in rows:
                self._coming.pop(row.key, None)
