"""Readers for parts of an engine's reply, which is outside text: values of unexpected types are dropped."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import Any, Literal

from factscope.evidence.addresses import web_address
from factscope.evidence.decode import clean
from factscope.evidence.page.dates import iso_date
from factscope.evidence.search.engine import DirectAnswer, EngineHit

_LONGEST = 10_000  # characters of one text in a reply
_MOST_HITS, _MOST_ATTRIBUTES = 100, 50  # more are outside text without use
_TAG = re.compile(r"<[^<>]{0,300}>")
_AGO = re.compile(r"(\d{1,3}) (minute|min|hour|day|week)s? ago")
_DAYS = {"minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7}


def text(value: object) -> str:
    """Return words on one line, without control and invisible characters.

    Empty for a value that is neither text nor number. At most 10,000 characters.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value}" if math.isfinite(value) else ""
    if not isinstance(value, str):
        return ""
    return " ".join(clean(value[: 2 * _LONGEST]).text.split())[:_LONGEST].rstrip()


def marked_up(value: object) -> str:
    """Return the text of HTML: tags are removed, entities become characters."""
    return text(html.unescape(_TAG.sub("", value))) if isinstance(value, str) else text(value)


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value when it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value when it is a list, otherwise an empty one."""
    return value if isinstance(value, list) else []


def pairs(value: object) -> tuple[tuple[str, str], ...]:
    """Return the names and values of an object that are both text."""
    pairs_read = ((text(name), text(each)) for name, each in list(mapping(value).items())[:_MOST_ATTRIBUTES])
    return tuple((name, each) for name, each in pairs_read if name and each)


def direct(kind: Literal["answer", "knowledge"], texts: Iterable[str], url: object) -> tuple[DirectAnswer, ...]:
    """Return a text that the engine shows besides pages; none without words."""
    words = tuple(filter(None, texts))
    return (DirectAnswer(kind, words, web_address(url)),) if words else ()


def facts(title: str, values: Iterable[tuple[str, str]]) -> list[str]:
    """Return names and values of an entity as sentences."""
    return [f"{title} {name}: {value}.".strip() for name, value in values if name and value]


def hits(
    listed: object, today: date, url: str, snippet: str, published: str = "", words: Callable[[object], str] = text
) -> tuple[EngineHit, ...]:
    """Return a list as numbered hits.

    `url`, `snippet` and `published` are the engine's names of fields; `words` reads titles and snippets.

    Entries without an address are left out. Raises ValueError when `listed` is not a list, or nothing in it has an
    address.
    """
    if not isinstance(listed, list):
        raise ValueError("it contains no list of results")
    hits_made: list[EngineHit] = []
    for entry in map(mapping, listed[:_MOST_HITS]):
        if address := web_address(entry.get(url)):
            texts = words(entry.get("title")), words(entry.get(snippet))
            more = day(entry.get(published), today), pairs(entry.get("attributes"))
            hits_made.append(EngineHit(len(hits_made) + 1, address, *texts, *more))
    if listed and not hits_made:
        raise ValueError("none of its results has an address")
    return tuple(hits_made)


def day(value: object, today: date) -> str | None:
    """Return a day as engines write it, in ISO 8601; None when the exact day is not stated.

    Formats: ISO 8601, RFC 5322, `Mar 5, 2024`, `5 March 2024`, `yesterday` and `3 days ago`; hours ago are today.
    """
    date_text = text(value)[:80].lower()
    if date_text == "yesterday":
        return (today - timedelta(days=1)).isoformat()
    if ago := _AGO.fullmatch(date_text):
        return (today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])).isoformat()
    return iso_date(date_text) if isinstance(value, str) else None
