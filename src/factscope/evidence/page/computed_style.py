"""Computed style of an element: its appearance to a reader, from its own style and that of its ancestors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from factscope.evidence.page.css_values import (  # fmt: skip
    BLACK,
    CLEAR,
    FONT,
    SCREEN,
    WHITE,
    Colour,
    colour,
    contrast,
    font_size,
    four_sides,
    length,
    over,
    share,
    split,
)
from factscope.evidence.page.stylesheet import Declaration

SMALLEST_FONT = 4.0
"""Pixels. Smaller letters are unreadable."""
LEAST_CONTRAST = 1.25
"""Letters with less contrast to their background are unreadable (readable text has 4.5: WCAG 2.2, criterion 1.4.3)."""
FAINTEST = 0.1
"""Opacity below which text is invisible."""
OPAQUE = 0.95
"""Opacity of a background from which nothing behind it can be read: even black on white has then less contrast than
`LEAST_CONTRAST`."""
_ANYWHERE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "display": """none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row
            table-cell table-caption table-row-group table-header-group table-footer-group table-column list-item
            contents flow-root flow run-in ruby ruby-text math -webkit-box -webkit-inline-box
            -webkit-flex -ms-flexbox""",
        "visibility": "visible hidden collapse",
        "position": "static relative absolute fixed sticky -webkit-sticky",
        "overflow": "visible hidden clip scroll auto overlay",
        "content-visibility": "visible hidden auto",
        "backface-visibility": "visible hidden",
    }.items()
}
_SIZES = frozenset(
    {"width", "height", "max-width", "max-height", "left", "right", "top", "bottom", "margin-left", "margin-top",
     "line-height", "letter-spacing"}
)  # fmt: skip
_SIZE_WORDS = frozenset({"auto", "none", "normal", "min-content", "max-content", "fit-content", "stretch"})
_ALIASES = {
    "overflow-x": "overflow", "overflow-y": "overflow", "inset-inline-start": "left", "inset-block-start": "top",
    "margin-inline-start": "margin-left", "inline-size": "width", "block-size": "height",
    "max-inline-size": "max-width", "max-block-size": "max-height", "animation": "animation-name",
    "text-decoration": "text-decoration-line",
}  # fmt: skip
"""Properties that are read like others."""
FAR = 900.0
"""Pixels off the screen to the left or above, from which a paragraph is invisible."""
FARTHER = 3_000.0
"""The same to the right or below, where a page can be scrolled."""
_MOST_VARIABLES = 500  # custom properties of a hostile page
_MOST_REPLACED = 20  # rounds of replacement, as variables may refer to one another
_LONGEST_VALUE = 5_000  # characters of a value after variables are filled in


class InheritedStyle(NamedTuple):
    """Style that an element passes on to its children."""

    font: float = FONT
    foreground: Colour | None = BLACK
    """Colour of letters; `None` when unknown."""
    background: Colour = WHITE
    """Colour behind them."""
    pictured: bool = False
    """Whether a picture lies over the background, so that its colour is uncertain."""
    visible: bool = True
    """`visibility`, which a child may set again."""
    outdented: bool = False
    """Whether lines begin off the screen."""
    variables: Mapping[str, str] = {}
    readable: bool = True
    """Whether the element's own letters are readable, apart from their colour."""
    blends_in: bool = False
    """Whether letters have nearly the colour of their background."""


def settle(declarations: Iterable[Declaration], around: InheritedStyle) -> tuple[dict[str, str], Mapping[str, str]]:
    """Return the last value of each property, with variables and shorthands resolved; and the variables."""
    declarations = list(declarations)
    custom = {name: value for name, value, _ in declarations if name.startswith("--")}
    variables = (
        {**around.variables, **custom} if custom and len(around.variables) < _MOST_VARIABLES else around.variables
    )
    values: dict[str, str] = {}
    for name, value, _ in declarations:
        if name.startswith("--"):
            continue
        for longhand, computed in longhands(name, fill_variables(value, variables).strip().lower()).items():
            if _means_something(longhand, computed):
                values[longhand] = computed
            elif "var(" in value:
                # A value that is empty only after variables are filled in does not restore the earlier value.
                values.pop(longhand, None)
    return values, variables


def computed_style(values: Mapping[str, str], around: InheritedStyle, variables: Mapping[str, str]) -> InheritedStyle:
    """Compute the style that an element with these values passes on."""
    font = around.font
    if "font-size" in values:
        font_value = font_size(values["font-size"], around.font)
        font = font_value if font_value is not None else FONT if values["font-size"] in {"initial", "revert"} else font
    if "zoom" in values and (zoom := share(values["zoom"])) is not None:
        font *= zoom
    outdented = around.outdented
    if "text-indent" in values:
        indent = length(values["text-indent"].partition(" ")[0], font) or 0.0
        clipped = not {"hidden", "clip"}.isdisjoint(values.get("overflow", "").split())
        outdented = indent <= -FAR / 4 or indent >= FARTHER or (clipped and indent >= SCREEN[0])
    visibility = values.get("visibility", "inherit")
    visible = around.visible if visibility in {"inherit", "unset"} else visibility not in {"hidden", "collapse"}
    foreground, background, pictured = _colours(values, around)
    readable = visible and not outdented and font >= SMALLEST_FONT
    return InheritedStyle(
        font, foreground, background, pictured, visible, outdented, variables, readable, blends(foreground, background)
    )


def blends(foreground: Colour | None, background: Colour) -> bool:
    """Return whether letters can't be distinguished from their background."""
    if foreground is None:
        return False
    return foreground.opacity < FAINTEST or contrast(over(foreground, background), background) < LEAST_CONTRAST


def _means_something(name: str, value: str) -> bool:
    """Return whether a browser accepts a value for this property; it ignores others."""
    if value in _ANYWHERE:
        return True
    if name in _WORDS:
        return all(word in _WORDS[name] for word in value.split()) and bool(value)
    if name in {"color", "text-fill-color", "background-color"}:
        return colour(value) is not None or "(" in value or value == "currentcolor"
    if name == "opacity":
        return share(value) is not None
    if name == "font-size":
        return font_size(value, FONT) is not None
    if name in _SIZES:
        return length(value) is not None or value in _SIZE_WORDS or "(" in value
    return bool(value)


def fill_variables(value: str, variables: Mapping[str, str]) -> str:
    """Return a value with each `var(--x, fallback)` replaced, also inside fallbacks."""
    for _ in range(_MOST_REPLACED):
        start = value.rfind("var(")
        if start < 0 or len(value) > _LONGEST_VALUE:
            break
        # The last one contains no other.
        name, comma, instead = value[start + 4 :].partition(")")[0].partition(",")
        end = start + 5 + len(name) + len(comma) + len(instead)
        value = value[:start] + variables.get(name.strip(), instead) + value[end:]
    return value


def longhands(name: str, value: str) -> dict[str, str]:
    """Expand a shorthand into those of its properties that can hide text."""
    match name:
        case "background":
            return _background(value)
        case "font":
            sized = next((word for word in split(value) if font_size(word.split("/")[0], FONT) is not None), None)
            return {"font-size": sized.split("/")[0]} if sized else {}
        case "inset":
            sides = split(value)
            return dict(zip(("top", "right", "bottom", "left"), four_sides(sides), strict=True)) if sides else {}
        case "margin":
            sides = split(value)
            return dict(zip(("margin-top", "margin-left"), four_sides(sides)[::3], strict=True)) if sides else {}
    return {_ALIASES.get(name, name): value}


def _background(value: str) -> dict[str, str]:
    """Return the colour and picture of a `background`.

    A gradient of two similar colours counts as a plain colour.
    """
    longhand_values = {"background-color": "transparent", "background-image": "none"}
    for word in split(value.replace(",", " , ")) if "(" not in value else split(value):
        if word.lower() == "text":
            longhand_values["background-clip"] = "text"
        elif re.match(r"(?i)(?:url|[a-z-]*gradient|image-set|element|paint|cross-fade)\(", word):
            longhand_values["background-image"] = word
        elif colour(word) is not None:
            longhand_values["background-color"] = word
    return longhand_values


def _colours(values: Mapping[str, str], around: InheritedStyle) -> tuple[Colour | None, Colour, bool]:
    background, pictured = around.background, around.pictured
    fill = colour(values.get("background-color", ""))
    if fill is not None and fill.opacity > 0:
        background = over(fill, background)
        pictured = pictured and fill.opacity < OPAQUE
    image = values.get("background-image", "none")
    if image.lower() != "none":
        middle = _gradient(image)
        background, pictured = (over(middle, background), False) if middle else (background, True)
    foreground = around.foreground
    declared = values.get("text-fill-color", values.get("color"))
    if declared and declared.lower() not in {"currentcolor", "inherit", "unset"}:
        foreground = BLACK if declared.lower() in {"initial", "revert"} else colour(declared)
        if foreground is None and declared.lower() == values.get("background-color", "").lower():
            foreground = CLEAR
    if values.get("background-clip", "").lower() == "text":
        # Letters cut out of the background: they have its colours, on whatever is behind.
        foreground, background, pictured = (fill if fill and fill.opacity else None), around.background, around.pictured
    return foreground, background, pictured


def _gradient(image: str) -> Colour | None:
    """Return the middle of the colours of a gradient; `None` for another picture, or unknown colours."""
    inside = re.search(r"gradient\((.*)\)", image, re.DOTALL | re.IGNORECASE)
    if not inside:
        return None
    stops = [colour(re.sub(r"\s+[-\d.]+(?:%|px)?$", "", stop)) for stop in split(inside[1], ",")]
    known_stops = [stop for stop in stops if stop is not None]
    if len(known_stops) < 2 or len(stops) - len(known_stops) > 1:
        return None
    return Colour(*(sum(channels) / len(known_stops) for channels in zip(*known_stops, strict=True)))
