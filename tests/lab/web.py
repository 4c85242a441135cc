"""A search engine (Serper's form), an encyclopaedia (MediaWiki's form) and the pages that both name.

What is found follows from the query alone: three pages `/page/WORD`, whose text names the query's words.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from .http import Answer, Asked, serve


def respond(asked: Asked, do: dict[str, Any]) -> Answer:
    """Search results, an encyclopaedia's answer, or a page."""
    parts = urlsplit(asked.path)
    host = f"http://{asked.headers.get('host', '127.0.0.1')}"
    values = {name: each[0] for name, each in parse_qs(parts.query).items()}
    if parts.path == "/search":
        query = str(json.loads(asked.body or b"{}").get("q", ""))
        organic = [
            {"title": f"About {word}", "link": f"{host}/page/{quote(word)}", "snippet": _text(word), "position": rank}
            for rank, word in enumerate(_words(query), 1)
        ]
        return Answer(json.dumps({"searchParameters": {"q": query}, "organic": organic}).encode())
    if parts.path == "/w/api.php":
        return Answer(json.dumps(_encyclopaedia(values)).encode())
    if parts.path.startswith("/page/"):
        word = unquote(parts.path.removeprefix("/page/"))
        paragraphs = "".join(f"<p>{escape(_text(word))} Paragraph {number}.</p>" for number in range(1, 6))
        page = f"<!doctype html><html><head><title>About {escape(word)}</title></head><body><nav>Menu</nav>"
        page += f"<main><h1>About {escape(word)}</h1>{paragraphs}</main><footer>Imprint</footer></body></html>"
        return Answer(page.encode(), "text/html; charset=utf-8")
    return Answer(b"not here", "text/plain", 404)


def _encyclopaedia(values: dict[str, str]) -> dict[str, Any]:
    if values.get("list") == "search":
        found = [{"title": word, "snippet": _text(word)} for word in _words(values.get("srsearch", ""))]
        return {"query": {"search": found}}
    titles = values.get("titles", "").split("|")
    return {"query": {"pages": [{"title": title, "extract": _text(title)} for title in titles]}}


def _words(query: str) -> list[str]:
    """The three longest words, in the order of the query."""
    words = re.findall(r"\w+", query)
    longest = sorted(set(words), key=len, reverse=True)[:3]
    return [word for number, word in enumerate(words) if word in longest and word not in words[:number]]


def _text(word: str) -> str:
    return f"{word} is well known here. Much has been written about {word} in this town."


if __name__ == "__main__":
    serve(respond)
