"""Counted nouns: one helper for all messages, so that none says `1 claims`."""

from __future__ import annotations


def many(n: int, noun: str, plural: str | None = None) -> str:
    """Return text such as `1 passage` or `2 passages`; `plural` is for another one than with an s, or with a verb."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
