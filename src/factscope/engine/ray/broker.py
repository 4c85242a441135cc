"""The broker: the one process of a cluster that calls models and search engines, for all of its workers.

So there is one cache, one gate before each address and one budget, and a worker that dies takes no reply with it. A
failure is returned, and raised by the asker: Ray wraps what is raised in an exception of its own.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from factscope.core.records import Usage
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.evidence.search.engine import SearchOptions, SearchResults
from factscope.evidence.search.search import WebSearch
from factscope.evidence.search.search_errors import SearchError
from factscope.llm.call import Call, Reply
from factscope.llm.cost import Ledger
from factscope.llm.model_errors import ModelError

_MOST_UNREAD = 20_000
"""Replies held for workers that have not yet reported whether they can be read."""


class CallBroker:
    """Runs as an actor with many calls at once, from workers and the driver."""

    def __init__(self, settings: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        """`settings` and `environment` are the driver's; on a cluster that was there before, an actor has neither."""
        os.environ.update(environment)
        broker_settings = Settings(**settings)
        self._models = open_tools(settings=broker_settings.model_copy(update={"evidence": (), "search": None})).models
        self._search = _open_search(broker_settings)
        self._unread: OrderedDict[str, Reply] = OrderedDict()

    async def ask(self, call: Call) -> tuple[Reply, bool] | ModelError:
        """Answer a call: from the cache, with a held reply that no worker has read yet, or by making it.

        Return with it whether the reply is in the cache already.
        """
        if self._models is None:
            raise ValueError("this broker has no models")
        client = self._models.client
        key = client.key(call)
        if (unreadable := self._unread.get(key)) is not None:
            return replace(unreadable, cached=True), False
        cached = client.cached(call)
        try:
            reply = await client.complete(call)
        except ModelError as failure:
            return failure
        if not cached:
            self._unread[key] = reply
            if len(self._unread) > _MOST_UNREAD:
                self._unread.popitem(last=False)
        return reply, cached

    async def keep_all(self, replies: Sequence[tuple[Call, Reply]]) -> None:
        """Keep replies that their reader accepted as the answers to calls, all on disk when this returns, or none."""
        if self._models is not None:
            client = self._models.client
            await client.keep_all(replies)
            for call, _ in replies:
                self._unread.pop(client.key(call), None)

    async def lookup(self, call: Call) -> Reply | None:
        """Return the reply that is kept as the answer to a call."""
        return await self._models.client.lookup(call) if self._models else None

    async def find(self, query: str, options: SearchOptions) -> tuple[SearchResults, tuple[Usage, ...]] | SearchError:
        """Search once for all workers; return the usage, too."""
        if self._search is None:
            raise ValueError("this broker has no search engine")
        ledger = Ledger()
        try:
            return await self._search.find(query, options, ledger), ledger.usage()
        except SearchError as failure:
            return failure

    async def drain(self) -> int:
        """Start no further call; return the number of calls in progress."""
        return self._models.drain() if self._models else 0

    async def close(self, patience: float) -> None:
        """Give calls in flight some seconds to end, and close all connections."""
        if self._models:
            await self._models.close(patience)
        if self._search:
            await self._search.close(patience)


def _open_search(settings: Settings) -> WebSearch | None:
    from factscope.evidence.search.engine_registry import open_search

    if settings.search is None:
        return None
    return open_search(settings.search, os.environ, settings.cache / "searches.db")
