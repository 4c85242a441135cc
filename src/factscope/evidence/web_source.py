"""The web as a source of evidence: search, fetch, read, and rank passages in the same way as for local documents.

query → search engine → results that may be evidence → pages → documents → passages

With `read = "snippets"` the engine's snippets are the evidence, as in VERIFY and SAFE, and no page is fetched. A page
that can't be fetched or read is a failure with its address, never an empty page.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core import BoundaryError, Category
from factscope.core.records import Document, Searched, Span
from factscope.evidence.addresses import host_of
from factscope.evidence.collection import in_memory, load_index
from factscope.evidence.fetch import Fetcher
from factscope.evidence.page.reader import PageReader
from factscope.evidence.page_access import PageAccess, page_document, web_document
from factscope.evidence.results import FoundPassage, ListedResult, QueryResults, listed_result
from factscope.evidence.search.engine import EngineHit, SearchOptions, SearchResults
from factscope.evidence.search.search import Sites, WebSearch
from factscope.evidence.sources import ASK, UNKNOWN, AssignedCategory, SourceClassifier, own_table
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders

_MODEST: frozenset[Category] = frozenset({"news", "blog", "wiki", "social_media"})
_SPARE = 2
"""Results requested beyond those that are read, since some sites may not be evidence."""


@dataclass(frozen=True)
class WebRules:
    """Rules for evidence from the web, besides those of `Sites`."""

    sites: Sites = field(default_factory=Sites)
    without: tuple[Category, ...] = ()
    """Categories of sources that are left out before anything is fetched."""
    options: SearchOptions = field(default_factory=SearchOptions)
    """Language, region and dates of the search."""


class WebSource:
    """A search engine and its pages, as a source. Belongs to one event loop; close it when done."""

    def __init__(
        self,
        search: WebSearch,
        fetcher: Fetcher,
        reader: PageReader,
        sources: SourceClassifier,
        rules: WebRules,
        encoders: Encoders | None = None,
        *,
        shared: bool = False,
    ) -> None:
        """`shared`: search, fetcher and reader are also used by other sources, and are not closed with this one."""
        self._search, self._fetcher, self._reader, self._sources, self._rules = search, fetcher, reader, sources, rules
        self._encoders, self._shared = encoders, shared
        self._loading: asyncio.Future[None] | None = None

    @property
    def searched(self) -> Searched:
        """Describe the engine and its rules."""
        rules = self._rules
        own_digest = self._sources.own_digest
        settings = f"{rules.sites.allow}{rules.sites.deny}{rules.without}{rules.options.values()}{own_digest}"
        name = self._search.engine.name
        return Searched(
            id=f"web-{name}-{hashlib.sha256(settings.encode()).hexdigest()[:8]}",
            n_documents=0,
            n_passages=0,
            engines=(name,),
            problems=tuple(f"{name} can't limit {limit}" for limit in self._search.ignored(rules.options)),
        )

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Return the question for the category of a host that neither table nor rules know."""
        return (ASK,)

    async def close(self) -> None:
        """Close connections and caches."""
        self._sources.close()
        if not self._shared:
            await self._search.close()
            await self._fetcher.close()
            await self._reader.close()

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return the passages for a query, best first. Raises SearchError when the search fails."""
        options = self._rules.options.of(spec.results + _SPARE)
        if self._loading is None and spec.read == "pages":
            self._loading = asyncio.ensure_future(asyncio.to_thread(load_index))
            if self._search.engine.traits.own_pages:
                self._fetcher.announce(self._search.engine.traits.address_for(options.language))
        own_url = job.response.url
        sites = self._rules.sites.without_own(own_url) if own_url else self._rules.sites
        results = sites.sift(await self._search.find(query, options, job.ledger))
        listed = tuple(map(listed_result, results.hits))
        if spec.read == "snippets":
            hits = (await self._with_categories(results.hits, job))[: spec.results]
            return QueryResults(tuple(await self._snippets(results, hits, spec, job)), listed)
        hits = _one_per_host_first(await self._with_categories(results.hits, job))[: spec.results]
        read = await asyncio.gather(*(self._document(hit, sites, job) for hit in hits))
        documents = [each for each in read if not isinstance(each, BoundaryError)]
        failures = tuple(
            (hit.url, each) for hit, each in zip(hits, read, strict=True) if isinstance(each, BoundaryError)
        )
        collection = await asyncio.to_thread(in_memory, documents, self._encoders)
        passages = await asyncio.to_thread(collection.search, query, spec.passages) if collection else ()
        return QueryResults(passages, listed, failures)

    async def _with_categories(self, hits: Sequence[EngineHit], job: CheckContext) -> list[EngineHit]:
        """Return the results in categories that may be evidence; without asking a model where all categories may be."""
        if not self._rules.without:
            return list(hits)
        for hit in hits:
            self._fetcher.announce(hit.url)
        kinds = await asyncio.gather(*(self._category(hit.url, job) for hit in hits))
        return [hit for hit, kind in zip(hits, kinds, strict=True) if kind.category not in self._rules.without]

    async def _category(self, url: str, job: CheckContext) -> AssignedCategory:
        session = job.models if job.models and job.models.models.has(ASK.role) else None
        return await self._sources.of(host_of(url), session)

    async def _document(self, hit: EngineHit, sites: Sites, job: CheckContext) -> tuple[Document, str] | BoundaryError:
        """Return the page of a hit as a document with its text, or the reason why there is none."""
        # A model may have to be asked. That is done while the page is being fetched, since its final host is mostly the
        # same.
        expected = asyncio.ensure_future(self._category(hit.url, job))
        try:
            fetched = await self._fetcher.fetch(hit.url)
        except BaseException as error:
            expected.cancel()
            if isinstance(error, BoundaryError):
                return error
            raise
        await expected  # a failure that would affect every call is an error of the search, not of the page
        try:
            kind = await self._category(fetched.url, job)
            if not sites.admits(fetched.url) or kind.category in self._rules.without:
                raise BoundaryError(
                    "fetch", f"{hit.url} leads to {fetched.url}, a source that your settings leave out."
                )
            page = await self._reader.read(fetched.content, fetched.content_type, fetched.charset, fetched.url)
        except BoundaryError as error:
            return error
        more = {"title": page.title or hit.title, "published": page.published or hit.published}
        more |= _assigned(_or_as_stated(kind, page.hints))
        return page_document(page, fetched).model_copy(update=more), page.text

    async def _snippets(
        self, results: SearchResults, hits: Sequence[EngineHit], spec: Evidence, job: CheckContext
    ) -> list[FoundPassage]:
        """Return the engine's snippets in its order: its own answers, then the snippet of each page."""
        texts_shown = [(" ".join(each.texts), ListedResult(each.url or "", "", "")) for each in results.direct]
        for hit in hits:
            words = filter(None, (hit.snippet, *map(": ".join, hit.attributes)))
            texts_shown.append((" ".join(words), listed_result(hit)))
        passages = []
        for rank, (text, listed) in enumerate((shown for shown in texts_shown if shown[0].strip()), 1):
            kind = await self._category(listed.url, job) if listed.url else AssignedCategory("other", UNKNOWN)
            more = {"title": listed.title or None, "published": listed.published, **_assigned(kind)}
            document = web_document(text, listed.url or None, **more)
            passages.append(FoundPassage(document, Span(start=0, end=len(text)), text, round(1 / rank, 6)))
        return passages[: spec.passages.top_k + len(results.direct)]


def _one_per_host_first(hits: Sequence[EngineHit]) -> list[EngineHit]:
    """Return the results with the first page of each host before all others.

    Different hosts are more informative, and none gets requests in a row.
    """
    numbers = defaultdict[str, Iterator[int]](count)  # of the pages of a host
    return sorted(hits, key=lambda hit: next(numbers[host_of(hit.url)]))


def _or_as_stated(kind: AssignedCategory, hints: Sequence[Category]) -> AssignedCategory:
    """Return the category that a page states for itself, unless that category would give it authority."""
    if kind.how == UNKNOWN and hints and hints[0] in _MODEST:
        return AssignedCategory(hints[0], "page")
    return kind


def _assigned(kind: AssignedCategory) -> dict[str, str | None]:
    """Return a category as the fields of a document."""
    return {"category": kind.category, "category_by": None if kind.how == UNKNOWN else kind.how}


def open_web(
    search: WebSearch,
    cache: Path,
    rules: WebRules,
    categories: Path | None = None,
    encoders: Encoders | None = None,
    access: PageAccess | None = None,
) -> WebSource:
    """Return the web through a search engine; nothing is sent yet. Pages are cached for a day in `cache`.

    `categories` is a file of categories of hosts; `encoders` opens the models of methods that rank by meaning. With
    `access`, that and `search` are shared, and stay open when the source is closed. Raises StoreError.
    """
    sources = SourceClassifier(cache / "sources.db", own_table(categories) if categories else None)
    pages = access or PageAccess(cache)
    return WebSource(search, pages.fetcher, pages.reader, sources, rules, encoders, shared=access is not None)
