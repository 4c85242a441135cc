"""The documents that come with a response, searched like a folder; each response sees only its own."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from factscope.core.records import Document, Searched
from factscope.evidence.results import FoundPassage, QueryResults
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence, Passages

if TYPE_CHECKING:
    from factscope.evidence.collection import Collection
    from factscope.evidence.embedding_models import Encoders

_OPEN_COLLECTIONS = 32
"""Indexes of responses that stay open: more than are checked at the same time."""


class OwnDocuments:
    """A source that searches the context of the checked response as a folder is searched."""

    searched = Searched(id="context", n_documents=0, n_passages=0)
    asks: tuple[Ask, ...] = ()

    def __init__(self, encoders: Encoders | None = None) -> None:
        self._encoders = encoders
        self._ready: OrderedDict[tuple[str, ...], Collection | None] = OrderedDict()
        self._lock = Lock()

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return the passages of the response's own documents that match `query`, best first."""
        return QueryResults(await asyncio.to_thread(self._search, job.response.context, query, spec.passages))

    def _search(self, documents: tuple[Document, ...], query: str, settings: Passages) -> tuple[FoundPassage, ...]:
        collection = self._collection(documents)
        return collection.search(query, settings) if collection else ()

    def _collection(self, documents: tuple[Document, ...]) -> Collection | None:
        from factscope.evidence.in_memory import in_memory

        key = tuple(document.id + document.sha256 for document in documents)
        with self._lock:  # claims of a response arrive concurrently: one of them builds the index
            if key not in self._ready:
                texts = [
                    (document.model_copy(update={"text": None}), document.text)
                    for document in documents
                    if document.text
                ]
                self._ready[key] = in_memory(texts, self._encoders)
            self._ready.move_to_end(key)
            while len(self._ready) > _OPEN_COLLECTIONS:
                self._ready.popitem(last=False)
            return self._ready[key]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
