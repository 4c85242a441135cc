"""Tests for computed values that hide an element with all its content, strike it out, or cover what is behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from factscope.evidence.page.computed_style import FAINTEST, FAR, FARTHER, OPAQUE
from factscope.evidence.page.css_values import SCREEN, arguments, colour, four_sides, length, share, split

NO_ROOM = 5.0
"""Pixels of width or height in which no letter fits."""
BLURRED = 6.0
"""Pixels of blur from which letters are unreadable."""
SQUEEZED = -0.6
"""Space between letters, in widths of the font, from which they overlap completely."""
_HIDDEN_AREA = 4.0  # square pixels; text in a smaller box is unreadable
_CUT_AWAY = 98.0
"""Percent that opposite sides cut off together, from which nothing is left: 2 % of 250 pixels are `NO_ROOM`."""
_SIDES = ("left", "top", "right", "bottom")
_POSITIONED = frozenset({"absolute", "fixed", "relative", "sticky"})
"""Values of `position` for which the sides and the layer of an element have an effect."""
_SCREENS = re.compile(r"\+?(\d{1,9}(?:\.\d{1,9})?)(?:%|[sld]?v[wh])")
"""Distance in percent of the screen."""
_BACKWARDS = frozenset({"180deg", "-180deg", "0.5turn", ".5turn"})


def vanishes(values: Mapping[str, str], font: float) -> bool:
    """Return whether an element is hidden with all its content."""
    return (
        values.get("display", "").lower() == "none"
        or values.get("content-visibility", "").lower() == "hidden"
        or _faint(values)
        or _no_room(values, font)
        or _clipped_away(values, font)
        or _shrunk(values)
        or _off_screen(values, font)
        or _underneath(values)
        or _masked(values)
        or values.get("grid-template-rows") == "0fr"
        or values.get("text-security", "none") != "none"
    )


def strikes(values: Mapping[str, str]) -> bool:
    """Return whether an element is struck out with all its content."""
    return "line-through" in values.get("text-decoration-line", "").split()


def covers(values: Mapping[str, str]) -> bool:
    """Return whether an element covers its whole parent and is opaque."""
    background = colour(values.get("background-color", ""))
    if values.get("position", "") not in {"absolute", "fixed"} or background is None or background.opacity < OPAQUE:
        return False
    sides = [length(values[side]) for side in _SIDES if side in values]
    full = all(share(values.get(size, ""), 100.0) == 100.0 for size in ("width", "height"))
    return all(side == 0 for side in sides) and (len(sides) == 4 or (full and len(sides) >= 2))


def _faint(values: Mapping[str, str]) -> bool:
    opacity = share(values.get("opacity", ""))
    if opacity is not None and opacity < FAINTEST:
        return True
    supplied = arguments(values.get("filter", ""), "opacity")
    faint = share(supplied[0]) if supplied else None
    blur = arguments(values.get("filter", ""), "blur")
    blurred = blur is not None and (length(blur[0]) or 0.0) >= BLURRED
    return blurred or (faint is not None and faint < FAINTEST)


def _masked(values: Mapping[str, str]) -> bool:
    """Return whether it is behind a mask that hides all of it."""
    gradient = re.search(r"gradient\((.*)\)", values.get("mask-image", values.get("mask", "")), re.DOTALL)
    stops = (
        [colour(stop.split(" ")[0] if "(" not in stop else stop) for stop in split(gradient[1], ",")]
        if gradient
        else []
    )
    known_stops = [stop for stop in stops if stop is not None]
    return bool(known_stops) and all(stop.opacity < FAINTEST for stop in known_stops)


def _no_room(values: Mapping[str, str], font: float) -> bool:
    clipped = any(word in values.get("overflow", "").lower() for word in ("hidden", "clip", "auto", "scroll"))
    spacing = length(values.get("letter-spacing", ""), font)
    if spacing is not None and spacing <= SQUEEZED * font:
        return True
    for size, full in (("width", SCREEN[0]), ("height", SCREEN[1]), ("line-height", font)):
        for name in (size, f"max-{size}"):
            room = length(values[name], font, full) if name in values else None
            unitless = name == "line-height" and room is not None and re.fullmatch(r"[\d.]+", values[name])
            if room is not None and clipped and (room * font if unitless else room) <= NO_ROOM:
                return True
    return False


def _clipped_away(values: Mapping[str, str], font: float) -> bool:
    """Return whether `clip` or `clip-path` cuts all of it away."""
    box = arguments(values.get("clip", ""), "rect")
    if box and len(box) == 4:
        return _is_empty_rectangle(box, font)
    path = values.get("clip-path", "")
    if inset := arguments(path, "inset"):
        return _is_empty_inset(inset, font)
    if radii := arguments(path, "circle|ellipse"):
        lengths = [length(radius, font, 100.0) for radius in radii[:2] if radius != "at"]
        return any(radius is not None and radius <= NO_ROOM for radius in lengths)
    if (corners := arguments(path, "polygon")) is not None:
        return _is_empty_polygon(corners, font)
    return False


def _is_empty_rectangle(sides: Sequence[str], font: float) -> bool:
    top, right, bottom, left = (length(side, font) for side in sides)
    height = bottom - top if top is not None and bottom is not None else FAR
    width = right - left if right is not None and left is not None else FAR
    return min(height, width) <= NO_ROOM


def _is_empty_inset(inset: Sequence[str], font: float) -> bool:
    """Return whether opposite sides meet. Only percentages count: the size of the element is not known."""
    sides = [(length(side, font, 100.0) or 0.0) if side.endswith("%") else 0.0 for side in inset if side != "round"]
    top, right, bottom, left = four_sides(sides or [0.0])
    return top + bottom >= _CUT_AWAY or left + right >= _CUT_AWAY


def _is_empty_polygon(corners: Sequence[str], font: float) -> bool:
    coordinates = [length(edge, font, 100.0) or 0.0 for edge in corners if edge not in {"evenodd", "nonzero", ""}]
    across, down = coordinates[::2] or [0.0], coordinates[1::2] or [0.0]
    return (max(across) - min(across)) * (max(down) - min(down)) <= _HIDDEN_AREA


def _shrunk(values: Mapping[str, str]) -> bool:
    """Return whether it is scaled to nothing, or turned edge-on."""
    transform = values.get("transform", "")
    scales = [share(factor) for factor in split(values.get("scale", "")) if factor != "none"]
    for name in ("scale", "scalex", "scaley", "scale3d"):
        scales += [share(factor) for factor in arguments(transform, name) or ()]
    matrix = arguments(transform, "matrix")
    if matrix and len(matrix) == 6:
        a, b, c, d = (share(factor) or 0.0 for factor in matrix[:4])
        scales.append(abs(a * d - b * c))
    turned = [arguments(transform, name) for name in ("rotatex", "rotatey")]
    away = values.get("backface-visibility") == "hidden" and any(turn and turn[0] in _BACKWARDS for turn in turned)
    edgewise = away or any(turn and re.fullmatch(r"-?(?:90|270)deg|-?0?\.[27]5turn", turn[0]) for turn in turned)
    rotate = re.fullmatch(r"(?:[xy]|1 0 0|0 1 0)\s+-?(?:90|270)deg", values.get("rotate", ""))
    return edgewise or rotate is not None or any(scale is not None and abs(scale) < FAINTEST for scale in scales)


def _off_screen(values: Mapping[str, str], font: float) -> bool:
    """Return whether it is placed or moved outside the screen."""
    names = ["margin-left", "margin-top"]
    position = values.get("position", "").lower()
    if position in _POSITIONED:
        names += [side for side in _SIDES if side != "bottom" or not _begins_at_its_top(values, font)]
    offsets = [length(values[name], font) for name in names if values.get(name)]
    translate = values.get("translate", "")
    shifts = [*split(translate)] if translate != "none" else []
    for function in ("translate", "translatex", "translatey", "translate3d"):
        shifts += arguments(values.get("transform", ""), function) or []
    offsets += [length(shift, font, 200.0) for shift in shifts]
    if any(offset is not None and (offset <= -FAR or offset >= FARTHER) for offset in offsets):
        return True
    return position == "fixed" and _never_scrolled_to(values, font)


def _begins_at_its_top(values: Mapping[str, str], font: float) -> bool:
    """Return whether an element's text begins where `top` says, so that `bottom` only stretches it."""
    display = values.get("display", "")
    return length(values.get("top", ""), font) is not None and "flex" not in display and "grid" not in display


def _never_scrolled_to(values: Mapping[str, str], font: float) -> bool:
    """Return whether a fixed element, which does not scroll with the page, is at least one screen away from its place.

    A side counts as above or below the screen only if the opposite side does not stretch the element back into it.
    """
    if any((away := _SCREENS.fullmatch(values.get(side, ""))) and float(away[1]) >= 100 for side in _SIDES):
        return True
    top, bottom = (length(values.get(side, ""), font, SCREEN[1]) for side in ("top", "bottom"))
    beyond = bottom if top is None else top if bottom is None else None
    return beyond is not None and beyond <= -SCREEN[1]


def _underneath(values: Mapping[str, str]) -> bool:
    is_positioned = values.get("position", "").lower() in _POSITIONED
    return is_positioned and re.fullmatch(r"-\d{1,12}", values.get("z-index", "")) is not None
