"""Errors of a call and their consequences: whether it is retried, and whether one unit or the whole run fails."""

from __future__ import annotations

from typing import Literal, NamedTuple

from factscope.core.errors import Boundary, BoundaryError
from factscope.llm.call import Reply

Kind = Literal[
    "auth", "not_found", "quota", "bad_request", "unreachable", "outage",
    "rate_limit", "server", "connection", "timeout", "bad_reply",
    "refusal", "length", "unreadable", "budget", "pending", "not_recorded",
]  # fmt: skip


class _CallErrorPolicy(NamedTuple):
    boundary: Boundary
    again: bool
    """Worth retrying the same call."""
    fatal: bool
    """Every other call to the same model would fail in the same way: stop the run."""


_POLICY: dict[Kind, _CallErrorPolicy] = {
    "auth": _CallErrorPolicy("model", again=False, fatal=True),
    "not_found": _CallErrorPolicy("model", again=False, fatal=True),
    "quota": _CallErrorPolicy("model", again=False, fatal=True),
    "bad_request": _CallErrorPolicy("model", again=False, fatal=False),
    "unreachable": _CallErrorPolicy("model", again=False, fatal=True),
    "outage": _CallErrorPolicy("model", again=False, fatal=True),
    "rate_limit": _CallErrorPolicy("model", again=True, fatal=False),
    "server": _CallErrorPolicy("model", again=True, fatal=False),
    "connection": _CallErrorPolicy("model", again=True, fatal=False),
    "timeout": _CallErrorPolicy("timeout", again=True, fatal=False),
    "bad_reply": _CallErrorPolicy("model", again=True, fatal=False),  # cut off, not JSON, not a chat completion
    "refusal": _CallErrorPolicy("model", again=False, fatal=False),
    "length": _CallErrorPolicy("model", again=False, fatal=False),
    "unreadable": _CallErrorPolicy("parse", again=False, fatal=False),
    "budget": _CallErrorPolicy("budget", again=False, fatal=False),
    "pending": _CallErrorPolicy("model", again=False, fatal=False),  # written to a batch file
    "not_recorded": _CallErrorPolicy("model", again=False, fatal=False),
}


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
        policy = _POLICY[kind]
        super().__init__(policy.boundary, message, hint)
        self.args = (kind, message, hint)  # another process rebuilds it from these (pickle), and sets its fields
        self.kind: Kind = kind
        self.again = policy.again
        self.fatal = policy.fatal
        self.wait = wait
        """Seconds that the server asks to wait, if any."""
        self.reply = reply
        """The reply that was paid for but can't be used, if there was one."""
        self.more_room = more_room
        """Whether a retry would allow a longer reply: the model was found to think before it answers."""

    def copy(self) -> ModelError:
        """Return a copy to raise elsewhere: an exception raised by many tasks would mix their tracebacks."""
        return ModelError(self.kind, self.message, self.hint, wait=self.wait, more_room=self.more_room)


class UnreadableError(ValueError):
    """A reply that is not in the requested form. Its message is sent to the model when the question is repeated."""
