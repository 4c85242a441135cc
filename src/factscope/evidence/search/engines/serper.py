"""Google's results by Serper (serper.dev): `POST /search`.

A reply holds `searchParameters`, `organic` [title, link, snippet, date, position, attributes], and sometimes
`answerBox` {title, link, answer, snippet, snippetHighlighted} and `knowledgeGraph` {title, type, description,
descriptionLink, website, attributes}.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from factscope.evidence.search.engine import DirectAnswer, SearchOptions, SearchPrice, SearchResults
from factscope.evidence.search.engine_registry import register_service
from factscope.evidence.search.http_engine import EngineRequest, EngineService, without_sites
from factscope.evidence.search.reply_reading import direct, facts, hits, items, mapping, pairs, text


def ask(query: str, options: SearchOptions) -> EngineRequest:
    """Return the request for up to ten results: a second page would cost another credit."""
    body: dict[str, Any] = {"q": without_sites(query, options.exclude), "num": min(options.n, SERPER.most)}
    if options.language:
        body["hl"] = options.language.lower()
    if options.region:
        body["gl"] = options.region.lower()
    after, before = options.published_after, options.published_before
    if after or before:
        bounds = [f"cd_{end}:{d.month}/{d.day}/{d.year}" for end, d in (("min", after), ("max", before)) if d]
        body["tbs"] = ",".join(["cdr:1", *bounds])
    return EngineRequest(body=body)


def read(values: Mapping[str, Any], today: date) -> SearchResults:
    """Read a reply. Raises ValueError."""
    organic = values.get("organic")
    if organic is None and "searchParameters" in values:
        organic = []  # Google found nothing
    answer, knowledge = _answer(mapping(values.get("answerBox"))), _knowledge(mapping(values.get("knowledgeGraph")))
    return SearchResults(hits(organic, today, "link", "snippet", "date"), (*answer, *knowledge))


def _answer(box: Mapping[str, Any]) -> tuple[DirectAnswer, ...]:
    marked = box.get("snippetHighlighted")
    texts = [text(box.get("answer")), text(box.get("snippet")), *(text(each) for each in items(marked)), text(marked)]
    return direct("answer", texts, box.get("link"))


def _knowledge(graph: Mapping[str, Any]) -> tuple[DirectAnswer, ...]:
    title, kind = text(graph.get("title")), text(graph.get("type"))
    texts = [f"{title}: {kind}." if title and kind else "", text(graph.get("description"))]
    return direct("knowledge", [*texts, *facts(title, pairs(graph.get("attributes")))], graph.get("descriptionLink"))


SERPER = register_service(
    EngineService(
        name="serper",
        title="Serper",
        address="https://google.serper.dev",
        path="/search",
        ask=ask,
        read=read,
        keys=("SERPER_API_KEY",),
        key_header="X-API-KEY",
        addresses=("SERPER_BASE_URL",),
        can=frozenset({"language", "region", "published_after", "published_before", "exclude"}),
        most=10,
        longest=(2000, 300),
        in_flight=32,
        per_second=50,  # the smallest package
        price=SearchPrice(1.0, "2026-08-13"),
        codes={"Not enough credits": "quota"},  # comes with status 400
    )
)
