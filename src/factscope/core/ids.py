"""Ids as readable paths: `s3`, `s3.c2`, `s3.c2.p4.j1`."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECE = re.compile(r"(.*?)(\d{0,9})", re.DOTALL)


@lru_cache(maxsize=1 << 14)
def id_key(record_id: str) -> tuple[tuple[str, int], ...]:
    """Sort key that puts `s2` before `s10`, and `s2` before `s2.c1`."""
    matches = map(_PIECE.fullmatch, record_id.split("."))
    return tuple((match[1], int(match[2] or 0)) for match in matches if match)
