"""The broker: the one process of a cluster that calls models and search engines, for all of its workers.

So there is one cache, one gate before each address and one budget, and a worker that dies takes no reply with it.
Workers and the driver have clients of the broker: a client and a search that make no call of their own.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from factscope.core.records import Usage
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.evidence.search.engine import EngineTraits, SearchOptions, SearchResults
from factscope.evidence.search.search import WebSearch
from factscope.evidence.search.search_errors import SearchError
from factscope.llm.call import Call, Reply
from factscope.llm.cost import Ledger
from factscope.llm.model_client import ModelClient, Sender, Settle
from factscope.llm.model_errors import ModelError

T = TypeVar("T")
_MOST_UNREAD = 20_000
"""Replies held for workers that have not yet reported whether they can be read."""


class CallBroker:
    """Runs as an actor with many calls at once, from workers and the driver."""

    def __init__(self, settings: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        """`settings` and `environment` are the driver's; on a cluster that was there before, an actor has neither."""
        os.environ.update(environment)
        broker_settings = Settings(**settings)
        self._models = open_tools(settings=broker_settings.model_copy(update={"evidence": (), "search": None})).models
        self._search: WebSearch | None = None
        if broker_settings.search:
            from factscope.evidence.search.engine_registry import open_search

            self._search = open_search(broker_settings.search, os.environ, broker_settings.cache / "searches.db")
        self._unread: OrderedDict[str, Reply] = OrderedDict()

    @property
    def _client(self) -> ModelClient:
        if self._models is None:
            raise ValueError("this broker has no models")
        return self._models.client

    async def ask(self, call: Call) -> tuple[Reply, bool]:
        """Answer a call: from the cache, with a held reply that no worker has read yet, or by making it.

        Return with it whether the reply is in the cache already. Raises ModelError.
        """
        client = self._client
        key = client.key(call)
        if (unreadable := self._unread.get(key)) is not None:
            return replace(unreadable, cached=True), False
        cached = client.cached(call)
        reply = await client.complete(call)
        if not cached:
            self._unread[key] = reply
            if len(self._unread) > _MOST_UNREAD:
                self._unread.popitem(last=False)
        return reply, cached

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Keep replies that their reader accepted as the answers to calls, all on disk when this returns, or none."""
        await self._client.keep_all(replies)
        for call, _ in replies:
            self._unread.pop(self._client.key(call), None)

    async def lookup(self, call: Call) -> Reply | None:
        """Return the reply that is kept as the answer to a call."""
        return await self._client.lookup(call)

    async def find(self, query: str, options: SearchOptions) -> tuple[SearchResults, tuple[Usage, ...]]:
        """Search once for all workers; return the usage, too. Raises SearchError."""
        if self._search is None:
            raise ValueError("this broker has no search engine")
        ledger = Ledger()
        return await self._search.find(query, options, ledger), ledger.usage()

    async def drain(self) -> int:
        """Start no further call; return the number of calls in progress."""
        return self._models.drain() if self._models else 0

    async def close(self, patience: float) -> None:
        """Give calls in flight some seconds to end, and close all connections."""
        if self._models:
            await self._models.close(patience)
        if self._search:
            await self._search.close(patience)


async def _await_broker(reply: Awaitable[T], kind: type[ModelError] | type[SearchError]) -> T:
    """Await the broker, and raise its failures as they are. A lost broker is an outage, which ends the run."""
    from ray.exceptions import RayActorError, RayTaskError

    try:
        return await reply
    except RayTaskError as error:
        raise error.cause or error from None
    except RayActorError:
        reason = "The cluster's broker, which makes all calls, is gone."
        raise kind("outage", reason, "Run the same command again: finished work is kept.") from None


class _Sender(Sender):
    """Sends calls to the broker."""

    def __init__(self, broker: Any, addresses: Mapping[str, str]) -> None:
        self._broker, self._addresses = broker, addresses
        self._landed = False

    def address(self, model: str) -> str:
        """Return the base address of a model, as the driver knows it."""
        return self._addresses[model]

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Ask the broker. Raises ModelError."""
        if self._landed:
            raise ModelError("budget", "The run was stopped.", "Run the same command again.")
        answer: Awaitable[tuple[Reply, bool]] = self._broker.ask.remote(call)
        reply, is_cached = await _await_broker(answer, ModelError)
        if not is_cached:
            await settle(reply)
        return reply

    def drain(self) -> int:
        """Start no further call. Only the broker knows the number of calls in progress."""
        self._landed = True
        self._broker.drain.remote()
        return 0


class BrokerClient(ModelClient):
    """A client whose calls, cache and budget are those of the broker."""

    def __init__(self, broker: Any, addresses: Mapping[str, str]) -> None:
        super().__init__(_Sender(broker, addresses))
        self._broker = broker

    async def lookup(self, call: Call) -> Reply | None:
        """Ask the broker for a stored reply. Raises ModelError."""
        reply: Reply | None = await _await_broker(self._broker.lookup.remote(call), ModelError)
        return reply

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Have the broker cache accepted replies."""
        await self._broker.keep_all.remote(list(replies))


class _BrokerEngine:
    """The search engine that the broker has open, with its name and its traits."""

    def __init__(self, broker: Any, name: str, traits: EngineTraits) -> None:
        self.name, self.traits = name, traits
        self._broker = broker

    async def search(self, query: str, options: SearchOptions) -> SearchResults:
        """Ask the broker. Raises SearchError."""
        return (await self.search_with_usage(query, options))[0]

    async def search_with_usage(self, query: str, options: SearchOptions) -> tuple[SearchResults, tuple[Usage, ...]]:
        """Ask the broker, and also return what the search cost. Raises SearchError."""
        answer: Awaitable[tuple[SearchResults, tuple[Usage, ...]]] = self._broker.find.remote(query, options)
        return await _await_broker(answer, SearchError)

    async def close(self) -> None:
        """Do nothing: nothing is open here."""


class BrokerSearch(WebSearch):
    """Searches that the broker makes."""

    def __init__(self, broker: Any, name: str, traits: EngineTraits) -> None:
        """`name` and `traits` are those of the engine that the broker has open."""
        self._broker_engine = _BrokerEngine(broker, name, traits)
        super().__init__(self._broker_engine)

    async def find(
        self, query: str, options: SearchOptions | None = None, ledger: Ledger | None = None
    ) -> SearchResults:
        """Search as `WebSearch.find` does. Raises SearchError."""
        results, usage = await self._broker_engine.search_with_usage(query, options or SearchOptions())
        if ledger is not None:
            ledger.include(*usage)
        return results
