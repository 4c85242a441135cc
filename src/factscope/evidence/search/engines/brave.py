"""Brave Search: `GET /res/v1/web/search`.

A reply holds `type` ("search"), `web` {results [{title, url, description, page_age}]} unless nothing was found, and
sometimes `infobox` {results: one, or a list of {title, url, description, long_desc, attributes [[name, value]]}}.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from factscope.evidence.search.engine import DirectAnswer, SearchOptions, SearchPrice, SearchResults
from factscope.evidence.search.engine_registry import register_service
from factscope.evidence.search.http_engine import EngineRequest, EngineService
from factscope.evidence.search.reply_reading import direct, facts, hits, items, mapping, marked_up

_COUNTRIES = frozenset(
    (
        "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID", "IT", "JP", "KR", "MY",
        "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB", "US",
    )
)  # fmt: skip
_LANGUAGES = frozenset(
    (
        "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en", "en-gb", "et", "fi", "fr",
        "gl", "de", "gu", "he", "hi", "hu", "is", "it", "jp", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl",
        "pt-br", "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi",
    )
)  # fmt: skip
_NAMED_OTHERWISE = {"ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "pt": "pt-pt", "no": "nb"}


def ask(query: str, options: SearchOptions) -> EngineRequest:
    """Return the request, with spare results where some will be left out: a request costs the same for any number."""
    count = options.n * 2 if options.exclude else options.n
    values = {
        "q": query,
        "count": str(min(count, BRAVE.most)),
        "result_filter": "web,infobox",
        "text_decorations": "false",
        "spellcheck": "false",  # a corrected name is a different name
    }
    if options.region:
        values["country"] = options.region if options.region in _COUNTRIES else "ALL"
    if language := _language(options.language):
        values["search_lang"] = language
    if options.published_after or options.published_before:
        after = options.published_after or date(1970, 1, 1)
        before = options.published_before or datetime.now(UTC).date()
        values["freshness"] = f"{after}to{max(after, before)}"
    return EngineRequest(query=values)


def _language(tag: str | None) -> str | None:
    """Return Brave's name for a language; None when it has none."""
    tried = [tag.lower(), tag.lower().partition("-")[0]] if tag else []
    names = (_NAMED_OTHERWISE.get(each, each) for each in tried)
    return next((name for name in names if name in _LANGUAGES), None)


def read(values: Mapping[str, Any], today: date) -> SearchResults:
    """Read a reply. Raises ValueError."""
    web = values.get("web")
    if values.get("type") != "search" and not isinstance(web, dict):
        raise ValueError("it is not a search response")
    listed = mapping(web).get("results")
    hits_found = hits(listed, today, "url", "description", "page_age", marked_up) if web is not None else ()
    boxes = mapping(values.get("infobox")).get("results")
    return SearchResults(hits_found, tuple(each for box in items(boxes) or [boxes] for each in _infobox(mapping(box))))


def _infobox(box: Mapping[str, Any]) -> tuple[DirectAnswer, ...]:
    listed = [[marked_up(cell) for cell in items(pair)] for pair in items(box.get("attributes"))[:50]]
    attributes = facts(marked_up(box.get("title")), ((pair[0], pair[1]) for pair in listed if len(pair) == 2))
    texts = [marked_up(box.get("description")), marked_up(box.get("long_desc"))]
    return direct("knowledge", [*texts, *attributes], box.get("url"))


BRAVE = register_service(
    EngineService(
        name="brave",
        title="Brave Search",
        address="https://api.search.brave.com",
        path="/res/v1/web/search",
        ask=ask,
        read=read,
        keys=("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
        key_header="X-Subscription-Token",
        addresses=("BRAVE_BASE_URL",),
        can=frozenset({"language", "region", "published_after", "published_before"}),
        longest=(400, 50),
        in_flight=16,
        per_second=20,  # plans allow 50; the old free plan allows 1, and says so in its headers
        price=SearchPrice(5.0, "2026-09-12"),
        # A wrong key gets status 422, like a malformed request; the code distinguishes them.
        codes={
            "SUBSCRIPTION_TOKEN_INVALID": "auth",
            "SUBSCRIPTION_NOT_FOUND": "auth",
            "x-subscription-token": "auth",
            "OPTION_NOT_IN_PLAN": "auth",
            "QUOTA_LIMITED": "quota",
            "RATE_LIMITED": "rate_limit",
        },
    )
)
