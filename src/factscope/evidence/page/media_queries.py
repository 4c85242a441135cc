"""Media queries of style sheets, answered for the assumed screen."""

from __future__ import annotations

import re
from functools import lru_cache

from factscope.evidence.page.css_values import SCREEN, length, split

_MEDIA = re.compile(r"\(([^()]*)\)")


@lru_cache(maxsize=1_000)
def holds(query: str) -> bool:
    """Return whether a media query is true for a screen of `SCREEN` without preferences; unknown features are false."""
    return any(_holds(query_part) for query_part in split(query.lower(), ",")) if query.strip() else True


def _holds(query: str) -> bool:
    query = query.strip()
    negated = query.startswith("not ")
    query = re.sub(r"^(?:not|only)\s+", "", query)
    kind = re.match(r"[a-z-]+", query)
    right = kind is None or kind[0] in {"all", "screen"}
    if " or " in query:
        return (right and any(map(_feature, _MEDIA.findall(query)))) != negated
    return (right and all(map(_feature, _MEDIA.findall(query)))) != negated


def _feature(condition: str) -> bool:
    """Return whether one feature of a query, such as `min-width: 600px`, holds."""
    condition = condition.strip()
    between = re.fullmatch(r"(?:(\S+)\s*(<=?)\s*)?(width|height)\s*(?:(<=?|>=?|=)\s*(\S+))?", condition)
    if between and (between[1] or between[5]):
        size = SCREEN[between[3] == "height"]
        low, high = length(between[1] or ""), length(between[5] or "")
        below = high is None or {"<": size <= high, ">": size >= high, "=": size == high}[(between[4] or "=")[0]]
        return (low is None or low <= size) and below
    name, _, value = (side.strip() for side in condition.partition(":"))
    bound = re.fullmatch(r"(min|max)-(?:device-)?(width|height)", name)
    if bound:
        size, limit = SCREEN[bound[2] == "height"], length(value)
        return limit is not None and (size >= limit if bound[1] == "min" else size <= limit)
    features = {
        "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine",
        "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "scripting": "enabled",
        "update": "fast", "display-mode": "browser", "prefers-contrast": "no-preference",
    }  # fmt: skip
    if name in features:
        return value in {"", features[name]}
    return name in {"color", "min-color", "width", "height"}
