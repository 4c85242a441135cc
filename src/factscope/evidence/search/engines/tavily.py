"""Tavily: `POST /search`.

A reply holds `results` [{url, title, content, score, published_date}]. Its `answer` is written by a model and is not
asked for: it is not evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from factscope.evidence.search.engine import SearchOptions, SearchPrice, SearchResults
from factscope.evidence.search.engine_registry import register_service
from factscope.evidence.search.http_engine import EngineRequest, EngineService
from factscope.evidence.search.reply_reading import hits


def ask(query: str, options: SearchOptions) -> EngineRequest:
    """Return the request for a basic search, which costs one credit."""
    body: dict[str, Any] = {
        "query": query,
        "max_results": min(options.n, TAVILY.most),
        "search_depth": "basic",
        "include_answer": False,
        "auto_parameters": False,
    }
    if options.published_after:
        body["start_date"] = options.published_after.isoformat()
    if options.published_before:
        body["end_date"] = options.published_before.isoformat()
    if options.exclude:
        body["exclude_domains"] = list(options.exclude[:150])
    return EngineRequest(body=body)


def read(values: Mapping[str, Any], today: date) -> SearchResults:
    """Read a reply. Raises ValueError."""
    return SearchResults(hits(values.get("results"), today, "url", "content", "published_date"))


TAVILY = register_service(
    EngineService(
        name="tavily",
        title="Tavily",
        address="https://api.tavily.com",
        path="/search",
        ask=ask,
        read=read,
        keys=("TAVILY_API_KEY",),
        addresses=("TAVILY_BASE_URL",),
        can=frozenset({"published_after", "published_before", "exclude"}),
        longest=(400, 100),
        in_flight=10,
        per_second=10,
        price=SearchPrice(8.0, "2026-11-21"),  # without a package
    )
)
