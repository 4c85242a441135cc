"""Values of CSS properties: lengths in pixels, colours, boxes. Nothing here raises on a value that it can't read."""

from __future__ import annotations

import math
import re
from colorsys import hls_to_rgb
from typing import NamedTuple

SCREEN = (1280.0, 800.0)
"""Width and height, in pixels, of the screen on which a page is taken to be seen."""
FONT = 16.0
"""Pixels of a font whose size nothing states."""

_PIXELS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54,
    "vw": SCREEN[0] / 100, "vi": SCREEN[0] / 100, "vmax": SCREEN[0] / 100, "vh": SCREEN[1] / 100,
    "vb": SCREEN[1] / 100, "vmin": SCREEN[1] / 100, "rem": FONT, "": 1.0,
}  # fmt: skip
_OF_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5, "ic": 1.0, "lh": 1.2, "cap": 0.7, "rlh": 1.2}
_TOKEN = re.compile(r"\s*(?:([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([a-z%]*)|([a-z-]+\()|([-+*/(),]))", re.IGNORECASE)
_FONT_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "smaller": 13.0, "larger": 19.0,
}  # fmt: skip
_MOST_TOKENS = 100


class Colour(NamedTuple):
    """Red, green and blue from 0 to 255, and how opaque it is from 0 to 1."""

    red: float
    green: float
    blue: float
    opacity: float = 1.0


WHITE, BLACK, CLEAR = Colour(255, 255, 255), Colour(0, 0, 0), Colour(0, 0, 0, 0)


def length(value: str, font: float = FONT, whole: float = SCREEN[0]) -> float | None:
    """Pixels of a length, a percentage of `whole` or a sum of such; `None` for what is none (`auto`, `inherit`)."""
    tokens = _tokens(value)
    if not tokens:
        return None
    found, rest = _sum(tokens, font, whole)
    return found if not rest and found is not None and math.isfinite(found) else None


def lengths(value: str, font: float = FONT, whole: float = SCREEN[0]) -> list[float | None]:
    """The lengths that stand in a value one after the other, such as the four of `margin`."""
    return [length(part, font, whole) for part in split(value)]


def font_size(value: str, parent: float) -> float | None:
    """Pixels of a font in an element whose parent has one of `parent` pixels."""
    value = value.strip().lower()
    return _FONT_SIZES[value] if value in _FONT_SIZES else length(value, parent, parent)


def split(value: str, mark: str = " ") -> list[str]:
    """Parts of a value between blanks or commas that stand outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, letter in enumerate(value):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth = max(0, depth - 1)
        elif depth == 0 and (letter == mark or (mark == " " and letter.isspace())):
            parts.append(value[start:place].strip())
            start = place + 1
    return [part for part in [*parts, value[start:].strip()] if part]


def arguments(value: str, name: str) -> list[str] | None:
    """What a function in a value is given, as in `inset(50%)`; `None` when it is not there."""
    match = re.search(rf"(?:^|[\s,])(?:{name})\(([^()]*(?:\([^()]*\)[^()]*)*)\)", value, re.IGNORECASE)
    return re.split(r"[\s,/]+", match[1].strip()) if match else None


def colour(value: str) -> Colour | None:
    """The colour that a value states; `None` for one that is not known, or no colour."""
    value = value.strip().lower()
    if value.startswith("#"):
        return _hex(value[1:])
    match = re.fullmatch(r"([a-z-]+)\((.*)\)", value, re.DOTALL)
    if not match:
        return _NAMED.get(value)
    if match[1] in {"color-mix", "light-dark"} or match[2].startswith("from "):
        return _mixed(match[2], every=match[1] == "color-mix")
    given = [part for part in re.split(r"[\s,/]+", match[2].strip()) if part]
    if match[1] == "color" and given and given[0].startswith("srgb"):
        return _channels([f"{100 * float(part)}%" if _plain(part) else part for part in given[1:]])
    if match[1] in {"rgb", "rgba"}:
        return _channels(given)
    if match[1] in {"hsl", "hsla"}:
        return _hsl(given)
    return _hwb(given) if match[1] == "hwb" else _lightness(match[1], given)


def share(text: str, whole: float = 1.0) -> float | None:
    """A number, or a percentage of `whole`, which may be that of the screen; `None` for what is neither."""
    text = re.sub(r"v[wh]$", "%", text.strip().lower())
    return length(text, FONT, whole) if text else None


def over(top: Colour, ground: Colour) -> Colour:
    """What one sees of a colour that lets another through."""
    share = top.opacity
    return Colour(*(share * a + (1 - share) * b for a, b in zip(top[:3], ground[:3], strict=True)))


def contrast(one: Colour, other: Colour) -> float:
    """Ratio of luminances, from 1 (the same) to 21 (WCAG 2.2, "contrast ratio")."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _tokens(value: str) -> list[str]:
    tokens: list[str] = []
    place = 0
    while place < len(value.rstrip()):
        match = _TOKEN.match(value, place)
        if not match or len(tokens) > _MOST_TOKENS:
            return []
        tokens.append(match[0].strip().lower())
        # `3px -2px` in a sum is a subtraction.
        if match[1] and match[1][0] in "+-" and len(tokens) > 1 and re.match(r"[\d.)]", tokens[-2][-1:] or " "):
            tokens[-1:] = [match[1][0], tokens[-1][1:]]
        place = match.end()
    return tokens


def _sum(tokens: list[str], font: float, whole: float) -> tuple[float | None, list[str]]:
    total, rest = _product(tokens, font, whole)
    while rest and rest[0] in {"+", "-"}:
        more, rest_after = _product(rest[1:], font, whole)
        if total is None or more is None:
            return None, []
        total, rest = (total + more if rest[0] == "+" else total - more), rest_after
    return total, rest


def _product(tokens: list[str], font: float, whole: float) -> tuple[float | None, list[str]]:
    total, rest = _atom(tokens, font, whole)
    while rest and rest[0] in {"*", "/"}:
        more, rest_after = _atom(rest[1:], font, whole)
        if total is None or more is None or (rest[0] == "/" and more == 0):
            return None, []
        total, rest = (total * more if rest[0] == "*" else total / more), rest_after
    return total, rest


def _atom(tokens: list[str], font: float, whole: float) -> tuple[float | None, list[str]]:
    if not tokens:
        return None, []
    first, rest = tokens[0], tokens[1:]
    if not first.endswith("("):
        return _number(first, font, whole), rest
    found: list[float] = []
    while rest and rest[0] != ")":
        one, rest = _sum(rest, font, whole)
        if one is None:
            return None, []
        found.append(one)
        if rest and rest[0] == ",":
            rest = rest[1:]
    if not found:
        return None, []
    if first == "clamp(" and len(found) == 3:
        return max(found[0], min(found[1:])), rest[1:]
    return min(found) if first == "min(" else max(found) if first == "max(" else found[0], rest[1:]


def _number(token: str, font: float, whole: float) -> float | None:
    match = re.fullmatch(r"([-+]?[\d.]+(?:e[-+]?\d+)?)([a-z%]*)", token)
    if not match:
        return None
    unit = match[2]
    if unit[:1] in {"s", "l", "d"} and unit[1:] in {"vw", "vh", "vi", "vb", "vmin", "vmax"}:
        unit = unit[1:]
    factor = whole / 100 if unit == "%" else font * _OF_FONT[unit] if unit in _OF_FONT else _PIXELS.get(unit)
    return float(match[1]) * factor if factor is not None and _plain(match[1]) else None


def _plain(text: str) -> bool:
    return re.fullmatch(r"[-+]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:e[-+]?\d{1,2})?", text) is not None


def _hex(digits: str) -> Colour | None:
    if not re.fullmatch(r"[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}", digits):
        return None
    if len(digits) < 6:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue, *opacity = (int(digits[start : start + 2], 16) for start in range(0, len(digits), 2))
    return Colour(red, green, blue, opacity[0] / 255 if opacity else 1.0)


def _channel(text: str, whole: float = 1.0) -> float | None:
    """A number, or a percentage of `whole`."""
    if not _plain(text.removesuffix("%")):
        return 0.0 if text == "none" else None
    return float(text[:-1]) * whole / 100 if text.endswith("%") else float(text)


def _channels(given: list[str]) -> Colour | None:
    parts = [_channel(part, 255) for part in given[:3]]
    opacity = _channel(given[3]) if len(given) > 3 else 1.0
    if len(parts) < 3 or any(part is None for part in parts) or opacity is None:
        return None
    red, green, blue = (min(255.0, max(0.0, part or 0.0)) for part in parts)
    return Colour(red, green, blue, min(1.0, max(0.0, opacity)))


def _hsl(given: list[str]) -> Colour | None:
    hue = _channel(re.sub(r"deg$", "", given[0])) if given else None
    parts = [_channel(part if part.endswith("%") else f"{part}%") for part in given[1:3]]
    opacity = _channel(given[3]) if len(given) > 3 else 1.0
    if hue is None or len(parts) < 2 or parts[0] is None or parts[1] is None or opacity is None:
        return None
    red, green, blue = hls_to_rgb(hue / 360 % 1, min(1.0, max(0.0, parts[1])), min(1.0, max(0.0, parts[0])))
    return Colour(255 * red, 255 * green, 255 * blue, min(1.0, max(0.0, opacity)))


def _hwb(given: list[str]) -> Colour | None:
    """Greys only: whiteness and blackness that leave no room for the hue."""
    parts = [_channel(part) for part in given[1:3]]
    if len(parts) < 2 or parts[0] is None or parts[1] is None or parts[0] + parts[1] < 1:
        return None
    level = 255 * parts[0] / (parts[0] + parts[1])
    return Colour(level, level, level)


def _mixed(inside: str, every: bool) -> Colour | None:
    """The first of the colours that are mixed, chosen from or changed; `every`: only if all of them are alike."""
    words = re.findall(r"[a-z]+\([^()]*\)|#[0-9a-f]+|[a-z]+", inside)
    found = [one for word in words if (one := colour(word)) is not None]
    return found[0] if found and not (every and len({*found}) > 1) else None


def _lightness(space: str, given: list[str]) -> Colour | None:
    """White, black and what lets all through, in spaces that we do not convert from."""
    whole = {"lab": 100.0, "lch": 100.0, "oklab": 1.0, "oklch": 1.0}.get(space)
    light = _channel(given[0], whole) if whole and given else None
    opacity = _channel(given[3]) if len(given) > 3 else 1.0
    if light is None or whole is None or opacity is None:
        return None
    if opacity == 0:
        return CLEAR
    if light >= 0.97 * whole:
        return WHITE._replace(opacity=opacity)
    return BLACK._replace(opacity=opacity) if light <= 0.03 * whole else None


def _luminance(colour: Colour) -> float:
    parts = (part / 255 for part in colour[:3])
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# CSS Color Module Level 4, section 6.1.
_COLOURS = """
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
    black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue
    5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c
    cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey
    a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred
    8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
    darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
    dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
    ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080
    honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan
    e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
    lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
    lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon
    800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen
    3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
    midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace
    fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
    palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
    pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
    royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna
    a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
    springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
    violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 canvas ffffff
    canvastext 000000
"""
_NAMES = _COLOURS.split()
_NAMED: dict[str, Colour | None] = {
    "transparent": CLEAR,
    **{name: _hex(digits) for name, digits in zip(_NAMES[::2], _NAMES[1::2], strict=True)},
}
