"""Whether an element is hidden with all its content."""

from __future__ import annotations

import re
from collections.abc import Mapping

from factscope.evidence.page.computed_style import FAINTEST, FAR, FARTHER
from factscope.evidence.page.css_values import SCREEN, Colour, arguments, colour, length, share, split

NO_ROOM = 5.0
"""Pixels of width or height in which no letter fits."""
BLURRED = 6.0
"""Pixels of blur from which letters are unreadable."""
SQUEEZED = -0.6
"""Space between letters, in widths of the font, from which they overlap completely."""
_HIDDEN_AREA = 4.0  # square pixels; text in a smaller box is unreadable
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


def covers(values: Mapping[str, str], ground: Colour | None) -> bool:
    """Return whether an element covers its whole parent and is opaque."""
    if values.get("position", "") not in {"absolute", "fixed"} or ground is None or ground.opacity < 0.95:
        return False
    sides = [length(values[side]) for side in ("left", "top", "right", "bottom") if side in values]
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
    box = arguments(values.get("clip", ""), "rect")
    if box and len(box) == 4:
        top, right, bottom, left = (length(side, font) for side in box)
        high = bottom - top if top is not None and bottom is not None else FAR
        wide = right - left if right is not None and left is not None else FAR
        return min(high, wide) <= NO_ROOM
    path = values.get("clip-path", "")
    if inset := arguments(path, "inset"):
        sides = [length(side, font, 100.0) if side.endswith("%") else 0.0 for side in inset if side != "round"]
        top, right, bottom, left = ((sides * 4)[:4] if len(sides) < 3 else (sides + sides[1:])[:4]) or [0.0] * 4
        return (top or 0) + (bottom or 0) >= 98 or (left or 0) + (right or 0) >= 98
    if inset := arguments(path, "circle|ellipse"):
        radii = [length(edge, font, 100.0) for edge in inset[:2] if edge != "at"]
        return any(radius is not None and radius <= NO_ROOM for radius in radii)
    if (inset := arguments(path, "polygon")) is not None:
        points = [length(edge, font, 100.0) or 0.0 for edge in inset if edge not in {"evenodd", "nonzero", ""}]
        across, down = points[::2] or [0.0], points[1::2] or [0.0]
        return (max(across) - min(across)) * (max(down) - min(down)) <= _HIDDEN_AREA
    return False


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
    margins = [values.get(name) for name in ("margin-left", "margin-top")]
    far: list[str | None] = []
    placed = values.get("position", "").lower()
    if placed in {"absolute", "fixed", "relative", "sticky"}:
        margins += [values.get(name) for name in ("left", "top")]
        far += [values.get(name) for name in ("right", "bottom")]
    moved = values.get("translate", "")
    transform = values.get("transform", "")
    shifts = split(moved) if moved != "none" else []
    for name in ("translate", "translatex", "translatey", "translate3d"):
        shifts += arguments(transform, name) or []
    shifted = [length(shift, font, 200.0) for shift in shifts]
    starts = [length(value, font) for value in margins if value]
    ends = [length(value, font) for value in far if value]
    return (
        any(at is not None and (at <= -FAR or at >= FARTHER) for at in [*starts, *shifted])
        or any(at is not None and (at <= -FAR or at >= FARTHER) for at in ends)
        or (
            placed == "fixed"
            and any(
                share(values.get(side, ""), 100.0) == 100.0 and values[side].endswith(("%", "vw", "vh"))
                for side in ("left", "top", "right", "bottom")
            )
        )
    )


def _underneath(values: Mapping[str, str]) -> bool:
    placed = values.get("position", "").lower() in {"absolute", "fixed", "relative", "sticky"}
    return placed and re.fullmatch(r"-\d{1,12}", values.get("z-index", "")) is not None
