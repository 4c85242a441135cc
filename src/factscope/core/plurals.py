"""Counted nouns: one helper for all messages, so that none says `1 claims`."""

from __future__ import annotations

from collections.abc import Sequence

_MAX_SAMPLES = 3  # samples named in a note


def many(n: int, noun: str, plural: str | None = None) -> str:
    """Return text such as `1 passage` or `2 passages`; `plural` is for another one than with an s, or with a verb."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def with_samples(subject: str, where: Sequence[str]) -> str:
    """Return text such as `rows without a label (row 1)`, or `rows without a label (7: row 1, row 4, row 5, …)`."""
    named = ", ".join(where[:_MAX_SAMPLES]) + (", …" if len(where) > _MAX_SAMPLES else "")
    return f"{subject} ({named})" if len(where) == 1 else f"{subject} ({len(where):,}: {named})"
