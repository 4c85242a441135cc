"""The client: one call in, one reply out, from the cache if possible; equal calls in flight are made only once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from factscope.core import CacheRow, SingleFlight
from factscope.llm.call import Call, Identity, Reply
from factscope.llm.call_cache import Cache
from factscope.llm.model_errors import Kind, ModelError

Settle = Callable[[Reply], Awaitable[None]]
"""Callback that a sender awaits with a reply before it starts another call in its place. When it returns, the reply is
on disk."""


class Sender(Protocol):
    """Sender of a call that is not in the cache: `HttpSender`, `BatchFolder` or `ReplaySender`."""

    def address(self, model: str) -> str:
        """Return the base address of a model; part of every cache key. Raises UsageError when it is unknown."""

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Answer a call. Raises ModelError when the call failed, UsageError when it can't be made at all."""

    def drain(self) -> int:
        """Start nothing more; return the number of calls in progress, which is 0 for a sender without connections."""
        return 0

    async def close(self) -> None:
        """Close connections and files; nothing for a sender that has none open."""
        return


_OF_THE_MODEL: frozenset[Kind] = frozenset({"unreadable", "length", "refusal"})


class ModelClient:
    """Answers calls. Use as an asynchronous context manager; belongs to one event loop."""

    def __init__(self, sender: Sender, cache: Cache | None = None) -> None:
        """`cache` stays open when the client is closed. Without a cache, only calls in flight are shared."""
        self.sender = sender
        self.cache = cache
        self.hits = 0
        self.failed: dict[str, tuple[str, Kind]] = {}
        """Calls whose replies could not be used, by key, with the reason; a recording needs these too."""
        self.used: set[str] = set()
        """Keys of the replies that were accepted or came from the cache; a recording needs them."""
        self._flights: SingleFlight[Reply] = SingleFlight()

    async def __aenter__(self) -> ModelClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def drain(self) -> int:
        """Start no further call, and return the number of calls in progress.

        These finish even if nobody waits for them, since they are paid for.
        """
        self._flights.cancels = False
        return self.sender.drain()

    async def close(self, patience: float = 0.0) -> None:
        """Give calls in flight `patience` seconds to end, and close the sender."""
        await self._flights.close(patience)
        await self.sender.close()

    def key(self, call: Call) -> str:
        """Return the key of a call: equal calls have equal keys. Raises UsageError for an unknown provider."""
        return self._identity(call).key

    async def lookup(self, call: Call) -> Reply | None:
        """Return the cached reply to a call; None when there is none. Nothing is sent."""
        key = self.key(call)
        reply = self.cache.get(key) if self.cache else None
        if reply is not None:
            self.used.add(key)
        return reply

    def cached(self, call: Call) -> bool:
        """Return whether a call would cost nothing. Raises the same errors as `complete`."""
        return self.cache is not None and self.cache.get(self.key(call)) is not None

    async def complete(self, call: Call, keep_as: Callable[[Reply], Call | None] = lambda reply: None) -> Reply:
        """Answer a call: from the cache, by joining the same call in flight, or by making it.

        `keep_as` names the call whose answer the reply becomes in the cache; None for a reply that can't be used. A
        call counts as in flight until its reply is on disk, so that a killed process pays twice only for calls that
        were in flight. Raises ModelError, StoreError, UsageError.
        """
        key = self.key(call)
        cached = self.cache.get(key) if self.cache else None
        if cached is not None:
            self.hits += 1
            self.used.add(key)
            return cached

        joined = key in self._flights
        try:
            reply = await self._flights.result(
                key, lambda: self.sender.send(call, lambda reply: self.keep(keep_as(reply), reply))
            )
            return replace(reply, cached=True) if joined else reply  # paid for only once
        except ModelError as failure:
            self.note(call, failure.kind)
            raise failure.copy() if joined else failure from None

    def note(self, call: Call, kind: Kind) -> None:
        """Record that a call gave no usable reply, if the content of the reply was the reason."""
        if kind in _OF_THE_MODEL:
            request, key = self._identity(call)
            self.failed[key] = (request, kind)

    async def keep(self, call: Call | None, reply: Reply) -> None:
        """Cache a reply that its reader accepted as the answer to `call`; None for one that can't be used."""
        if call is not None:
            await self.keep_all([(call, reply)])

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Cache several replies: a process that is killed meanwhile has all or none of them."""
        identified = [(self._identity(call), reply) for call, reply in replies]
        self.used.update(identity.key for identity, _ in identified)
        if self.cache:
            await self.cache.store(*(CacheRow(key, reply, request) for (request, key), reply in identified))

    def _identity(self, call: Call) -> Identity:
        return call.identity(self.sender.address(call.model))
