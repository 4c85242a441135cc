"""The documents that came with a response as evidence, and one search for a whole response, which its claims share.

context      each document in full, in the given order
none         nothing: the judge uses its own knowledge
links        the addresses of the documents, and not a word of them
references   of each document the piece that fits best

They can also be searched like a folder; each response sees only its own.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from factscope.claims.text.terms import term, terms
from factscope.core.records import Claim, Document, Searched, Span
from factscope.evidence.collection import Collection, in_memory
from factscope.evidence.gather import EvidenceSource, Gathered
from factscope.evidence.results import FoundPassage, QueryResults, copies_of, passage_record, with_texts
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence, Passages

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders


class _ResponseSource:
    """A source that searches only the documents that came with the response."""

    def __init__(self, name: str, take: Callable[[str, Evidence, CheckContext], Sequence[FoundPassage]]) -> None:
        self.searched = Searched(id=name, n_documents=0, n_passages=0)
        self.asks: tuple[Ask, ...] = ()
        self._take = take

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        return QueryResults(tuple(self._take(query, spec, job)))

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


async def gather_once(
    job: CheckContext,
    spec: Evidence,
    source: EvidenceSource,
    group: Sequence[Claim],
    ready: Callable[[dict[str, Gathered]], None],
) -> None:
    """Search once, by the request and the response, for all claims of a group; each gets the same passages.

    No query is recorded: it would be the whole text. Raises BoundaryError when the search fails.
    """
    results = await source.find("\n".join(filter(None, (job.response.prompt, job.response.text))), spec, job)
    for address, error in results.failures:
        job.fail([claim.id for claim in group], "evidence", error, about=address)
    passages_taken = results.passages[: spec.most]
    copies = copies_of([passage.text for passage in passages_taken])
    job.emit(*{passage.document.id: passage.document for passage in passages_taken}.values())
    gathered = {}
    for claim in group:
        passages = tuple(
            passage_record(passage, claim.id, rank, copy_of=copies.get(rank))
            for rank, passage in enumerate(passages_taken, 1)
        )
        job.emit(*passages)
        gathered[claim.id] = Gathered(passages, 0)
    ready(gathered)


def _in_full(query: str, spec: Evidence, job: CheckContext) -> Sequence[FoundPassage]:
    """Return every document that has text, as one passage."""
    documents = with_texts(job.response.context)
    return [FoundPassage(document, Span(start=0, end=len(text)), text, 1.0) for document, text in documents]


def _find_nothing(query: str, spec: Evidence, job: CheckContext) -> Sequence[FoundPassage]:
    return ()


def _links(query: str, spec: Evidence, job: CheckContext) -> Sequence[FoundPassage]:
    """Return the addresses as documents: a judge sees nothing else of them."""
    passages_found = []
    for url in dict.fromkeys(document.url for document in job.response.context if document.url):
        digest = sha256(url.encode()).hexdigest()
        document = Document(id=f"d-{digest[:16]}", text=None, url=url, sha256=digest, flags=("address_only",))
        passages_found.append(FoundPassage(document, Span(start=0, end=len(url)), url, 1.0))
    return passages_found


def _references(query: str, spec: Evidence, job: CheckContext) -> Sequence[FoundPassage]:
    """Return the best pieces of each document, ranked by BM25 within the document, in the order of the documents."""
    size, most = spec.passages.chunk_tokens, spec.passages.per_document
    return [
        FoundPassage(document, span, span.of(text), score)
        for document, text in with_texts(job.response.context)
        for span, score in best_pieces(text, query, size)[:most]
    ]


def best_pieces(text: str, query: str, size: int) -> list[tuple[Span, float]]:
    """Return the pieces of `size` words of a text, best first, with BM25 as a share of its maximum.

    The rarity of words is taken from the pieces of this text. Where there is one piece, or none has a word of the
    query, the first is best (FELM, section 4.1). With a size of 0 the text is one piece.
    """
    from factscope.evidence.ranking.dense import by_bm25, cut_chunks

    if not size:
        return [(Span(start=0, end=len(text)), 1.0)]
    numbers: dict[str, int] = {}
    chunks = cut_chunks(text, 0, size, lambda word: numbers.setdefault(term(word), len(numbers)))
    query_numbers = {numbers[word] for word in terms(query) if word in numbers}
    count = len(chunks.spans)
    held = Counter(
        number
        for start in range(0, len(chunks.terms), size)
        for number in query_numbers.intersection(chunks.terms[start : start + size].tolist())
    )
    term_weights = {number: math.log(1 + (count - often + 0.5) / (often + 0.5)) for number, often in held.items()}
    scores = by_bm25(chunks, term_weights) if term_weights else [0.0] * count
    ranked = sorted(zip(chunks.spans, scores, strict=True), key=lambda pair: -pair[1])
    return [(span, score) for span, score in ranked if span.of(text).strip()]


AT_HAND: Mapping[str, EvidenceSource] = {
    name: _ResponseSource(name, take)
    for name, take in (("context", _in_full), ("none", _find_nothing), ("links", _links), ("references", _references))
}
"""The sources that need no tools, by name."""


_OPEN_COLLECTIONS = 32
"""Indexes of responses that stay open: more than are checked at the same time."""


class OwnDocuments:
    """A source that searches the context of the checked response as a folder is searched."""

    searched = Searched(id="context", n_documents=0, n_passages=0)
    asks: tuple[Ask, ...] = ()

    def __init__(self, encoders: Encoders | None = None) -> None:
        def opened(documents: tuple[Document, ...]) -> Collection | None:
            return in_memory(with_texts(documents), encoders)

        self._opened = lru_cache(_OPEN_COLLECTIONS)(opened)
        self._lock = Lock()

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return the passages of the response's own documents that match `query`, best first."""
        return QueryResults(await asyncio.to_thread(self._search, job.response.context, query, spec.passages))

    def _search(self, documents: tuple[Document, ...], query: str, settings: Passages) -> tuple[FoundPassage, ...]:
        with self._lock:  # claims of a response arrive concurrently: one of them builds the index
            collection = self._opened(documents)
        return collection.search(query, settings) if collection else ()

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
