"""Calls to a model, their replies, and the cache key of a call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json


class Message(NamedTuple):
    """One turn of the conversation that a model is shown."""

    role: Literal["system", "user", "assistant"]
    content: str


class Identity(NamedTuple):
    """Identity of a call."""

    request: str
    """The call as one line of JSON."""
    key: str
    """Its SHA-256, 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model. What decides the answer is in its key: all but `role`, `room`, `units`, `cut_is_whole`.

    `room` may cut a reply off, but such a reply is a failure and never kept.
    """

    role: str
    """Role of the call: `judge`, `extract` … Usage is counted by it."""
    model: str
    """`provider/model`."""
    messages: tuple[Message, ...]
    temperature: float | None = 0.0
    """Sent as it is, 0 too; None sends none, for models that take none."""
    max_tokens: int | None = 2048
    """Longest reply; one that is cut off there is a failure."""
    schema: Mapping[str, Any] | None = None
    """JSON schema that the reply must fit, see `structured.schema_of`."""
    sample: int = 1
    """Number of the draw among several of the same question, from 1."""
    seed: int | None = None
    """Sent where the provider takes one."""
    logprobs: int | None = None
    """Ask for log-probabilities with this many alternatives per token; None asks for none."""
    room: int | None = None
    """Tokens that a reply can need, by what it is about: asked for in the place of `max_tokens` where that is more."""
    units: int = 1
    """Claims, sentences … that it is about: several can be asked about in parts; a whole text, which is 0, can not."""
    shared: bool = False
    """Whether the answer comes from a call that several responses shared, see `judging.shared_pairs`."""
    cut_is_whole: bool = False
    """Whether a reply that is cut off at `max_tokens` is as good as any."""
    _identities: dict[str, Identity] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By address: needed several times a call, and as costly as sending it."""

    def identity(self, address: str) -> Identity:
        """Return the identity at an endpoint's base address: equal questions have equal ones."""
        if address not in self._identities:
            request = self._canonical(address)
            self._identities[address] = Identity(request, key_of(request))
        return self._identities[address]

    def _canonical(self, address: str) -> str:
        values = {
            "address": address,
            "model": self.model,
            "messages": [list(message) for message in self.messages],
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "schema": self.schema,
            "sample": self.sample,
            "seed": self.seed,
            "logprobs": self.logprobs,
        }
        return one_line({**values, "shared": True} if self.shared else values)


class TokenLogprob(NamedTuple):
    """One token of a reply with its natural-log probability, and the likeliest tokens in its place."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply."""

    text: str
    finish_reason: str
    tokens_in: int | None = None
    """Tokens read; None when the server does not say."""
    tokens_out: int | None = None
    """Tokens written; None when the server does not say."""
    logprobs: tuple[TokenLogprob, ...] | None = None
    cost: float | None = None
    """US dollars; None when unknown."""
    cached: bool = False
    """Whether it came without a call: from the cache, or from a recording."""
    seconds: float = 0.0
    """Time from the first attempt to the reply, waiting between attempts included."""


def one_line(values: object) -> str:
    """Return values as JSON in one line, the same bytes for equal values.

    Halves of surrogate pairs become question marks.
    """
    return json_bytes(_in_order(values)).decode()


def json_bytes(values: object) -> bytes:
    """Return values as compact JSON in UTF-8. Halves of surrogate pairs become question marks."""
    try:
        return to_json(values)  # five times as fast as the standard library
    except ValueError:
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _in_order(values: object) -> object:
    """Return values with the keys of all objects sorted."""
    if isinstance(values, Mapping):
        return {key: _in_order(values[key]) for key in sorted(values)}
    if isinstance(values, list | tuple):
        return [_in_order(value) for value in values]
    return values


def key_of(request: str) -> str:
    """Return the key of a canonical call: 64 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(request.encode()).hexdigest()


def reply_to_json(reply: Reply) -> str:
    """Return a reply as one line of JSON, without `cost`, `cached` and `seconds`, which belong to the occasion."""
    values = {
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "logprobs": None if reply.logprobs is None else [[t.token, t.logprob, t.top] for t in reply.logprobs],
    }
    return one_line(values)


def reply_from_json(line: str) -> Reply:
    """Return the reply that `reply_to_json` wrote, marked as cached. Raises ValueError when it is something else."""
    try:
        values = json.loads(line)
        logprobs = values["logprobs"]
        return Reply(
            text=values["text"],
            finish_reason=values["finish_reason"],
            tokens_in=values["tokens_in"],
            tokens_out=values["tokens_out"],
            logprobs=None
            if logprobs is None
            else tuple(TokenLogprob(token, number, tuple((t, p) for t, p in top)) for token, number, top in logprobs),
            cached=True,
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a reply: {error}") from None
