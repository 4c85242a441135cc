"""Calls, tokens and cost of a check in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factscope.core import Usage, many


class UsageWords(NamedTuple):
    """Usage of one role, for a person."""

    role: str
    model: str
    calls: str
    """Calls made, and those that the cache answered."""
    tokens: str
    cost: str
    seconds: str


def usage_words(usage: Sequence[Usage]) -> list[UsageWords]:
    """Return one row per role and model, then one for all of them where there are several.

    Unknown values are marked as such.
    """
    rows = [
        UsageWords(
            usage.role,
            usage.model,
            _calls(usage.calls, usage.cached_calls),
            _tokens(usage.tokens_in, usage.tokens_out),
            "cost unknown" if usage.cost is None else money(usage.cost),
            "" if usage.seconds is None else f"{usage.seconds:,.2f} s",
        )
        for usage in usage
    ]
    if len(rows) < 2:
        return rows
    defined = [row.cost for row in usage if row.cost is not None]
    cost = money(sum(defined))
    if len(defined) < len(usage):
        cost = f"at least {cost}, the rest unknown" if sum(defined) else "cost unknown"
    tokens_in, tokens_out = (_sum(getattr(row, name) for row in usage) for name in ("tokens_in", "tokens_out"))
    calls = _calls(sum(row.calls for row in usage), sum(row.cached_calls for row in usage))
    # Times are not added up, since calls wait concurrently.
    return [*rows, UsageWords("all", "", calls, _tokens(tokens_in, tokens_out), cost, "")]


def money(cost: float) -> str:
    """Return US dollars; a cost above 0 is never shown as 0."""
    if 0 < cost < 0.0001:
        return "less than 0.0001 US$"
    return f"{cost:.4f} US$" if 0 < cost < 1 else f"{cost:,.2f} US$" if cost else "0 US$"


def _calls(calls: int, cached: int) -> str:
    results = many(calls, "call")
    return f"{results} + {cached:,} from the cache" if cached else results


def _tokens(tokens_in: int | None, tokens_out: int | None) -> str:
    """Describe token counts in words; empty when neither number is known, as for a judge without tokens."""
    if tokens_in is None and tokens_out is None:
        return ""
    sent, received = ("unknown" if n is None else f"{n:,}" for n in (tokens_in, tokens_out))
    return f"{sent} {'token' if tokens_in == 1 else 'tokens'} in, {received} out"


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum, or `None` when a number is unknown."""
    known_values = list(numbers)
    return None if None in known_values else sum(n for n in known_values if n is not None)
