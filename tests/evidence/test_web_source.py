"""The web as a source: pages are parsed once, hosts take turns, and nobody waits for unneeded pages."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from factscope.core.records import Response
from factscope.evidence import NoEvidenceError, PageAccess, Sandbox, WebRules, WebSource, open_texts, page_document
from factscope.evidence.fetch import Fetcher
from factscope.evidence.page import open_reader
from factscope.evidence.search import EngineHit, EngineTraits, SearchOptions, SearchResults, WebSearch
from factscope.evidence.sources import SourceClassifier
from factscope.llm import CheckContext, Ledger
from factscope.methods import Evidence
from tests.lab.pages import Asked, Net, Page, site


class Listing:
    """A search engine that answers every query with the same addresses."""

    name = "listing"
    traits = EngineTraits()

    def __init__(self, urls: Sequence[str]) -> None:
        self.urls = urls

    async def search(self, query: str, options: SearchOptions) -> SearchResults:
        hits = (EngineHit(rank, url, f"Page {rank}", "") for rank, url in enumerate(self.urls, 1))
        return SearchResults(tuple(hits)[: options.n])

    async def close(self) -> None:
        pass


def answer(asked: Asked) -> Page:
    if asked.path == "/robots.txt":
        return Page(status=404)
    return Page(f"<title>{asked.path}</title><p>The bridge of {asked.host}{asked.path} opened in 1931.</p>".encode())


@asynccontextmanager
async def web(cache: Path, urls: Sequence[str], rules: WebRules | None = None) -> AsyncIterator[WebSource]:
    async with site(answer) as server:
        net = Net(server.port, server.port)
        fetcher = Fetcher(cache / "pages.db", resolve=net.resolve, open_socket=net.open_socket)
        source = WebSource(
            WebSearch(Listing(urls)), fetcher, open_reader(cache), SourceClassifier(), rules or WebRules()
        )
        yield source
        await source.close()


JOB = CheckContext(Response(text="The bridge opened."), (), lambda *events: None, None, Ledger())
SPEC = Evidence(source="web", results=3)


async def found(source: WebSource, query: str) -> list[str]:
    return sorted(passage.document.url or "" for passage in (await source.find(query, SPEC, JOB)).passages)


def test_a_page_is_one_document_whether_found_by_search_or_named(tmp_path: Path) -> None:
    url = "http://host.example/page"

    async def work() -> None:
        async with site(answer) as server, PageAccess(tmp_path) as access:
            net = Net(server.port, server.port)
            access.fetcher = Fetcher(tmp_path / "pages.db", resolve=net.resolve, open_socket=net.open_socket)
            source = WebSource(
                WebSearch(Listing([url])), access.fetcher, access.reader, SourceClassifier(), WebRules(), shared=True
            )
            (passage,) = (await source.find("the bridge", SPEC, JOB)).passages
            fetched, page = await access.read(url)
            assert page_document(page, fetched).id == passage.document.id

    asyncio.run(work())


def test_a_page_found_for_many_claims_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = [f"http://host{number}.example/page" for number in range(3)]
    parses = []
    parse = Sandbox.parse
    monkeypatch.setattr(Sandbox, "parse", lambda *args: parses.append(args) or parse(*args))  # type: ignore[func-returns-value]

    async def work() -> None:
        async with web(tmp_path, urls) as source:
            for results in await asyncio.gather(*(found(source, f"bridge {number}") for number in range(15))):
                assert results == urls

    asyncio.run(work())
    assert len(parses) == 3


@pytest.mark.medium
def test_other_hosts_come_before_a_second_page_of_one(tmp_path: Path) -> None:
    urls = [
        "http://a.example/1",
        "http://a.example/2",
        "http://b.example/1",
        "http://a.example/3",
        "http://c.example/1",
    ]

    async def work() -> None:
        async with web(tmp_path / "several", urls) as source:
            assert await found(source, "bridge") == [urls[0], urls[2], urls[4]]
        async with web(tmp_path / "one", [f"http://a.example/{number}" for number in range(5)]) as source:
            assert await found(source, "bridge") == [f"http://a.example/{number}" for number in range(3)]

    (tmp_path / "several").mkdir()
    (tmp_path / "one").mkdir()
    asyncio.run(work())


def test_the_rules_of_a_site_an_engine_searches_are_requested_during_the_search(tmp_path: Path) -> None:
    asked = asyncio.Event()

    class OwnSite(Listing):
        traits = EngineTraits(address="http://{language}.example", own_pages=True)

        async def search(self, query: str, options: SearchOptions) -> SearchResults:
            async with asyncio.timeout(30):
                await asked.wait()
            return await super().search(query, options)

    def told(request: Asked) -> Page:
        if request.path == "/robots.txt":
            asked.set()
        return answer(request)

    async def work() -> None:
        async with site(told) as server:
            net = Net(server.port, server.port)
            fetcher = Fetcher(tmp_path / "pages.db", resolve=net.resolve, open_socket=net.open_socket)
            search, rules = WebSearch(OwnSite(["http://de.example/1"])), WebRules(options=SearchOptions(language="de"))
            source = WebSource(search, fetcher, open_reader(tmp_path), SourceClassifier(), rules)
            assert await found(source, "bridge") == ["http://de.example/1"]
            assert server.asked("/robots.txt") == 1
            await source.close()

    asyncio.run(work())


def test_sources_of_an_excluded_category_are_not_fetched(tmp_path: Path) -> None:
    urls = ["http://de.wikipedia.org/wiki/A", "http://a.example/1", "http://b.example/1", "http://c.example/1"]

    async def work() -> None:
        async with web(tmp_path, urls, WebRules(without=("wiki",))) as source:
            assert await found(source, "bridge") == urls[1:]

    asyncio.run(work())


@pytest.mark.medium
def test_shared_page_access_outlives_a_single_source(tmp_path: Path) -> None:
    urls = [f"http://host{number}.example/page" for number in range(3)]

    async def work() -> None:
        async with site(answer) as server:
            net = Net(server.port, server.port)
            fetcher = Fetcher(None, resolve=net.resolve, open_socket=net.open_socket)
            search, reader = WebSearch(Listing(urls)), open_reader(tmp_path)
            for query in ("bridge", "bridge opened"):
                source = WebSource(search, fetcher, reader, SourceClassifier(), WebRules(), shared=True)
                assert await found(source, query) == urls
                await source.close()
            assert server.asked("/robots.txt") == len(urls)  # the second source already knows them
            await search.close()
            await fetcher.close()
            await reader.__aexit__(None, None, None)

    asyncio.run(work())


def test_an_evidence_address_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(NoEvidenceError) as raised:
        open_texts((), ("https://user:secret@lights.example/lens",), tmp_path)
    assert "https://lights.example/lens" in raised.value.message
    assert "user name" in raised.value.message
    assert "secret" not in raised.value.message
