"""Errors of a search and their consequences: whether it is retried, and whether one claim or the whole run fails.

A failure is never an empty result: a search without results and a search that failed mean different things for a claim.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

from factscope.core.errors import BoundaryError
from factscope.llm.model_errors import ModelError

Kind = Literal[
    "auth", "quota", "not_found", "unreachable", "outage",
    "rate_limit", "server", "connection", "timeout", "bad_reply", "bad_request",
]  # fmt: skip
"""The kinds of `llm.model_errors`, as both use the same gate."""


class _SearchErrorPolicy(NamedTuple):
    again: bool
    """Worth retrying the same search."""
    fatal: bool
    """Every other search with the same engine would fail in the same way: stop the run."""


_POLICY: dict[Kind, _SearchErrorPolicy] = {
    "auth": _SearchErrorPolicy(again=False, fatal=True),
    "quota": _SearchErrorPolicy(again=False, fatal=True),
    "not_found": _SearchErrorPolicy(again=False, fatal=True),
    "unreachable": _SearchErrorPolicy(again=False, fatal=True),
    "outage": _SearchErrorPolicy(again=False, fatal=True),
    "rate_limit": _SearchErrorPolicy(again=True, fatal=False),
    "server": _SearchErrorPolicy(again=True, fatal=False),
    "connection": _SearchErrorPolicy(again=True, fatal=False),
    "timeout": _SearchErrorPolicy(again=True, fatal=False),
    "bad_reply": _SearchErrorPolicy(again=True, fatal=False),  # cut off, not JSON, not in the engine's format
    "bad_request": _SearchErrorPolicy(again=False, fatal=False),
}


class SearchError(BoundaryError):
    """A search without a usable answer. Its message contains no secret."""

    def __init__(self, kind: Kind, message: str, hint: str = "", *, wait: float | None = None) -> None:
        super().__init__("search", message, hint)
        self.args = (kind, message, hint)  # another process rebuilds it from these (pickle), and sets its fields
        self.kind: Kind = kind
        self.again, self.fatal = _POLICY[kind]
        self.wait = wait
        """Seconds that the engine asks to wait, if any."""


def for_gate(failure: SearchError) -> ModelError:
    """Convert a failure for `llm.limits.Gate`."""
    return ModelError(failure.kind, failure.message, failure.hint, wait=failure.wait)


def from_gate(failure: ModelError) -> SearchError:
    """Convert a gate's refusal to a search error: a failure that ended all searches, or an outage."""
    return SearchError(cast("Kind", failure.kind), failure.message, failure.hint, wait=failure.wait)
