"""Calls under way, in words: the kind of work, how far it is, and what it waits for."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

_WORK = {
    "cut": ("splitting", "text"),
    "extract": ("extracting claims from", "sentence"),
    "rewrite": ("rewriting", "claim"),
    "relevance": ("sorting out", "claim"),
    "query": ("planning searches for", "claim"),
    "judge": ("judging", "claim"),
    "correct": ("correcting", "claim"),
    "source": ("classifying", "source"),
    "answer": ("answering", "request"),
    "refusal": ("looking for refusals in", "answer"),
}
"""Words for the work of a role, and for the units that its calls are about."""


@dataclass(slots=True)
class CallUnderWay:
    """One call under way."""

    role: str
    units: int = 1
    """Claims, sentences … that it is about; 0 for a whole text."""
    tokens: int = 0
    """Tokens of the reply so far."""
    attempt: int = 1
    tries: int = 1
    """Most attempts."""
    resumes: float = 0.0
    """When the next attempt begins, by `time.monotonic`; 0 while one is under way."""
    asked_wait: float | None = None
    """Seconds that the server asked to wait before it."""
    begun: float = field(default_factory=time.monotonic)


def describe(calls: Iterable[CallUnderWay]) -> str:
    """Say what is waited for: the work that was begun first, with its calls summed up; empty when nothing is."""
    ordered = sorted(calls, key=lambda call: call.begun)
    if not ordered:
        return ""
    same_role = [call for call in ordered if call.role == ordered[0].role]
    verb, noun = _WORK.get(same_role[0].role, ("asking a model about", "claim"))
    units = sum(call.units for call in same_role)
    pieces = [f"{verb} {units:,} {noun}{'' if units == 1 else 's'}" if units else f"{verb} the text"]
    if others := len(ordered) - len(same_role):
        pieces.append(f"{others:,} other call{'' if others == 1 else 's'}")
    tokens = sum(call.tokens for call in ordered)
    pieces += [f"{tokens:,} token{'' if tokens == 1 else 's'} so far"] if tokens else []
    latest = max(ordered, key=lambda call: call.attempt)
    if latest.attempt > 1 or latest.resumes:
        pieces.append(f"attempt {latest.attempt} of {latest.tries}")
    asked = max((call.asked_wait for call in ordered if call.resumes and call.asked_wait), default=0.0)
    pieces += [f"the server asked to wait {asked:,.0f} s"] if asked >= 1 else []
    return " · ".join(pieces)
