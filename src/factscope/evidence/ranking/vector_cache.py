"""Vectors of texts, cached by a hash of model and text."""

from __future__ import annotations

from factscope.core.sqlite_cache import CacheKind, SqliteCache

LEFT = 500_000
"""Vectors that are left when the file is opened, the newest; with 384 numbers each they take 0.4 GB."""


class VectorCache(SqliteCache[bytes, bytes]):
    """An open cache of vectors (float16, little-endian)."""

    kind = CacheKind(
        of="vectors", saves="time", encode=bytes, decode=bytes, synchronous="OFF", keep_first=True, most=LEFT
    )
