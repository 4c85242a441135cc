"""A SearXNG server of the user's own: `GET /search?format=json`.

A reply holds `results` [url, title, content, publishedDate], `answers` [text, or {answer, url}], `infoboxes` [{infobox,
id, content, attributes [{label, value}]}] and `unresponsive_engines` [[name, reason]]. Engines that block or fail are
named there and the status stays 200: no results and failing engines are a failure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from factscope.evidence.search.engine import DirectAnswer, SearchOptions, SearchPrice, SearchResults
from factscope.evidence.search.engine_registry import register_service
from factscope.evidence.search.http_engine import EngineRequest, EngineService
from factscope.evidence.search.reply_reading import direct, facts, hits, items, mapping, marked_up, text
from factscope.evidence.search.search_errors import SearchError

_MOST_DIRECT = 10  # answers besides pages that are read


def ask(query: str, options: SearchOptions) -> EngineRequest:
    """Return the request for one page of results, whatever the number requested."""
    values = {"q": query, "format": "json", "pageno": "1"}
    if options.language:
        base_language = options.language.partition("-")[0].lower()
        values["language"] = f"{base_language}-{options.region}" if options.region else options.language
    return EngineRequest(query=values)


def read(values: Mapping[str, Any], today: date) -> SearchResults:
    """Read a reply. Raises ValueError, SearchError."""
    hits_found = hits(values.get("results"), today, "url", "content", "publishedDate", marked_up)
    answers = [answer for each in items(values.get("answers"))[:_MOST_DIRECT] for answer in _answer(each)]
    boxes = [box for each in items(values.get("infoboxes"))[:_MOST_DIRECT] for box in _infobox(mapping(each))]
    results = SearchResults(hits_found, (*answers, *boxes))
    failed = [": ".join(filter(None, map(text, items(each)))) for each in items(values.get("unresponsive_engines"))[:5]]
    if failed and not any(results):
        raise SearchError("server", f"its engines do not answer ({', '.join(failed)[:150]})")
    return results


def _answer(value: object) -> tuple[DirectAnswer, ...]:
    words = marked_up(value) or marked_up(mapping(value).get("answer"))
    return direct("answer", [words], mapping(value).get("url"))


def _infobox(box: Mapping[str, Any]) -> tuple[DirectAnswer, ...]:
    listed = map(mapping, items(box.get("attributes"))[:50])
    attributes = [(marked_up(each.get("label")), marked_up(each.get("value"))) for each in listed]
    texts = [marked_up(box.get("content")), *facts(marked_up(box.get("infobox")), attributes)]
    return direct("knowledge", texts, box.get("id"))


SEARXNG = register_service(
    EngineService(
        name="searxng",
        title="SearXNG",
        address=None,
        path="/search",
        ask=ask,
        read=read,
        addresses=("SEARXNG_URL",),
        can=frozenset({"language"}),
        most=100,
        longest=(1000, 100),
        in_flight=4,
        per_second=4,  # the engines behind it block clients that send too fast
        price=SearchPrice(0.0, "2026-11-21"),
        refused="Let it answer in JSON (search.formats in its settings.yml), and our address pass its limiter.",
    )
)
