"""Calls to a model, their replies, and the cache key of a call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from factscope.core import first_problem


class Message(NamedTuple):
    """One message of the conversation that a model is shown."""

    role: Literal["system", "user", "assistant"]
    content: str


class Identity(NamedTuple):
    """Identity of a call, by which its reply is cached."""

    request: str
    """The call as one line of JSON."""
    key: str
    """Its SHA-256, 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model. Its cache key covers everything but `role`, `room`, `units` and `cut_is_whole`.

    `room` may cut a reply off, but such a reply is a failure and never kept.
    """

    role: str
    """Role of the call: `judge`, `extract` …; usage is counted by role."""
    model: str
    """`provider/model`."""
    messages: tuple[Message, ...]
    temperature: float | None = 0.0
    """Sent as it is, even 0; None sends none, for models that don't accept one."""
    max_tokens: int | None = 2048
    """Longest reply in tokens; a reply that is cut off there is a failure."""
    schema: Mapping[str, Any] | None = None
    """JSON schema that the reply must fit, see `structured.schema_of`."""
    sample: int = 1
    """Number of this sample among several of the same question, from 1."""
    seed: int | None = None
    """Sent where the provider accepts one."""
    logprobs: int | None = None
    """Ask for log-probabilities with this many alternatives per token; None asks for none."""
    room: int | None = None
    """Tokens that a reply can need, estimated from its content; asked for in place of `max_tokens` where that is more.
    """
    units: int = 1
    """Number of claims, sentences … that it asks about, which can be split over several calls; 0 for a whole text."""
    shared: bool = False
    """Whether the answer comes from a call that several responses shared, see `judging.shared_pairs`."""
    cut_is_whole: bool = False
    """Whether a reply that is cut off at `max_tokens` is as good as a complete one."""
    _identities: dict[str, Identity] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By address. Cached, since each call needs it several times and computing it costs as much as sending the call."""

    def identity(self, address: str) -> Identity:
        """Return the identity of the call at a base address: equal questions have equal identities."""
        if address not in self._identities:
            request = self._canonical(address)
            self._identities[address] = Identity(request, key_of(request))
        return self._identities[address]

    def _canonical(self, address: str) -> str:
        values: dict[str, object] = {  # in the order of the alphabet
            "address": address,
            "logprobs": self.logprobs,
            "max_tokens": self.max_tokens,
            "messages": self.messages,
            "model": self.model,
            "sample": self.sample,
            "schema": None if self.schema is None else _sorted_schema(json_bytes(self.schema)),
            "seed": self.seed,
            **({"shared": True} if self.shared else {}),
            "temperature": self.temperature,
        }
        return json_bytes(values).decode()


@lru_cache(maxsize=64)
def _sorted_schema(schema: bytes) -> object:
    """Return a schema with sorted keys. Cached: sorting costs more than the rest of a call's identity."""
    return _in_order(json.loads(schema))


class TokenLogprob(NamedTuple):
    """One token of a reply with its natural-log probability, and the likeliest alternatives."""

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
    """Whether it came from the cache or a recording, without a call."""
    seconds: float = 0.0
    """Time from the first attempt to the reply, including waits between attempts."""


def one_line(values: object) -> str:
    """Return values as JSON on one line, the same bytes for equal values.

    Unpaired surrogates become question marks.
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
    if isinstance(values, dict):
        return {key: _in_order(values[key]) for key in sorted(values)}
    if isinstance(values, list):
        return [_in_order(value) for value in values]
    return values


def key_of(request: str) -> str:
    """Return the key of a canonical call: 64 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(request.encode()).hexdigest()


def reply_to_json(reply: Reply) -> str:
    """Return a reply as one line of JSON, without `cost`, `cached` and `seconds`, which differ each time."""
    values = {  # in the order of the alphabet
        "finish_reason": reply.finish_reason,
        "logprobs": reply.logprobs,
        "text": reply.text,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }
    return json_bytes(values).decode()


def reply_from_json(line: str) -> Reply:
    """Parse the JSON that `reply_to_json` wrote; the reply is marked as cached. Raises ValueError for anything else."""
    try:
        return replace(_reply_adapter().validate_json(line), cached=True)
    except ValidationError as error:
        raise ValueError(f"not a reply: {': '.join(first_problem(error, 'its JSON'))}") from None


@cache
def _reply_adapter() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)
