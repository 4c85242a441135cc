"""What a reader sees of an element, worked out from its style and that of the elements around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from factscope.evidence.page.sheets import Declaration
from factscope.evidence.page.values import (
    BLACK,
    CLEAR,
    FONT,
    SCREEN,
    WHITE,
    Colour,
    arguments,
    colour,
    contrast,
    font_size,
    length,
    lengths,
    over,
    split,
)  # fmt: skip

SMALLEST_FONT = 4.0
"""Pixels. Nobody reads smaller letters."""
LEAST_CONTRAST = 1.25
"""Letters that stand out less from their ground are not seen (readable text has 4.5: WCAG 2.2, criterion 1.4.3)."""
FAINTEST = 0.1
"""Opacity below which nothing is seen."""
NO_ROOM = 2.0
"""Pixels of width or height in which no letter fits."""
FAR = 900.0
"""Pixels off the screen to the left or above, at which nothing of a paragraph is seen."""
FARTHER = 3_000.0
"""The same to the right or below, where a page can be scrolled."""

_HIDDEN_AREA = 4.0
_MOST_VARIABLES = 500
_MOST_REPLACED = 20
_LONGEST_VALUE = 5_000


class Look(NamedTuple):
    """What an element hands on to those inside it."""

    font: float = FONT
    ink: Colour | None = BLACK
    """Colour of letters; `None` when it can't be told."""
    ground: Colour = WHITE
    """Colour behind them."""
    pictured: bool = False
    """Whether a picture lies over the ground, so that its colour is not certain."""
    visible: bool = True
    """`visibility`, which an inner element may set anew."""
    outdented: bool = False
    """Whether lines begin off the screen."""
    variables: Mapping[str, str] = {}
    readable: bool = True
    """Whether letters of the element's own can be read at all, but for their colour."""
    blends_in: bool = False
    """Whether letters have nearly the colour of their ground."""


def settle(stated: Iterable[Declaration], around: Look) -> tuple[dict[str, str], Mapping[str, str]]:
    """Values by property, the last one of each, with variables filled in and shorthands written out; the variables."""
    stated = list(stated)
    own = {name: value for name, value, _ in stated if name.startswith("--")}
    variables = {**around.variables, **own} if own and len(around.variables) < _MOST_VARIABLES else around.variables
    values: dict[str, str] = {}
    for name, value, _ in stated:
        if not name.startswith("--"):
            values.update(_longhands(name, _filled(value, variables).strip()))
    return values, variables


def look(values: Mapping[str, str], around: Look, variables: Mapping[str, str]) -> Look:
    """What an element with these values hands on."""
    font = around.font
    if "font-size" in values:
        stated = font_size(values["font-size"], around.font)
        font = stated if stated is not None else FONT if values["font-size"] in {"initial", "revert"} else font
    if "zoom" in values and (zoom := _share(values["zoom"])) is not None:
        font *= zoom
    outdented = around.outdented
    if "text-indent" in values:
        indent = length(values["text-indent"].split(" ")[0] if values["text-indent"] else "", font) or 0.0
        clipped = "hidden" in values.get("overflow", "") or "clip" in values.get("overflow", "")
        outdented = indent <= -FAR / 4 or indent >= FARTHER or (clipped and indent >= SCREEN[0])
    visible = around.visible
    if "visibility" in values:
        visible = (
            values["visibility"].lower() not in {"hidden", "collapse"}
            if not _inherits(values["visibility"])
            else visible
        )
    ink, ground, pictured = _colours(values, around)
    readable = visible and not outdented and font >= SMALLEST_FONT
    return Look(font, ink, ground, pictured, visible, outdented, variables, readable, _alike(ink, ground))


def _alike(ink: Colour | None, ground: Colour) -> bool:
    if ink is None:
        return False
    return ink.opacity < FAINTEST or contrast(over(ink, ground), ground) < LEAST_CONTRAST


def vanishes(values: Mapping[str, str], font: float) -> bool:
    """Whether an element is not shown, with all that is in it."""
    return (
        values.get("display", "").lower() == "none"
        or values.get("content-visibility", "").lower() == "hidden"
        or _faint(values)
        or _no_room(values, font)
        or _clipped_away(values, font)
        or _shrunk(values)
        or _off_screen(values, font)
        or _underneath(values)
    )


def covers(values: Mapping[str, str], ground: Colour | None) -> bool:
    """Whether an element lies over all of the one it is in, and lets nothing through."""
    if values.get("position", "") not in {"absolute", "fixed"} or ground is None or ground.opacity < 0.95:
        return False
    sides = [length(values[side]) for side in ("left", "top", "right", "bottom") if side in values]
    full = all(_share(values.get(size, ""), 100.0) == 100.0 for size in ("width", "height"))
    return all(side == 0 for side in sides) and (len(sides) == 4 or (full and len(sides) >= 2))


def own_ground(values: Mapping[str, str]) -> Colour | None:
    """The colour that an element itself is filled with."""
    return colour(values["background-color"]) if "background-color" in values else None


def _filled(value: str, variables: Mapping[str, str]) -> str:
    """A value with each `var(--x, instead)` replaced, also those in what replaces one."""
    for _ in range(_MOST_REPLACED):
        start = value.rfind("var(")
        if start < 0 or len(value) > _LONGEST_VALUE:
            break
        # The last one holds no other.
        name, comma, instead = value[start + 4 :].partition(")")[0].partition(",")
        end = start + 5 + len(name) + len(comma) + len(instead)
        value = value[:start] + variables.get(name.strip(), instead) + value[end:]
    return value


def _longhands(name: str, value: str) -> dict[str, str]:
    match name:
        case "background":
            return _background(value)
        case "font":
            sized = next((part for part in split(value) if font_size(part.split("/")[0], FONT) is not None), None)
            return {"font-size": sized.split("/")[0]} if sized else {}
        case "inset":
            sides = (split(value) * 4)[:4] if len(split(value)) in {1, 2} else (split(value) + split(value)[1:])[:4]
            return dict(zip(("top", "right", "bottom", "left"), sides, strict=False))
        case "margin":
            sides = split(value)
            return {"margin-top": sides[0], "margin-left": sides[-1 if len(sides) != 3 else 1]} if sides else {}
        case "overflow-x" | "overflow-y":
            return {"overflow": value}
        case "inset-inline-start" | "margin-inline-start":
            return {name.replace("inset-inline-start", "left").replace("-inline-start", "-left"): value}
        case "inset-block-start":
            return {"top": value}
        case "inline-size" | "max-inline-size" | "block-size" | "max-block-size":
            return {name.replace("inline-size", "width").replace("block-size", "height"): value}
        case "animation":
            return {"animation-name": value}
    return {name: value}


def _background(value: str) -> dict[str, str]:
    """Colour and picture of a `background`; one of two colours that are alike is as good as a plain colour."""
    found = {"background-color": "transparent", "background-image": "none"}
    for part in split(value.replace(",", " , ")) if "(" not in value else split(value):
        if part.lower() == "text":
            found["background-clip"] = "text"
        elif re.match(r"(?i)(?:url|[a-z-]*gradient|image-set|element|paint|cross-fade)\(", part):
            found["background-image"] = part
        elif colour(part) is not None:
            found["background-color"] = part
    return found


def _colours(values: Mapping[str, str], around: Look) -> tuple[Colour | None, Colour, bool]:
    ground, pictured = around.ground, around.pictured
    fill = own_ground(values)
    if fill is not None and fill.opacity > 0:
        ground = over(fill, ground)
        pictured = pictured and fill.opacity < 0.95
    image = values.get("background-image", "none")
    if image.lower() != "none":
        middle = _gradient(image)
        ground, pictured = (over(middle, ground), False) if middle else (ground, True)
    ink = around.ink
    stated = values.get("text-fill-color", values.get("color"))
    if stated and stated.lower() not in {"currentcolor", "inherit", "unset"}:
        ink = BLACK if stated.lower() in {"initial", "revert"} else colour(stated)
        if ink is None and stated.lower() == values.get("background-color", "").lower():
            ink = CLEAR
    if values.get("background-clip", "").lower() == "text":
        # Letters cut out of the background: seen in its colours, on what lies behind.
        ink, ground, pictured = (fill if fill and fill.opacity else None), around.ground, around.pictured
    return ink, ground, pictured


def _gradient(image: str) -> Colour | None:
    """The middle of the colours of a gradient; `None` for another picture, or colours that are not known."""
    inside = re.search(r"gradient\((.*)\)", image, re.DOTALL | re.IGNORECASE)
    if not inside:
        return None
    stops = [colour(re.sub(r"\s+[-\d.]+(?:%|px)?$", "", part)) for part in split(inside[1], ",")]
    known = [stop for stop in stops if stop is not None]
    if len(known) < 2 or len(stops) - len(known) > 1:
        return None
    return Colour(*(sum(parts) / len(known) for parts in zip(*known, strict=True)))


def _faint(values: Mapping[str, str]) -> bool:
    opacity = _share(values.get("opacity", ""))
    if opacity is not None and opacity < FAINTEST:
        return True
    given = arguments(values.get("filter", ""), "opacity")
    share = _share(given[0]) if given else None
    return share is not None and share < FAINTEST


def _no_room(values: Mapping[str, str], font: float) -> bool:
    clipped = any(word in values.get("overflow", "").lower() for word in ("hidden", "clip", "auto", "scroll"))
    for size, whole in (("width", SCREEN[0]), ("height", SCREEN[1]), ("line-height", font)):
        for name in (size, f"max-{size}"):
            room = length(values[name], font, whole) if name in values else None
            unitless = name == "line-height" and room is not None and re.fullmatch(r"[\d.]+", values[name])
            if room is not None and clipped and (room * font if unitless else room) <= NO_ROOM:
                return True
    return False


def _clipped_away(values: Mapping[str, str], font: float) -> bool:
    box = arguments(values.get("clip", ""), "rect")
    if box and len(box) == 4:
        top, right, bottom, left = (length(side, font) for side in box)
        high = bottom - top if top is not None and bottom is not None else FAR
        wide = right - left if right is not None and left is not None else FAR
        return min(high, wide) <= NO_ROOM
    path = values.get("clip-path", "")
    if given := arguments(path, "inset"):
        sides = [length(side, font, 100.0) if side.endswith("%") else 0.0 for side in given if side != "round"]
        top, right, bottom, left = ((sides * 4)[:4] if len(sides) < 3 else (sides + sides[1:])[:4]) or [0.0] * 4
        return (top or 0) + (bottom or 0) >= 98 or (left or 0) + (right or 0) >= 98
    if given := arguments(path, "circle|ellipse"):
        radii = [length(part, font, 100.0) for part in given[:2] if part != "at"]
        return any(radius is not None and radius <= NO_ROOM for radius in radii)
    if (given := arguments(path, "polygon")) is not None:
        points = [length(part, font, 100.0) or 0.0 for part in given if part not in {"evenodd", "nonzero", ""}]
        across, down = points[::2] or [0.0], points[1::2] or [0.0]
        return (max(across) - min(across)) * (max(down) - min(down)) <= _HIDDEN_AREA
    return False


def _shrunk(values: Mapping[str, str]) -> bool:
    """Scaled to nothing, or turned so that one looks at its edge."""
    transform = values.get("transform", "")
    scales = [_share(part) for part in split(values.get("scale", "")) if part != "none"]
    for name in ("scale", "scalex", "scaley", "scale3d"):
        scales += [_share(part) for part in arguments(transform, name) or ()]
    matrix = arguments(transform, "matrix")
    if matrix and len(matrix) == 6:
        a, b, c, d = (_share(part) or 0.0 for part in matrix[:4])
        scales.append(abs(a * d - b * c))
    turned = [arguments(transform, name) for name in ("rotatex", "rotatey")]
    edgewise = any(given and re.fullmatch(r"-?(?:90|270)deg|-?0?\.[27]5turn", given[0]) for given in turned)
    rotate = re.fullmatch(r"(?:[xy]|1 0 0|0 1 0)\s+-?(?:90|270)deg", values.get("rotate", ""))
    return edgewise or rotate is not None or any(scale is not None and abs(scale) < FAINTEST for scale in scales)


def _off_screen(values: Mapping[str, str], font: float) -> bool:
    near = [values.get(name) for name in ("margin-left", "margin-top")]
    far: list[str | None] = []
    placed = values.get("position", "").lower()
    if placed in {"absolute", "fixed", "relative", "sticky"}:
        near += [values.get(name) for name in ("left", "top")]
        far += [values.get(name) for name in ("right", "bottom")]
    moved = values.get("translate", "")
    transform = values.get("transform", "")
    shifts = split(moved) if moved != "none" else []
    for name in ("translate", "translatex", "translatey", "translate3d"):
        shifts += arguments(transform, name) or []
    shifted = [length(part, font, 200.0) for part in shifts]
    starts = [length(value, font) for value in near if value]
    ends = [length(value, font) for value in far if value]
    return (
        any(at is not None and (at <= -FAR or at >= FARTHER) for at in [*starts, *shifted])
        or any(at is not None and (at <= -FAR or at >= FARTHER) for at in ends)
        or (
            placed == "fixed"
            and any(
                _share(values.get(side, ""), 100.0) == 100.0 and values[side].endswith(("%", "vw", "vh"))
                for side in ("left", "top", "right", "bottom")
            )
        )
    )


def _underneath(values: Mapping[str, str]) -> bool:
    placed = values.get("position", "").lower() in {"absolute", "fixed", "relative", "sticky"}
    return placed and re.fullmatch(r"-\d{1,12}", values.get("z-index", "")) is not None


def _share(text: str, whole: float = 1.0) -> float | None:
    """A number, or a percentage of `whole`; also as `vw` or `vh` of 100."""
    found = length(re.sub(r"v[wh]$", "%", text.strip().lower()), FONT, whole)
    return found if text.strip() else None


def _inherits(value: str) -> bool:
    return value.lower() in {"inherit", "unset"}


__all__ = ["CLEAR", "Look", "covers", "lengths", "look", "own_ground", "settle", "vanishes"]
