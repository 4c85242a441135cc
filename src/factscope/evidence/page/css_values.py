"""Values of CSS properties: lengths in pixels, colours, boxes. Nothing here raises on a value that it can't read."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from tinycss2 import parse_component_value_list, serialize
from tinycss2.color5 import Color, parse_color

T = TypeVar("T")
SCREEN = (1280.0, 800.0)
"""Width and height in pixels of the assumed screen."""
FONT = 16.0
"""Font size in pixels where none is stated."""

_PIXELS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54,
    "vw": SCREEN[0] / 100, "vi": SCREEN[0] / 100, "vmax": SCREEN[0] / 100, "vh": SCREEN[1] / 100,
    "vb": SCREEN[1] / 100, "vmin": SCREEN[1] / 100, "rem": FONT,
}  # fmt: skip
_OF_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5, "ic": 1.0, "lh": 1.2, "cap": 0.7, "rlh": 1.2}
_FONT_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "smaller": 13.0, "larger": 19.0,
}  # fmt: skip
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_BRACKET = re.compile(r"[(\[{]")
_LONGEST, _MAX_BRACKETS = 500, 20
"""Characters and brackets of a length; no honest style has more, and nested brackets exhaust the stack."""
_LIGHTEST = {"lab": 100.0, "lch": 100.0, "oklab": 1.0, "oklch": 1.0}
"""Lightness of white in colour spaces that are not converted."""
_WHITE_FROM = 0.97
"""Share of that lightness from which a colour counts as white, whatever its hue."""


class Colour(NamedTuple):
    """Red, green and blue from 0 to 255, and opacity from 0 to 1."""

    red: float
    green: float
    blue: float
    opacity: float = 1.0


WHITE, BLACK, CLEAR = Colour(255, 255, 255), Colour(0, 0, 0), Colour(0, 0, 0, 0)


@lru_cache(maxsize=5_000)
def length(value: str, font: float = FONT, full: float = SCREEN[0]) -> float | None:
    """Return the pixels of a length, a percentage of `full` or a sum of these.

    `None` for other values (`auto`, `inherit`).
    """
    if len(value) > _LONGEST or len(_BRACKET.findall(value)) > _MAX_BRACKETS:
        return None
    amount = _total(parse_component_value_list(value, skip_comments=True), font, full)
    return amount if amount is not None and math.isfinite(amount) else None


def font_size(value: str, parent: float) -> float | None:
    """Return the font size in pixels of an element whose parent has `parent` pixels."""
    value = value.strip().lower()
    return _FONT_SIZES[value] if value in _FONT_SIZES else length(value, parent, parent)


@lru_cache(maxsize=5_000)
def split(value: str, mark: str = " ") -> tuple[str, ...]:
    """Split a value at blanks or commas outside brackets and quotes; one with too many brackets stays whole."""
    pieces: list[list[Any]] = [[]]
    for token in parse_component_value_list(value, skip_comments=True):
        if token.type == "whitespace" if mark == " " else token == mark:
            pieces.append([])
        else:
            pieces[-1].append(token)
    try:
        return tuple(piece for tokens in pieces if (piece := serialize(tokens).strip()))
    except RecursionError:  # variables that are filled in nest deeper than any value of a sheet may
        return (value.strip(),)


def four_sides(sides: Sequence[T]) -> tuple[T, T, T, T]:
    """Return top, right, bottom and left of one to four sides, as CSS abbreviates them."""
    top, right, bottom, left = (sides[min(at, len(sides) - 1)] for at in range(4))
    return top, right, bottom if len(sides) > 2 else top, left if len(sides) > 3 else right


def arguments(value: str, name: str) -> list[str] | None:
    """Return the arguments of a function in a value, as in `inset(50%)`; `None` without that function."""
    if "(" not in value:
        return None
    match = re.search(rf"(?:^|[\s,])(?:{name})\(([^()]*(?:\([^()]*\)[^()]*)*)\)", value, re.IGNORECASE)
    return re.split(r"[\s,/]+", match[1].strip()) if match else None


@lru_cache(maxsize=2_000)
def colour(value: str) -> Colour | None:
    """Parse a colour; return `None` for an unknown colour, or for another value."""
    value = value.strip().lower()
    try:
        parsed = parse_color(value)
    except Exception:  # noqa: BLE001 - tinycss2 raises several errors on broken functions
        return None
    if parsed is None or isinstance(parsed, str):
        match = re.fullmatch(r"([a-z-]+)\((.*)\)", value, re.DOTALL)
        mixes = match is not None and (match[1] == "color-mix" or match[2].startswith("from "))
        return _mixed(match[2], every=match[1] == "color-mix") if match and mixes else None
    return _in_srgb(parsed)


def _in_srgb(parsed: Color) -> Colour | None:
    """Convert a colour to sRGB; in spaces without a conversion only white and black are recognised."""
    space, coordinates = parsed.space, [coordinate or 0.0 for coordinate in parsed.coordinates]
    if space == "srgb":
        rgb = coordinates
    elif space in {"hsl", "hwb"}:
        rgb = [channel or 0.0 for channel in parsed.to("srgb").coordinates]
    elif space in _LIGHTEST:
        share = coordinates[0] / _LIGHTEST[space]
        rgb = [1.0] * 3 if share >= _WHITE_FROM else [0.0] * 3 if share <= 1 - _WHITE_FROM else []
    else:
        rgb = []
    if not rgb:
        return CLEAR if parsed.alpha == 0 else None
    red, green, blue = (255 * min(1.0, max(0.0, channel)) for channel in rgb)
    return Colour(red, green, blue, parsed.alpha)


def _mixed(inside: str, every: bool) -> Colour | None:
    """Return the first of the colours in a mix; with `every`, only if all of them are equal."""
    words = re.findall(r"[a-z]+\([^()]*\)|#[0-9a-f]+|[a-z]+", inside)
    colours = [parsed for word in words if (parsed := colour(word)) is not None]
    return colours[0] if colours and not (every and len({*colours}) > 1) else None


def share(text: str, full: float = 1.0) -> float | None:
    """Return a number, or a percentage of `full`; `None` for other values."""
    text = re.sub(r"v[wh]$", "%", text.strip().lower())
    return length(text, FONT, full) if text else None


@lru_cache(maxsize=5_000)
def over(top: Colour, background: Colour) -> Colour:
    """Blend a translucent colour with the background."""
    share = top.opacity
    return Colour(*(share * a + (1 - share) * b for a, b in zip(top[:3], background[:3], strict=True)))


@lru_cache(maxsize=5_000)
def contrast(colour: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 (the same) to 21 (WCAG 2.2, "contrast ratio")."""
    high, low = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _total(tokens: Iterable[Any], font: float, full: float) -> float | None:
    """Return the value of a sum of products; None when it is not one."""
    terms: list[float] = []
    mark = "+"
    for token in tokens:
        if token.type == "whitespace":
            continue
        if token.type == "literal" and token.value in _OPERATIONS and not mark:
            mark = token.value
            continue
        amount = _amount(token, font, full)
        if amount is None or not mark or (mark == "/" and amount == 0):
            return None
        if mark in {"*", "/"}:
            terms[-1] = _OPERATIONS[mark](terms[-1], amount)
        else:
            terms.append(_OPERATIONS[mark](0.0, amount))
        mark = ""
    return None if mark else sum(terms)


def _amount(token: Any, font: float, full: float) -> float | None:
    """Return the value of a number with its unit, or of a function; None for an unknown one."""
    match token.type:
        case "number":
            return float(token.value)
        case "percentage":
            return float(token.value) * full / 100
        case "dimension":
            unit = re.sub(r"^[sld](?=v)", "", token.lower_unit)
            factor = font * _OF_FONT[unit] if unit in _OF_FONT else _PIXELS.get(unit)
            return None if factor is None else float(token.value) * factor
        case "() block":
            return _total(token.content, font, full)
        case "function":
            inner = split(serialize(token.arguments), ",")
            amounts = [amount for argument in inner if (amount := length(argument, font, full)) is not None]
            if not amounts or len(amounts) < len(inner):
                return None
            match token.lower_name:
                case "min":
                    return min(amounts)
                case "max":
                    return max(amounts)
                case "clamp" if len(amounts) == 3:
                    return max(amounts[0], min(amounts[1:]))
            return amounts[0]
    return None


def _luminance(colour: Colour) -> float:
    channels = (channel / 255 for channel in colour[:3])
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
