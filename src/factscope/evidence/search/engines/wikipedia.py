"""Wikipedia by its own interface, or another MediaWiki: `GET /w/api.php`, one request for a search.

The pages found come with their first section as plain text. A reply holds `query` {pages [{index, title, fullurl,
extract}]} unless nothing was found, or with status 200 an `error` {code, info}. Its operators ask for at most three
concurrent requests, an identifying `User-Agent`, `maxlag`, and pauses: see `API:Etiquette` on mediawiki.org.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from factscope.evidence.search.engine import SearchOptions, SearchPrice, SearchResults
from factscope.evidence.search.engine_registry import register_service
from factscope.evidence.search.http_engine import EngineRequest, EngineService
from factscope.evidence.search.reply_reading import hits, mapping, text
from factscope.evidence.search.search_errors import Kind, SearchError

_FAILURES: dict[str, Kind] = {"maxlag": "server", "ratelimited": "rate_limit", "readonly": "server"}
_LEAD = 1_500
"""Characters kept of the first section."""


def ask(query: str, options: SearchOptions) -> EngineRequest:
    """Return the request; `search` makes the list of pages, the rest selects the details to return."""
    values = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrsearch": query,
        "gsrnamespace": "0",
        "gsrlimit": str(min(options.n, WIKIPEDIA.most)),
        "prop": "extracts|info",
        "exintro": "1",
        "explaintext": "1",
        "exlimit": str(WIKIPEDIA.most),
        "inprop": "url",
        "maxlag": "5",
    }
    return EngineRequest(query=values)


def read(values: Mapping[str, Any], today: date) -> SearchResults:
    """Read a reply. Raises ValueError, SearchError."""
    if "error" in values:
        code, info = text(mapping(values["error"]).get("code")), text(mapping(values["error"]).get("info"))
        kind: Kind = "server" if code.startswith("internal_api_error") else _FAILURES.get(code, "bad_request")
        raise SearchError(kind, f"{code}: {info[:150]}")
    if "query" not in values and "batchcomplete" not in values:
        raise ValueError("it is not an answer to a query")
    pages = mapping(values.get("query")).get("pages", [])
    listed = list(pages.values()) if isinstance(pages, dict) else pages  # an object in older programs
    ordered = sorted(listed, key=_rank) if isinstance(listed, list) else listed
    hits_found = hits(ordered, today, "fullurl", "extract")
    return SearchResults(tuple(hit._replace(snippet=hit.snippet[:_LEAD].rstrip()) for hit in hits_found))


def _rank(page: object) -> float:
    """Return the position in the results; the reply itself is unordered."""
    index = mapping(page).get("index")
    return index if isinstance(index, int) else float("inf")


WIKIPEDIA = register_service(
    EngineService(
        name="wikipedia",
        title="Wikipedia",
        address="https://{language}.wikipedia.org",
        path="/w/api.php",
        ask=ask,
        read=read,
        addresses=("WIKIPEDIA_URL",),
        can=frozenset({"language"}),
        longest=(300, 100),
        in_flight=3,
        per_second=5,
        price=SearchPrice(0.0, "2026-11-21"),
        own_pages=True,
        refused="Say how you can be reached: WIKIPEDIA_CONTACT=name@example.org.",
        contact=("WIKIPEDIA_CONTACT",),
    )
)
