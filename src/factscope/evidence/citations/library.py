"""The lookup of the sources that a text cites; each gets a state, never a guess.

local file → recorded fetch → web, through the guarded fetcher (DOIs and arXiv ids by their public resolvers)

A circular source counts for nothing: the checked text itself, a copy of it, or a page based on it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any

from factscope.claims.citations.read_citations import Listed
from factscope.claims.citations.reference import Reference, identity
from factscope.claims.text.segments import sentences
from factscope.core import BoundaryError
from factscope.core.records import CitedSource, Response, Searched, SourceState
from factscope.evidence.citations.at_hand import AtHand, Recorded
from factscope.evidence.collection import Collection, in_memory, load_index
from factscope.evidence.fetch import FetchedPage, Fetcher, FetchError
from factscope.evidence.page.reader import PageReader, ReadError
from factscope.evidence.page_access import page_document, web_document
from factscope.evidence.results import HeldText, QueryResults
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence

COPIED = 0.5
"""Share of the text's sentences, word for word, from which a source counts as a copy of it."""
_FEWEST_COPIED = 3
"""Sentences; fewer may be a quotation."""
_FEWEST_WORDS = 6  # shorter sentences occur in many texts
_LONGEST = 200  # sentences of the text that are searched for
_TITLE = re.compile(r"\A\s*(?:#[ \t]+|<h1[^<>]*>)([^\n<]{12,200})")
_MARK = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)|\[[^\]\n]{1,40}\]|\([^()\n]*\d{4}[^()\n]*\)|[\W_]+")
_FEWEST_TITLE_WORDS = 3  # shorter titles belong to many works


def why_circular(response: Response, url: str | None, text: str) -> str | None:
    """Return why a source can't be evidence for a text, or None.

    A source is circular when it has the text's address, when it credits that address or the text's title as its origin,
    or when it contains at least half of the text's sentences and at least three.
    """
    if response.url and identity(url) == identity(response.url):
        return "it is this text itself"
    if response.url and _names_address(text, response.url):
        return f"it names this text, {response.url}, as its own source"
    title = _TITLE.match(response.text)
    listing = " ".join(title[1].split()).rstrip("#").strip() if title else ""
    if len(listing.split()) >= _FEWEST_TITLE_WORDS and re.search(
        rf"(?:source|according to|from|report|based on|via)\W{{0,3}}(?:\w+\W+){{0,4}}?{re.escape(listing)}",
        text,
        re.IGNORECASE,
    ):
        return f"it rests on this text, “{listing}”"
    folded = _folded(text)
    individual = [
        words
        for span in sentences(response.text)[:_LONGEST]
        if len((words := _folded(span.of(response.text))).split()) >= _FEWEST_WORDS
    ]
    copied = sum(words in folded for words in individual)
    if copied >= _FEWEST_COPIED and copied >= COPIED * len(individual):
        return f"it is a copy of this text: {copied} of {len(individual)} sentences stand in it word for word"
    return None


def _names_address(text: str, url: str) -> bool:
    """Return whether a text names this address, and not only a longer one that begins like it."""
    own_address = (identity(url) or "url:?").removeprefix("url:")
    return re.search(rf"(?<![\w@-]){re.escape(own_address)}(?!/?[\w?=&%-])", text, re.IGNORECASE) is not None


def _folded(text: str) -> str:
    return " ".join(_MARK.sub(" ", text).casefold().split())


DOI_RESOLVER = "https://doi.org/"
ARXIV_RESOLVERS = ("https://arxiv.org/pdf/", "https://arxiv.org/abs/")
"""The paper itself, otherwise its abstract."""
_GONE = (404, 410)  # the page is not there
_PAID = (401, 402)  # it requires a login or payment
_KEPT_OUT = (403, 407, 451)  # it refuses us
_FORBIDDEN = re.compile(r"robots\.txt of \S+ forbids it")  # a host that is gone only has no robots.txt to ask for


@dataclass(frozen=True)
class Resolved:
    """A source with its state."""

    source: CitedSource
    held: HeldText | None = None
    """Its document; None unless it was read."""
    recorded: Recorded | None = None
    """Its fetch, recorded so that it can be repeated without the web; None for a local source, or one without an
    address."""


@dataclass
class Library:
    """Local documents and the web, as a source of evidence. Belongs to one event loop; close it when done."""

    held: AtHand = field(default_factory=AtHand)
    fetcher: Fetcher | None = None
    """None when fetching is switched off."""
    reader: PageReader = field(default_factory=PageReader)
    doi_resolver: str = DOI_RESOLVER
    arxiv_resolvers: tuple[str, ...] = ARXIV_RESOLVERS
    fetched: dict[str, Recorded] = field(default_factory=dict)
    """Fetched pages, by address, for a recording."""
    asks: tuple[Ask, ...] = ()
    shared: bool = False
    """Whether fetcher and reader are also used by other sources, and so are not closed here."""
    _all: Collection | None = None
    _loading: asyncio.Future[None] | None = None

    @property
    def searched(self) -> Searched:
        """Description of the local documents; cited sources are described by the text."""
        digests = sorted(text.document.sha256 for text in self.held.texts)
        digests += sorted(item.model_dump_json() for item in self.held.recorded)
        digests += [repr(reference) for reference in self.held.references]
        way = "web" if self.fetcher else "offline"
        return Searched(
            id=f"cited-{way}-{sha256(chr(0).join(digests).encode()).hexdigest()[:8]}",
            n_documents=len(self.held.texts),
            n_passages=0,
            problems=tuple(map(str, self.held.problems)),
        )

    async def close(self) -> None:
        """Close connections and child processes."""
        if self.shared:
            return
        if self.fetcher:
            await self.fetcher.close()
        await self.reader.close()

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return the passages of all local documents that match `query`, best first."""
        if self._all is None and self.held.texts:
            self._all = await asyncio.to_thread(in_memory, self.held.texts)
        if self._all is None:
            return QueryResults()
        return QueryResults(await asyncio.to_thread(self._all.search, query, spec.passages))

    async def resolve(self, listed: Listed, response: Response) -> Resolved:
        """Look up a source: its text, or the reason why there is none. Never raises for a failure of one source."""
        reference = listed.reference
        if not listed.explained:
            return _absent(listed, "no_entry", f"no entry of the bibliography explains {reference.key!r}")
        if held := self.held.find(reference):
            return _read(listed, held, response, "evidence")
        if recorded := self.held.fetched(reference):
            return _from_recording(listed, recorded, response)
        requested = self._addresses(reference)
        if not requested:
            at = response.text.count("\n", 0, reference.span.start) + 1 if reference.span else None
            where = f", on line {at}," if at else ""
            missing = "names neither an address nor a DOI, and no evidence has its name, key or title: add its file"
            return _absent(listed, "no_address", f"its entry{where} {missing}")
        if self.fetcher is None:
            return _absent(listed, "not_fetched", "it is not among the local sources, and fetching is off")
        return await self._fetched(listed, requested, response, self.fetcher)

    def prepare(self, sources: Sequence[Listed]) -> None:
        """Start the page reader in advance if any of these sources is only on the web."""
        wanted = (one.reference for one in sources if one.explained and self._addresses(one.reference))
        if self.fetcher and any(not self.held.find(one) and not self.held.fetched(one) for one in wanted):
            self.reader.prepare()
        if self._loading is None and sources:
            self._loading = asyncio.ensure_future(asyncio.to_thread(load_index))

    def _addresses(self, reference: Reference) -> list[str]:
        """Return the addresses to try for a source, in order.

        These are the entry's links, otherwise the resolver of its DOI or id.
        """
        if reference.url and "://" in reference.url:
            return [reference.url]
        if reference.arxiv:
            return [f"{start}{reference.arxiv}" for start in self.arxiv_resolvers]
        return [self.doi_resolver + reference.doi] if reference.doi else []

    async def _fetched(self, listed: Listed, query: Sequence[str], response: Response, fetcher: Fetcher) -> Resolved:
        failures = []
        for address in query:
            try:
                fetched = await fetcher.fetch(address)
                page = await self.reader.read(fetched.content, fetched.content_type, fetched.charset, fetched.url)
            except BoundaryError as error:
                failures.append(error)
                continue
            held = HeldText(page_document(page, fetched), page.text)
            return self._kept(_read(listed, held, response, "web", _day(fetched)), listed)
        return self._kept(_absent(listed, *_outcome(listed.reference, failures[0])), listed)

    def _kept(self, resolved: Resolved, listed: Listed) -> Resolved:
        """Return the result, with the details that a recording needs."""
        text, reference, held = resolved.source, listed.reference, resolved.held
        about: dict[str, Any] = {"url": reference.url, "doi": reference.doi, "arxiv": reference.arxiv}
        about |= {"state": text.state, "reason": text.reason}
        if held:
            document = held.document
            about |= {"text": held.text, "title": document.title, "author": document.author}
            about |= {"published": document.published, "fetched_at": document.fetched_at, "modified": text.changed}
        recorded = Recorded(**about)
        self.fetched[identity(reference.url, reference.doi, reference.arxiv) or listed.id] = recorded
        return Resolved(text, held, recorded)


def _outcome(reference: Reference, error: BoundaryError) -> tuple[SourceState, str]:
    """Return the state of a source after a failed fetch, and the reason in words."""
    reason = error.message.partition(" was not fetched: ")[2] or error.message
    if isinstance(error, ReadError) or error.boundary == "read":
        kind = getattr(error, "kind", None)
        return ("paywalled" if kind == "paywall" else "dead" if kind == "error_page" else "unreadable"), reason
    status = error.status if isinstance(error, FetchError) else None
    if status in _GONE and reference.url is None:
        return "no_answer", f"its resolver does not know it: {reason}"
    if status in _PAID:
        return "paywalled", reason
    if status in _KEPT_OUT or _FORBIDDEN.search(reason):
        return "refused", reason
    if "it is not an HTML, PDF or plain text" in reason or "larger than" in reason:
        return "unreadable", reason
    return "dead", reason


def _day(fetched: FetchedPage) -> str | None:
    """Return the day on which a page was last changed; None if its server generates it for each visit."""
    try:
        day = parsedate_to_datetime(fetched.modified or "").date().isoformat()
    except (ValueError, TypeError):
        return None
    return day if day < fetched.fetched_at[:10] else None


def _from_recording(listed: Listed, recorded: Recorded, response: Response) -> Resolved:
    if recorded.state != "read" or not recorded.text:
        reason = recorded.reason or "the recording has no text of it"
        return _absent(listed, "unreadable" if recorded.state == "read" else recorded.state, reason)
    document = web_document(
        recorded.text,
        recorded.url,
        url=recorded.url or listed.reference.url,
        title=recorded.title,
        author=recorded.author,
        published=recorded.published,
        fetched_at=recorded.fetched_at,
    )
    return _read(listed, HeldText(document, recorded.text), response, "recording", recorded.modified)


def _read(listed: Listed, held: HeldText, response: Response, via: str, modified: str | None = None) -> Resolved:
    accessed = _date(listed.reference.accessed)
    changed = max(filter(None, (_date(modified), _date(held.document.published))), default=None)
    about: dict[str, Any] = {"state": "read", "via": via, "document_id": held.document.id}
    about |= {"changed": changed if accessed and changed and changed > accessed else None}
    about |= {"circular": why_circular(response, listed.reference.url or held.document.url, held.text)}
    return Resolved(_source(listed, **about, title=listed.reference.title or held.document.title), held)


def _absent(listed: Listed, state: SourceState, reason: str) -> Resolved:
    return Resolved(_source(listed, state=state, reason=reason, title=listed.reference.title))


def _source(listed: Listed, **about: Any) -> CitedSource:
    names = listed.reference
    fields: dict[str, Any] = {"key": names.key and names.key.lstrip("^"), "entry": names.entry, "span": names.span}
    fields |= {"authors": names.authors, "year": names.year, "url": names.url, "doi": names.doi, "arxiv": names.arxiv}
    return CitedSource(id=listed.id, accessed=_date(names.accessed), **fields, **about)


def _date(value: str | None) -> str | None:
    """Return the day of a date in ISO 8601; None if it is not a date."""
    try:
        return date.fromisoformat((value or "")[:10]).isoformat()
    except ValueError:
        return None
