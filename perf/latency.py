"""Time of a check relative to its longest chain of waits, with slow services on the loopback interface.

    .venv/bin/python perf/latency.py [--method standard …] [--model 1.0 --search 0.3 --page 0.5]

Seven sentences, fifteen claims, three pages for each: the model takes 1.0 s for a call, the search 0.3 s, a page 0.5 s.
Real HTTP to servers in processes of their own; the model is the laboratory's stand-in, so the numbers are about our own
waiting and nothing else. Exits with 1 when the end, or the first verdict, comes later than 1.2 times its own chain.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from factscope.core.records import Document, Searched, Span
from factscope.evidence.results import FoundPassage, QueryResults

TEXT = (
    "The Marlow bridge was opened in 1931 and it has four arches and it carries two lanes. "
    "The town hall was finished in 1908 and it stands on the market square. "
    "The harbour was dug in 1850 and it was deepened in 1972 and it holds ninety boats. "
    "The lighthouse was built in 1868 and it is thirty metres high. "
    "The museum opened in 1990 and it shows old nets. "
    "The ferry leaves at noon and it takes forty minutes. "
    "The school was founded in 1921 and it has nine classes."
)
WITHIN = 1.2


def main() -> int:
    """Print, for each method, the times and their ratios to the chains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", nargs="*", default=["standard", "facts-and-evidence", "veriscore", "verify"])
    parser.add_argument("--model", type=float, default=1.0)
    parser.add_argument("--search", type=float, default=0.3)
    parser.add_argument("--page", type=float, default=0.5)
    asked = parser.parse_args()
    from tests import lab

    worst = 0.0
    print(f"{'method':20} {'claims':>6} {'end':>7} {'chain':>7} {'ratio':>6} {'first':>7} {'chain':>7} {'ratio':>6}")
    pages = [
        {"when": {"contains": "/search"}, "do": {"delay": asked.search}},
        {"do": {"delay": asked.page}},
    ]
    with lab.model_server([{"do": {"delay": asked.model}}]) as model, lab.web_server(pages) as web:
        for name in asked.method:
            claims, end, first, chains = asyncio.run(_measure(name, model, web.url, asked))
            ratios = end / max(chains), first / min(chains)
            worst = max(worst, *ratios)
            print(
                f"{name:20} {claims:6} {end:6.2f}s {max(chains):6.2f}s {ratios[0]:6.3f}"
                f" {first:6.2f}s {min(chains):6.2f}s {ratios[1]:6.3f}",
                flush=True,
            )
    return int(worst > WITHIN)


async def _measure(
    name: str, model: object, web: str, asked: argparse.Namespace
) -> tuple[int, float, float, list[float]]:
    from tests.lab.tools import models_for

    from factscope.engine import Tools, stream
    from factscope.engine.find_method import find_method

    source = Web(web)
    method = find_method(name)
    async with Tools(sources={"local": source}, models=models_for(model, timeout=60.0)) as tools:  # type: ignore[arg-type]
        began = time.monotonic()
        events, first = [], 0.0
        async for event in stream(TEXT, method, tools):
            events.append(event)
            if event.type == "verdict" and event.level == "claim" and not first and event.outcome != "not_checkable":
                first = time.monotonic() - began
        end = time.monotonic() - began
    await source.close()
    claims = [event.id for event in events if event.type == "claim" and event.skipped is None]
    rounds = {name: [e for e in events if e.type == "query" and e.claim_id == name] for name in claims}
    chains = [_chain(method, [(q.round, q.ended) for q in queries], asked) for queries in rounds.values()]
    return len(set(claims)), end, first, chains


def _chain(method: object, queries: Sequence[tuple[int, str | None]], asked: argparse.Namespace) -> float:
    """Seconds of waits, one after another, until the verdict on one claim."""
    from factscope.methods import Method

    assert isinstance(method, Method)
    before = 1 + bool(method.extract and method.extract.rewrite) + bool(method.extract and method.extract.relevant)
    rounds = len({number for number, _ in queries})
    planned = 0
    if method.evidence.queries:
        ended = any(why for _, why in queries)
        planned = rounds - (method.evidence.queries.begin_with == "claim") + ended
    return float((before + planned + 1) * asked.model + rounds * (asked.search + asked.page))


class Web:
    """A search engine and its pages over HTTP, as evidence: three results for a query, each page fetched and read."""

    asks = ()

    def __init__(self, url: str) -> None:
        import aiohttp

        self._url = url
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    @property
    def searched(self) -> Searched:
        """The record of the search."""
        return Searched(id="lab", n_documents=0, n_passages=0)

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def find(self, query: str, part: object, job: object) -> QueryResults:
        """The first paragraph of each page found."""
        async with self._session.post(f"{self._url}/search", json={"q": query}) as reply:
            links = [hit["link"] for hit in (await reply.json())["organic"]]
        return QueryResults(tuple(await asyncio.gather(*(self._page(link) for link in links))))

    async def _page(self, link: str) -> FoundPassage:
        async with self._session.get(link) as reply:
            text = (await reply.text()).partition("<p>")[2].partition("</p>")[0]
        digest = sha256(text.encode()).hexdigest()
        document = Document(id=f"d-{digest[:16]}", text=None, url=link, sha256=digest)
        return FoundPassage(document, Span(start=0, end=len(text)), text, 1.0)


if __name__ == "__main__":
    sys.exit(main())
