"""Search engines, an encyclopaedia and the pages they link to.

Each engine has its own base address: `/serper`, `/brave`, `/tavily`, `/searxng` and `/wikipedia` (Serper's form is
also at `/search`, MediaWiki's at `/w/api.php`). Results follow from the query alone: pages `/page/WORD` for its longest
words, whose text names them. A query containing `answer` also gets what the engine gives besides pages.

Engines refuse as the real ones do: keys that begin with `bad`, overlong queries, too many results. More under `do` in
a script: `pages_at` is the address given for pages, in which `*` stands for the page's word; `fault` is `key`, `quota`,
`rate`, or a fault of one engine only: `maxlag`, `unresponsive`.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from .http import Answer, Asked, serve

_FIRST_DAY = date(2020, 1, 1)


class Query(NamedTuple):
    """A search as an engine of the laboratory reads it."""

    values: dict[str, Any]
    """The parameters or the JSON."""
    host: str
    headers: dict[str, str]

    def pages(self, text: str, most: int = 3) -> list[tuple[str, str, date]]:
        """Return words, addresses and publication dates of the pages found."""
        words = _words(text, most)
        hosts = [self.host.replace("*", quote(word).lower().replace("%", "")) for word in words]
        return [(word, f"{host}/page/{quote(word)}", _day(word)) for word, host in zip(words, hosts, strict=True)]


def respond(asked: Asked, do: dict[str, Any]) -> Answer:
    """Answer with search results, an encyclopaedia's answer, or a page."""
    parts = urlsplit(asked.path)
    host = do.get("pages_at") or f"http://{asked.headers.get('host', '127.0.0.1')}"
    values: dict[str, Any] = {name: each[0] for name, each in parse_qs(parts.query).items()}
    if asked.body:
        values |= json.loads(asked.body)
    query = Query(values, host, asked.headers)
    if parts.path in _ENGINES:
        return _ENGINES[parts.path](query, do)
    if parts.path == "/search":
        organic = [_organic(*page, rank) for rank, page in enumerate(query.pages(str(values.get("q", ""))), 1)]
        return _json({"searchParameters": {"q": values.get("q", "")}, "organic": organic})
    if parts.path == "/w/api.php":
        return _json(_encyclopaedia(values))
    if parts.path.startswith("/page/"):
        word = unquote(parts.path.removeprefix("/page/"))
        paragraphs = "".join(f"<p>{escape(_text(word))} Paragraph {number}.</p>" for number in range(1, 6))
        page = f"<!doctype html><html><head><title>About {escape(word)}</title></head><body><nav>Menu</nav>"
        page += f"<main><h1>About {escape(word)}</h1>{paragraphs}</main><footer>Imprint</footer></body></html>"
        return Answer(page.encode(), "text/html; charset=utf-8")
    return Answer(b"not here", "text/plain", 404)


def _serper(query: Query, do: dict[str, Any]) -> Answer:
    fault = _fault(query, do, "x-api-key")
    if fault:
        status, message = {
            "key": (403, "Unauthorized."),
            "quota": (400, "Not enough credits"),
            "rate": (429, "Too many requests"),
        }[fault]
        return _json({"message": message, "statusCode": status}, status)
    text = " ".join(word for word in query.values["q"].split() if not word.startswith("-site:"))
    found = [page for page in query.pages(text, query.values["num"]) if _in_range(query.values.get("tbs", ""), page[2])]
    values: dict[str, Any] = {
        "searchParameters": {"type": "search", "engine": "google", **query.values},
        "organic": [_organic(*page, rank) for rank, page in enumerate(found, 1)],
        "credits": 1,
    }
    if "answer" in text:
        word = found[0][0]
        values["answerBox"] = {
            "title": f"About {word}",
            "link": found[0][1],
            "answer": f"{word} it is",
            "snippet": f"{word} was\nopened",
            "snippetHighlighted": [f"{word} was"],
        }
        values["knowledgeGraph"] = {
            "title": word,
            "type": "Thing",
            "description": f"{word} is a thing.",
            "descriptionLink": found[0][1],
            "attributes": {"Height": "5 m", "Age": 3},
        }
    return _json(values)


def _organic(word: str, url: str, day: date, rank: int) -> dict[str, Any]:
    dated = {"date": day.strftime("%b %-d, %Y")} if rank > 1 else {}
    listed = {"attributes": {"Made of": "stone"}} if rank == 1 else {}
    return {"title": f"About {word}", "link": url, "snippet": _text(word), "position": rank, **dated, **listed}


def _in_range(tbs: str, day: date) -> bool:
    bounds = dict(part.split(":") for part in tbs.split(",") if part.startswith("cd_m"))
    ends = {name: date(int(y), int(m), int(d)) for name, (m, d, y) in ((n, v.split("/")) for n, v in bounds.items())}
    return ends.get("cd_min", date.min) <= day <= ends.get("cd_max", date.max)


def _brave(query: Query, do: dict[str, Any]) -> Answer:
    values, fault = query.values, _fault(query, do, "x-subscription-token")
    too_long = len(values["q"]) > 400 or len(values["q"].split()) > 50 or int(values["count"]) > 20
    if fault or too_long:
        status, code, meta = {
            "key": (422, "SUBSCRIPTION_TOKEN_INVALID", {"component": "authentication"}),
            "quota": (429, "QUOTA_LIMITED", {"component": "rate_limiter"}),
            "rate": (429, "RATE_LIMITED", {"plan": "Free", "quota_limit": 2000, "component": "rate_limiter"}),
            "": (422, "VALIDATION", {"errors": [{"loc": ["query", "q"], "input": values["q"], "msg": "too long"}]}),
        }[fault]
        error = {"id": "5d83", "status": status, "code": code, "detail": "As the code says.", "meta": meta}
        return _json({"type": "ErrorResponse", "error": error, "time": 1663072993}, status)
    after, _, before = values.get("freshness", "").partition("to")
    found = [
        page
        for page in query.pages(values["q"], int(values["count"]))
        if (after or "0") <= page[2].isoformat() <= (before or "9")
    ]
    reply: dict[str, Any] = {"type": "search", "query": {"original": values["q"]}}
    results = [
        {"title": f"About &amp; around {word}", "url": url, "description": f"<strong>{word}</strong> is known&#x27;",
         "page_age": f"{day}T10:00:00", "type": "search_result"}
        for word, url, day in found
    ]  # fmt: skip
    if results:
        reply["web"] = {"type": "search", "results": results}
    if "answer" in values["q"]:
        box = {"title": "Thing", "description": "A thing.", "long_desc": "A thing of stone.", "url": found[0][1]}
        reply["infobox"] = {"type": "graph", "results": [box | {"attributes": [["Height", "5 m"], ["odd"]]}]}
    return _json(reply)


def _tavily(query: Query, do: dict[str, Any]) -> Answer:
    values, fault = query.values, _fault(query, do, "authorization")
    too_long = len(values["query"]) > 400 or values["max_results"] > 20
    if fault or too_long:
        status, message = {
            "key": (401, "Unauthorized: missing or invalid API key."),
            "quota": (432, "This request exceeds your plan's set usage limit. Please upgrade your plan."),
            "rate": (429, "Your request has been blocked due to excessive requests."),
            "": (400, "Query is too long. Max query length is 400 characters."),
        }[fault]
        return _json({"detail": {"error": message}}, status)
    results = [
        {"title": f"About {word}", "url": url, "content": _text(word), "score": 0.9, "raw_content": None}
        for word, url, day in query.pages(values["query"], values["max_results"])
        if values.get("start_date", "0") <= day.isoformat() <= values.get("end_date", "9")
        and not any(site in url for site in values.get("exclude_domains", ()))
    ]
    return _json({"query": values["query"], "answer": None, "images": [], "results": results, "response_time": 0.1})


def _searxng(query: Query, do: dict[str, Any]) -> Answer:
    fault = do.get("fault", "")
    if query.values.get("format") != "json":
        return Answer(b"<html><body>results for people</body></html>", "text/html")
    if fault in ("key", "rate"):
        page = b"<html><title>403 Forbidden</title>" if fault == "key" else b"Too Many Requests"
        return Answer(page, "text/html", 403 if fault == "key" else 429)
    reply: dict[str, Any] = {
        "query": query.values["q"],
        "number_of_results": 0,
        "results": [
            {"title": f"About {word}", "url": url, "content": _text(word), "publishedDate": f"{day}T00:00:00",
             "engine": "lab", "engines": ["lab"], "positions": [1], "score": 1.0, "category": "general"}
            for word, url, day in query.pages(query.values["q"], 20)
        ],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [["startpage", "CAPTCHA"]],
    }  # fmt: skip
    if fault == "unresponsive":
        reply["results"] = []
    if "answer" in query.values["q"]:
        reply["answers"] = ["It is.", {"answer": "It was.", "url": f"{query.host}/page/was", "engine": "lab"}]
        listed = [{"label": "Height", "value": "5 m"}, {"label": "Map", "image": {"src": "x"}}]
        reply["infoboxes"] = [
            {"infobox": "Thing", "id": f"{query.host}/page/thing", "content": "A thing.", "attributes": listed}
        ]
    return _json(reply)


def _wikipedia(query: Query, do: dict[str, Any]) -> Answer:
    values = query.values
    if "factscope/" not in query.headers.get("user-agent", "") or do.get("fault") == "key":
        return Answer(b"Please respect our robot policy (T400119).", "text/plain", 403)
    if do.get("fault") == "maxlag":
        do["headers"] = {"Retry-After": do.get("retry_after", "5"), "X-Database-Lag": "7"}
        info = "Waiting for 10.64.32.40: 7.1 seconds lagged."
        return _json({"error": {"code": "maxlag", "info": info, "lag": 7.1}, "servedby": "mw1"})
    if len(values["gsrsearch"]) > 300:
        return _json({"error": {"code": "cirrussearch-query-too-long", "info": "Search request is longer than 300."}})
    pages = [
        {
            "pageid": rank,
            "ns": 0,
            "title": word,
            "index": rank,
            "extract": _text(word),
            "fullurl": f"{url}?title={word}",
        }
        for rank, (word, url, _) in enumerate(query.pages(values["gsrsearch"], int(values["gsrlimit"])), 1)
    ]
    found = {"query": {"pages": pages[::-1]}} if pages else {}
    return _json({"batchcomplete": True, **found})


_ENGINES: dict[str, Callable[[Query, dict[str, Any]], Answer]] = {
    "/serper/search": _serper,
    "/brave/res/v1/web/search": _brave,
    "/tavily/search": _tavily,
    "/searxng/search": _searxng,
    "/wikipedia/w/api.php": _wikipedia,
}


def _fault(query: Query, do: dict[str, Any], header: str) -> str:
    """Return the scripted fault, or `key` for a missing or bad key."""
    key = query.headers.get(header, "bad").removeprefix("Bearer ")
    return str(do.get("fault", "key" if key.startswith("bad") else ""))


def _json(values: object, status: int = 200) -> Answer:
    return Answer(json.dumps(values).encode(), status=status)


def _encyclopaedia(values: dict[str, str]) -> dict[str, Any]:
    if values.get("list") == "search":
        found = [{"title": word, "snippet": _text(word)} for word in _words(values.get("srsearch", ""))]
        return {"query": {"search": found}}
    titles = values.get("titles", "").split("|")
    return {"query": {"pages": [{"title": title, "extract": _text(title)} for title in titles]}}


def _words(query: str, most: int = 3) -> list[str]:
    """Return the longest words in the order of the query; none if it says `nothing`."""
    words = [] if "nothing" in query else re.findall(r"\w+", query)
    longest = sorted(dict.fromkeys(words), key=len, reverse=True)[:most]
    return [word for number, word in enumerate(words) if word in longest and word not in words[:number]]


def _day(word: str) -> date:
    """Derive a day from the word."""
    return _FIRST_DAY + timedelta(days=zlib.crc32(word.encode()) % 1500)


def _text(word: str) -> str:
    return f"{word} is well known here. Much has been written about {word} in this town."


if __name__ == "__main__":
    serve(respond)
