"""Errors of a search and their consequences: whether it is retried, and whether one claim or the whole run fails.

A failure is never an empty result: a search without results and a search that failed mean different things for a claim.
The kind of a failure follows from an engine's status and its message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from factscope.core import BoundaryError
from factscope.evidence.search.reply_reading import marked_up
from factscope.llm.model_errors import AGAIN, FATAL, ModelError, status_kind
from factscope.llm.wire import strike

Kind = Literal[
    "auth", "quota", "not_found", "unreachable", "outage",
    "rate_limit", "server", "connection", "timeout", "bad_reply", "bad_request",
]  # fmt: skip
"""The kinds of `llm.model_errors`, as both use the same gate."""


class SearchError(BoundaryError):
    """A search without a usable answer. Its message contains no secret."""

    def __init__(self, kind: Kind, message: str, hint: str = "", *, wait: float | None = None) -> None:
        super().__init__("search", message, hint)
        self.args = (kind, message, hint)  # another process rebuilds it from these (pickle), and sets its fields
        self.kind: Kind = kind
        self.again, self.fatal = kind in AGAIN, kind in FATAL
        self.wait = wait
        """Seconds that the engine asks to wait, if any."""


def for_gate(failure: SearchError) -> ModelError:
    """Convert a failure for `llm.limits.Gate`."""
    return ModelError(failure.kind, failure.message, failure.hint, wait=failure.wait)


def from_gate(failure: ModelError) -> SearchError:
    """Convert a gate's refusal to a search error: a failure that ended all searches, or an outage."""
    return SearchError(cast("Kind", failure.kind), failure.message, failure.hint, wait=failure.wait)


_MAX_WORDS = 200
"""Most characters of an engine's own message that are shown."""
_NO_MORE = re.compile(r"\b(?:quota|credits?|usage limit|run out|plan limit)\b", re.IGNORECASE)
_MESSAGES: dict[Kind, str] = {
    "auth": "{where} rejected the key ({status}): {words}.",
    "quota": "{where} has no searches left for this account ({status}): {words}.",
    "not_found": "{where} takes no searches ({status}): {words}.",
    "rate_limit": "{where} is busy ({status}): {words}.",
    "server": "{where} failed ({status}): {words}.",
    "bad_reply": "{where} sent no results ({status}): {words}.",
}


def kind_of(status: int, words: str, codes: Mapping[str, Kind]) -> Kind:
    """Return the kind of a failed reply.

    `codes` maps words to kinds that take precedence over the status; they are looked for in `words`.
    """
    for code, kind in codes.items():
        if code in words:
            return kind
    if status < 300:
        return "bad_reply"
    says_so = status in (401, 403, 429) and _NO_MORE.search(words) is not None
    return status_kind(status, no_credit=says_so or status in (432, 433))  # 432, 433: Tavily


def message_of(kind: Kind, where: str, status: int, words: str, *, has_key: bool) -> str:
    """Compose the message for users. `has_key`: the search was sent with a key."""
    has_form = kind in _MESSAGES and (has_key or kind != "auth")
    form = _MESSAGES[kind] if has_form else "{where} rejected the search ({status}): {words}."
    elsewhere = 300 <= status < 400
    return form.format(
        where=where,
        status=f"HTTP {status}",
        words="it redirects searches, which would pass on the key" if elsewhere else words,
    )


def error_words(content: bytes, key: str) -> str:
    """Return the engine's own message and codes, if there are any, on one short line without the key."""
    try:
        words = " ".join(_words(json.loads(content)))
    except (ValueError, RecursionError):
        words = content.decode("utf-8", "replace")
    words = marked_up(strike(words, key)[: 8 * _MAX_WORDS])
    return (words if len(words) <= _MAX_WORDS else f"{words[:_MAX_WORDS]}…").rstrip(".") or "it gave no reason"


def _words(values: Any, depth: int = 6) -> list[str]:
    """Return the texts in the fields that such replies name."""
    if isinstance(values, str):
        return [values]
    if isinstance(values, list) and depth:
        return [word for value in values[:3] for word in _words(value, depth - 1)]
    if not isinstance(values, dict) or not depth:
        return []
    fields = [
        values.get(name) for name in ("code", "error", "errors", "message", "msg", "detail", "info", "loc", "meta")
    ]
    return [word for value in fields for word in _words(value, depth - 1)]


def listed_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait from `X-RateLimit-…` headers that list several windows, like Brave's.

    `Limit: 1, 15000`, `Remaining: 0, 14523`, `Reset: 1, 1419704`: the longest of the windows that are used up; a limit
    of 0 means no limit.
    """
    limits, left, resets = (
        [header.strip() for header in headers.get(f"x-ratelimit-{name}", "").split(",")]
        for name in ("limit", "remaining", "reset")
    )
    if not len(limits) == len(left) == len(resets):
        return None
    windows = [row for row in zip(limits, left, resets, strict=True) if all(re.fullmatch(r"\d{1,9}", n) for n in row)]
    return max((float(reset) for limit, remaining, reset in windows if int(limit) and not int(remaining)), default=None)
