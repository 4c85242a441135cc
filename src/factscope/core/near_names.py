"""Hints for a name that is not known: the names nearest to it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(
    wrong: str, options: Iterable[str], n: int = 1, cutoff: float = 0.6, *, otherwise: str | None = None
) -> str:
    """Ask whether one of the nearest names was meant; where none is near, list all, or return `otherwise`."""
    names = list(options)
    suggestions = get_close_matches(wrong, names, n, cutoff)
    if suggestions:
        return f"Did you mean {' or '.join(suggestions)}?"
    return f"Choose from: {', '.join(names)}." if otherwise is None else otherwise
