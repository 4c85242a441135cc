"""Media queries of style sheets, answered for the assumed screen (Media Queries, level 4)."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tinycss2 import parse_component_value_list, serialize

from factscope.evidence.page.css_values import SCREEN, length, split

_SIZES = {
    "width": SCREEN[0], "height": SCREEN[1], "aspect-ratio": SCREEN[0] / SCREEN[1], "resolution": 1.0,
    "pixel-ratio": 1.0, "color": 8.0, "color-index": 0.0, "monochrome": 0.0,
}  # fmt: skip
_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine",
    "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "scripting": "enabled",
    "update": "fast", "display-mode": "browser", "prefers-contrast": "no-preference", "grid": "0",
    "inverted-colors": "none", "forced-colors": "none", "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference", "color-gamut": "srgb", "dynamic-range": "standard",
    "overflow-block": "scroll", "overflow-inline": "scroll",
}  # fmt: skip
_FALSE = frozenset({"none", "no-preference", "0"})
"""Values of a feature that is false where it is named without a value."""
_SIZE = rf"(?:-webkit-)?(?P<bound>min-|max-)?(?:device-)?(?P<name>{'|'.join(_SIZES)})"
_SIZE_AT_MOST, _SIZE_IN_RANGE = (
    re.compile(_SIZE),
    re.compile(rf"(?:(.+?)\s*([<>]=?))?\s*{_SIZE}\s*(?:([<>]=?|=)\s*(.+))?"),
)
_UNIT = re.compile(r"([\d.]+)\s*(?:(dppx|x|dpi|dpcm)|/\s*([\d.]+))")
_DOTS = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_KEYWORDS = frozenset({"and", "or", "not", "only", "layer"})
_MAX_DEPTH = 16  # conditions inside conditions


@lru_cache(maxsize=1_000)
def holds(query: str) -> bool:
    """Return whether a media query is true for a screen of `SCREEN` without preferences.

    Unknown features, and queries that are not valid, are false.
    """
    return any(_holds(query_part) for query_part in split(query.lower(), ",")) if query.strip() else True


def _holds(query: str) -> bool:
    tokens = _tokens(parse_component_value_list(query, skip_comments=True))
    negated = _words(tokens[:1]) == ["not"]
    if _words(tokens[:1]) in (["not"], ["only"]) and _words(tokens[1:2]):
        del tokens[0]
    kind = "".join(_words(tokens[:1]))
    if kind in {"", "not"}:
        return _condition(tokens) is True
    if kind in _KEYWORDS or _words(tokens[1:2]) not in ([], ["and"]):
        return False
    condition = _condition(tokens[2:]) if len(tokens) > 1 else True
    if kind not in {"all", "screen"}:
        return negated
    return condition is not None and condition != negated


def _tokens(tokens: Sequence[Any]) -> list[Any]:
    return [token for token in tokens if token.type != "whitespace"]


def _words(tokens: Sequence[Any]) -> list[str]:
    return [token.lower_value for token in tokens if token.type == "ident"]


def _condition(tokens: Sequence[Any], depth: int = 0) -> bool | None:
    """Return whether features joined by "and" or by "or" are true; None for unknown ones, or what is not valid."""
    if _words(tokens[:1]) == ["not"]:
        value = _in_brackets(tokens[1], depth) if len(tokens[1:]) == 1 else None
        return None if value is None else not value
    words = {"".join(_words([token])) for token in tokens[1::2]}
    if len(tokens) % 2 == 0 or len(words) > 1 or not words <= {"and", "or"}:
        return None
    values = [_in_brackets(token, depth) for token in tokens[::2]]
    decides = words == {"or"}  # the value of one that decides about all
    return decides if decides in values else None if None in values else not decides


def _in_brackets(token: Any, depth: int) -> bool | None:
    if token.type != "() block" or depth > _MAX_DEPTH:
        return None
    tokens = _tokens(token.content)
    if tokens and (tokens[0].type == "() block" or _words(tokens[:1]) == ["not"]):
        return _condition(tokens, depth + 1)
    return _feature(serialize(token.content).strip())


def _feature(condition: str) -> bool | None:
    """Return whether one feature, such as `min-width: 600px`, has its value; None for an unknown one."""
    name, colon, value = (side.strip() for side in condition.partition(":"))
    if (size := _SIZE_AT_MOST.fullmatch(name)) and (colon or not size["bound"]):
        actual, limit = _SIZES[size["name"]], _number(value)
        if not colon:
            return actual > 0
        return None if limit is None else _COMPARE[{"min-": ">=", "max-": "<="}.get(size["bound"], "=")](actual, limit)
    if (size := _SIZE_IN_RANGE.fullmatch(condition)) and not size["bound"]:
        low, low_sign, _, _, high_sign, high = size.groups()
        pairs = [(low, low_sign, False), (high, high_sign, True)]
        limits = [(_number(text), sign, is_right) for text, sign, is_right in pairs if text]
        actual = _SIZES[size["name"]]
        return all(
            limit is not None and _COMPARE[sign](*((actual, limit) if is_right else (limit, actual)))
            for limit, sign, is_right in limits
        )
    if name not in _FEATURES:
        return None
    return value == _FEATURES[name] if colon else _FEATURES[name] not in _FALSE


def _number(value: str) -> float | None:
    """Return a length in pixels, a ratio or a resolution in dots for each pixel; None for another value."""
    if match := _UNIT.fullmatch(value):
        number = length(match[1]) or 0.0
        return number * _DOTS[match[2]] if match[2] else number / (length(match[3]) or 1.0)
    return length(value)
