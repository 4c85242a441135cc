"""Ids are readable paths: `s3`, `s3.c2`, `s3.c2.p4.j1`."""

from __future__ import annotations

import re


def id_key(record_id: str) -> tuple[tuple[str, int], ...]:
    """Sort key that puts `s2` before `s10`, and `s2` before `s2.c1`."""
    matches = (re.fullmatch(r"(.*?)(\d{0,9})", piece, re.DOTALL) for piece in record_id.split("."))
    return tuple((match[1], int(match[2] or 0)) for match in matches if match)
