"""Errors of a call and their consequences: whether it is retried, and whether one unit or the whole run fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from factscope.core import Boundary, BoundaryError
from factscope.llm.call import Reply

Kind = Literal[
    "auth", "not_found", "quota", "bad_request", "unreachable", "outage",
    "rate_limit", "server", "connection", "timeout", "bad_reply",
    "refusal", "length", "unreadable", "budget", "pending", "not_recorded",
]  # fmt: skip

StatusKind = Literal["auth", "quota", "not_found", "rate_limit", "server", "bad_request"]
_BOUNDARIES: dict[Kind, Boundary] = {"timeout": "timeout", "unreadable": "parse", "budget": "budget"}
"""The boundary of each kind that is not a failure of the model itself."""
AGAIN: frozenset[Kind] = frozenset({"rate_limit", "server", "connection", "timeout", "bad_reply"})
"""Worth retrying the same call. A bad reply was cut off, is not JSON, or not a chat completion."""
FATAL: frozenset[Kind] = frozenset({"auth", "not_found", "quota", "unreachable", "outage"})
"""Every other call to the same model would fail in the same way: stop the run."""


def status_kind(status: int, *, no_credit: bool) -> StatusKind:
    """Return the kind of a failure with this HTTP status; `no_credit`: the answer says that nothing is left."""
    if status == 402 or no_credit:
        return "quota"
    if status in (401, 403):
        return "auth"
    if status == 429:
        return "rate_limit"
    if status >= 500 or status in (408, 409, 425):
        return "server"
    # 405 comes from a web server at a wrong address, 410 for a model that was withdrawn.
    return "not_found" if status in (404, 405, 410) or 300 <= status < 400 else "bad_request"


class ModelError(BoundaryError):
    """A call without a usable reply.

    Its message never contains a secret, or text that could be mistaken for a verdict.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        hint: str = "",
        *,
        wait: float | None = None,
        reply: Reply | None = None,
        more_room: bool = False,
    ) -> None:
        super().__init__(_BOUNDARIES.get(kind, "model"), message, hint)
        self.args = (kind, message, hint)  # another process rebuilds it from these (pickle), and sets its fields
        self.kind: Kind = kind
        self.again, self.fatal = kind in AGAIN, kind in FATAL
        self.wait = wait
        """Seconds that the server asks to wait, if any."""
        self.reply = reply
        """The reply that was paid for but can't be used, if there was one."""
        self.more_room = more_room
        """Whether a retry would allow a longer reply: the model was found to think before it answers."""

    def copy(self) -> ModelError:
        """Return a copy to raise elsewhere: an exception raised by many tasks would mix their tracebacks.

        Its reply counts as cached, since it was paid for only once.
        """
        reply = self.reply and replace(self.reply, cached=True)
        return ModelError(self.kind, self.message, self.hint, wait=self.wait, reply=reply, more_room=self.more_room)


class UnreadableError(ValueError):
    """A reply that is not in the requested form. Its message is sent to the model when the question is repeated."""
