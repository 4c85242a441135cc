"""Calls in progress, in words: the kind of work, its progress, and the reason for waiting."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

from factscope.core import many

_WORK = {
    "cut": ("splitting", "text"),
    "extract": ("extracting claims from", "sentence"),
    "rewrite": ("rewriting", "claim"),
    "relevance": ("checking the relevance of", "claim"),
    "query": ("planning searches for", "claim"),
    "judge": ("judging", "claim"),
    "correct": ("correcting", "claim"),
    "source": ("classifying", "source"),
    "answer": ("answering", "request"),
    "refusal": ("looking for refusals in", "answer"),
}
"""Words for the work of a role, and for the units of its calls."""


CALLS_FOR: ContextVar[str] = ContextVar("calls_for", default="")
"""The check that calls are made for, where several checks share their models."""


@dataclass(slots=True)
class CallUnderWay:
    """One call in progress."""

    role: str
    units: int = 1
    """Number of claims, sentences … that it asks about; 0 for a whole text."""
    tokens: int = 0
    """Tokens of the reply so far."""
    attempt: int = 1
    tries: int = 1
    """Most attempts."""
    resumes: float = 0.0
    """When the next attempt starts, by `time.monotonic`; 0 during an attempt."""
    asked_wait: float | None = None
    """Seconds that the server asked to wait before it."""
    begun: float = field(default_factory=time.monotonic)
    check: str = field(default_factory=CALLS_FOR.get)


class AwaitedCalls(NamedTuple):
    """Pending calls of the role that began first, added up."""

    role: str
    units: int
    """Claims, sentences … of the calls of this role; 0 for the whole text."""
    others: int
    """Calls of other roles."""
    tokens: int
    """Tokens of all replies so far."""
    attempt: int
    tries: int
    asked_wait: int
    """Seconds that the server asked to wait; 0 when it did not."""


def awaited(calls: Iterable[CallUnderWay]) -> AwaitedCalls | None:
    """Sum up the calls in progress; None when there are none."""
    ordered = sorted(calls, key=lambda call: call.begun)
    if not ordered:
        return None
    same_role = [call for call in ordered if call.role == ordered[0].role]
    latest = max(ordered, key=lambda call: call.attempt)
    return AwaitedCalls(
        role=ordered[0].role,
        units=sum(call.units for call in same_role),
        others=len(ordered) - len(same_role),
        tokens=sum(call.tokens for call in ordered),
        attempt=latest.attempt,
        tries=latest.tries,
        asked_wait=round(max((call.asked_wait for call in ordered if call.resumes and call.asked_wait), default=0.0)),
    )


def describe(calls: Iterable[CallUnderWay]) -> str:
    """Describe the calls being waited for; empty when there are none."""
    if (now := awaited(calls)) is None:
        return ""
    verb, noun = _WORK.get(now.role, ("asking a model about", "claim"))
    pieces = [f"{verb} {many(now.units, noun)}" if now.units else f"{verb} the text"]
    pieces += [many(now.others, "other call")] if now.others else []
    pieces += [f"{many(now.tokens, 'token')} so far"] if now.tokens else []
    pieces += [f"attempt {now.attempt} of {now.tries}"] if now.attempt > 1 else []
    pieces += [f"the server asked to wait {now.asked_wait:,} s"] if now.asked_wait else []
    return " · ".join(pieces)
