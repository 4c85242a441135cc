"""The client: one call in, one reply out, from the cache when it is there, and never twice at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from factscope.core.single_flight import SingleFlight
from factscope.llm.call import Call, Identity, Reply
from factscope.llm.call_cache import Cache
from factscope.llm.model_errors import Kind, ModelError

Settle = Callable[[Reply], Awaitable[None]]
"""Callback that a sender awaits with a reply before it lets another call take its place: the reply is on disk then."""


class Sender(Protocol):
    """Sender of a call that is not in the cache: `HttpSender`, `BatchFolder` or `ReplaySender`."""

    def address(self, model: str) -> str:
        """Return the base address of a model; part of every key. Raises UsageError when it is unknown."""

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Answer a call. Raises ModelError when it can't, UsageError when the call can't be made at all."""

    def drain(self) -> int:
        """Begin nothing more; returns how many calls are under way."""

    async def close(self) -> None:
        """Let go of connections and files."""


_OF_THE_MODEL: frozenset[Kind] = frozenset({"unreadable", "length", "refusal"})


class ModelClient:
    """Answers calls. Use as an asynchronous context manager; belongs to one event loop."""

    def __init__(self, sender: Sender, cache: Cache | None = None) -> None:
        """`cache` stays open when the client is closed. Without one, each call that is not in flight is made."""
        self.sender = sender
        self.cache = cache
        self.hits = self.misses = 0
        self.failed: dict[str, tuple[str, Kind]] = {}
        """Calls whose replies could not be used, by key, with how they failed: a recording needs these too."""
        self.used: set[str] = set()
        """Keys of the replies that were accepted or came from the cache; a recording needs them."""
        self._flights: SingleFlight[Reply] = SingleFlight()

    async def __aenter__(self) -> ModelClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def drain(self) -> int:
        """Begin no further call, and let those under way end though nobody waits for them: they are paid for.

        Returns how many are under way.
        """
        self._flights.cancels = False
        return self.sender.drain()

    async def close(self, patience: float = 0.0) -> None:
        """Give calls in flight some seconds to end, and close the sender."""
        await self._flights.close(patience)
        await self.sender.close()

    def key(self, call: Call) -> str:
        """Return the key of a call: equal calls have equal keys. Raises UsageError for an unknown provider."""
        return self._identity(call).key

    async def lookup(self, call: Call) -> Reply | None:
        """Return the reply that is kept as the answer to a call; None when there is none, and nothing is asked."""
        key = self.key(call)
        reply = self.cache.get(key) if self.cache else None
        if reply is not None:
            self.used.add(key)
        return reply

    def cached(self, call: Call) -> bool:
        """Return whether a call would cost nothing. Raises what `complete` raises."""
        return self.cache is not None and self.cache.get(self.key(call)) is not None

    async def complete(self, call: Call, keep_as: Callable[[Reply], Call | None] = lambda reply: None) -> Reply:
        """Answer a call: from the cache, with the same call when it is under way, or by making it.

        `keep_as` says which call a reply is kept to answer from now on, None for one that can't be used. A call counts
        as in flight until its reply is on disk, so that a killed process pays twice only for what was in flight.
        Raises ModelError, StoreError, UsageError.
        """
        key = self.key(call)
        cached = self.cache.get(key) if self.cache else None
        if cached is not None:
            self.hits += 1
            self.used.add(key)
            return cached

        joined = key in self._flights
        if not joined:
            self.misses += 1
        try:
            reply = await self._flights.result(key, partial(self.sender.send, call, partial(self._settle, keep_as)))
            return replace(reply, cached=True) if joined else reply  # it was paid for once
        except ModelError as failure:
            self.note(call, failure.kind)
            raise failure.copy() if joined else failure from None

    def note(self, call: Call, kind: Kind) -> None:
        """Note that a call gave no usable reply, if the content of the reply was the reason."""
        if kind in _OF_THE_MODEL:
            request, key = self._identity(call)
            self.failed[key] = (request, kind)

    async def _settle(self, keep_as: Callable[[Reply], Call | None], reply: Reply) -> None:
        await self.keep(keep_as(reply), reply)

    async def keep(self, call: Call | None, reply: Reply) -> None:
        """Keep a reply that its reader accepted as the answer to `call`; None for one that can't be used."""
        if call is None:
            return
        request, key = self._identity(call)
        self.used.add(key)
        if self.cache:
            await self.cache.put(key, request, reply)

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Keep several replies: a process that is killed meanwhile keeps all or none."""
        rows = [(key, request, reply) for call, reply in replies for request, key in (self._identity(call),)]
        self.used.update(key for key, _, _ in rows)
        if self.cache:
            await self.cache.put_together(rows)

    def _identity(self, call: Call) -> Identity:
        return call.identity(self.sender.address(call.model))
