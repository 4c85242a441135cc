"""Clients of the call broker for workers and the driver: a client and a search that make no call of their own."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

from factscope.core.errors import BoundaryError
from factscope.core.records import Usage
from factscope.evidence.search.engine import EngineTraits, SearchOptions, SearchResults
from factscope.evidence.search.search import WebSearch
from factscope.evidence.search.search_errors import SearchError
from factscope.llm.call import Call, Reply
from factscope.llm.cost import Ledger
from factscope.llm.model_client import ModelClient, Sender, Settle
from factscope.llm.model_errors import ModelError

T = TypeVar("T")


async def _await_broker(reply: Awaitable[T | BoundaryError], kind: type[ModelError] | type[SearchError]) -> T:
    """Await the broker, and raise the failure that it returns. A lost broker is an outage, which ends the run."""
    from ray.exceptions import RayActorError

    try:
        result = await reply
    except RayActorError:
        reason = "The cluster's broker, which makes all calls, is gone."
        raise kind("outage", reason, "Run the same command again: finished work is kept.") from None
    if isinstance(result, BoundaryError):
        raise result
    return result


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

    async def keep(self, call: Call | None, reply: Reply) -> None:
        """Have the broker cache accepted replies."""
        if call is not None:
            await self.keep_all([(call, reply)])

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Have the broker cache accepted replies."""
        await self._broker.keep_all.remote(list(replies))


class _NamedEngine:
    """A search engine on another machine: its name and its traits."""

    def __init__(self, name: str, traits: EngineTraits) -> None:
        self.name, self.traits = name, traits

    async def search(self, query: str, options: SearchOptions) -> SearchResults:
        """Refuse: `BrokerSearch.find` asks the broker."""
        raise NotImplementedError

    async def close(self) -> None:
        """Do nothing: nothing is open here."""


class BrokerSearch(WebSearch):
    """Searches that the broker makes."""

    def __init__(self, broker: Any, name: str, traits: EngineTraits) -> None:
        """`name` and `traits` are those of the engine that the broker has open."""
        super().__init__(_NamedEngine(name, traits))
        self._broker = broker

    async def find(
        self, query: str, options: SearchOptions | None = None, ledger: Ledger | None = None
    ) -> SearchResults:
        """Search as `WebSearch.find` does. Raises SearchError."""
        answer: Awaitable[tuple[SearchResults, tuple[Usage, ...]]] = self._broker.find.remote(
            query, options or SearchOptions()
        )
        results, usage = await _await_broker(answer, SearchError)
        if ledger is not None:
            ledger.include(*usage)
        return results
