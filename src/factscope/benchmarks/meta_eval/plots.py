"""Small plots as inline SVG: no script, no library, in the colours of the page around them.

Coordinates are CSS pixels; values run from 0 to 1 unless a plot says otherwise. Every text is escaped and made inert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from factscope.core import many
from factscope.report.wording import clip, decimals, excerpt, inert
from factscope.scoring.confidence_calibration import Bin

_PLOT, _VALUE, _ROW, _TITLE = 290, 56, 36, 22
"""Of bars: the width of the plot, the room for a value, and the height of a row and of a heading. A name is above its
bar, so that the plot fits a phone."""
_SIDE = 4
"""Room at the left, for half of the first tick's number."""
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SQUARE, _EDGE, _RADIUS = 240, 44, 12
_WIDE, _HIGH, _LEFT, _TOP = 420, 260, 52, 24
"""Of a curve: its width and height, and the room at its left and above."""
_LINE, _NAME, _APART = 14, 180, 24.0
"""Room for the name of a line, down and across, and least room between the names of two points beside each other."""
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4")
_GRID_LINE = Markup('<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>')
_WHISKER_UP = Markup('<path class="whisker" d="M{0:.1f} {1:.1f}V{2:.1f}"/>')
_DOT = Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="{}"><title>{}</title></circle>')


_Height = Callable[[float], float]
_Places = list[tuple[float, float]]


class Bar(NamedTuple):
    """One value with its interval."""

    name: str
    value: float | None
    """`None` is shown as a dash."""
    low: float | None = None
    high: float | None = None


class PlotPoint(NamedTuple):
    """A value at its place on the axis below."""

    at: float
    bar: Bar
    low: float | None = None
    high: float | None = None


class Curve(NamedTuple):
    """Points that are joined."""

    name: str
    points: tuple[PlotPoint, ...]
    has_label: bool = True
    """Whether each point is named too."""


def bars(title: str, groups: Mapping[str, Sequence[Bar]]) -> Markup:
    """Return bars from 0 to 1 with their intervals as whiskers, in groups under their headings."""
    rows: list[Markup] = []
    y = 8
    for heading, group in groups.items():
        if heading:
            rows.append(_text(0, y + 14, heading, "t"))
            y += _TITLE
        for bar in group:
            rows.append(_bar(bar, y))
            y += _ROW
        y += 6 if heading else 0
    for tick in _TICKS:
        x = _SIDE + tick * _PLOT
        rows.insert(0, Markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="4" y2="{1}"/>').format(x, y))
        rows.append(_text(x, y + 16, f"{tick:g}", "a m"))
    return _svg(title, _SIDE + _PLOT + _VALUE, y + 24, rows)


_BAR = Markup('<rect class="bar" x="{}" y="{}" width="{:.1f}" height="12"/>')
_WHISKER_ACROSS = Markup('<path class="whisker" d="M{0:.1f} {2}H{1:.1f}M{0:.1f} {3}V{4}M{1:.1f} {3}V{4}"/>')
"""An interval across, with a short line at either end."""


def _bar(bar: Bar, y: int) -> Markup:
    name = _text(0, y + 14, excerpt(bar.name, 48), "")
    if bar.value is None:
        return name + _text(_SIDE, y + 28, "– undefined", "m")
    width = max(0.0, min(1.0, bar.value)) * _PLOT
    sections = name + _BAR.format(_SIDE, y + 18, width)
    if bar.low is not None and bar.high is not None:
        low, high = (_SIDE + max(0.0, min(1.0, end)) * _PLOT for end in (bar.low, bar.high))
        sections += _WHISKER_ACROSS.format(low, high, y + 24, y + 20, y + 28)
    return sections + _text(_SIDE + _PLOT + 8, y + 28, decimals(bar.value, 3), "")


def reliability(title: str, bins: Sequence[Bin], kind: str = "wrong") -> Markup:
    """Return a plot of the share that is `kind` over the stated probability; the diagonal is perfect confidence."""
    size, edge, top = _SQUARE, _EDGE, _RADIUS + 20
    most = max((group.n for group in bins), default=1) or 1
    pieces = [
        Markup('<rect class="frame" x="{0}" y="{2}" width="{1}" height="{1}"/>').format(edge, size, top),
        Markup('<line class="grid" x1="{0}" y1="{2}" x2="{1}" y2="{3}"/>').format(edge, edge + size, size + top, top),
    ]
    for group in bins:
        if group.stated is None or group.seen is None:
            continue
        x, y = edge + group.stated * size, top + (1 - group.seen) * size
        radius = 3 + (_RADIUS - 3) * (group.n / most) ** 0.5
        notes = f"stated {decimals(group.stated, 2)}, {kind} indeed {decimals(group.seen, 2)}, {many(group.n, 'unit')}"
        pieces.append(_DOT.format(x, y, f"{radius:.1f}", inert(notes)))
    for tick in (0.0, 0.5, 1.0):
        pieces.append(_text(edge + tick * size, size + top + 18, f"{tick:g}", "a m"))
        pieces.append(_text(edge - 8, top + 4 + (1 - tick) * size, f"{tick:g}", "e m"))
    pieces.append(_text(edge + size / 2, size + top + 36, "chance that is stated", "a m"))
    pieces.append(_text(0, 12, f"share that is {kind}", "m"))
    return _svg(title, edge + size + 20, size + top + 44, pieces)


def lines(
    title: str, axis: str, positions: Sequence[str], series: Mapping[str, Sequence[Bar]], top: float = 1.0
) -> Markup:
    """Return lines by their names: from 0 to `top`, a value for each place of the axis."""
    ticks = {number / max(1, len(positions) - 1): clip(name, 14) for number, name in enumerate(positions)}
    curves = [Curve(name, tuple(map(PlotPoint, ticks, points)), has_label=False) for name, points in series.items()]
    return curve(title, axis, "", curves, (0.0, top), ticks)


def curve(
    title: str,
    across: str,
    up: str,
    series: Sequence[Curve],
    ends: tuple[float, float] = (0.0, 1.0),
    ticks: Mapping[float, str] | None = None,
) -> Markup:
    """Return points with their intervals in both directions, joined from left to right; `across` runs from 0 to 1.

    `up` runs between `ends`; `ticks` are the names of places across. Lines differ in their dashes and by their names,
    at the right end of each.
    """

    def height(value: float) -> float:
        return _TOP + (1 - min(max(0.0, value - ends[0]), ends[1] - ends[0]) / (ends[1] - ends[0])) * _HIGH

    pieces = []
    for value in (ends[0] + tick * (ends[1] - ends[0]) for tick in _TICKS):
        pieces.append(_GRID_LINE.format(_LEFT, _LEFT + _WIDE, height(value)))
        pieces.append(_text(_LEFT - 8, height(value) + 4, f"{value:.3g}", "e m"))
    for at, place in ({tick: f"{tick:g}" for tick in _TICKS} if ticks is None else ticks).items():
        pieces.append(_text(_LEFT + at * _WIDE, _TOP + _HIGH + 18, place, "a m"))
    names: _Places = []
    for number, line in enumerate(series):
        pieces += _curve(line, number, height, ticks or {}, names)
    pieces.append(_text(_LEFT + _WIDE / 2, _TOP + _HIGH + 38, across, "a m"))
    pieces.append(_text(0, 12, up, "m"))
    return _svg(title, _LEFT + _WIDE + _NAME + 10, _TOP + _HIGH + 48, pieces)


def _curve(curve: Curve, number: int, height: _Height, ticks: Mapping[float, str], names: _Places) -> Iterator[Markup]:
    """Yield one line of a curve; `names` are the positions of other lines' names, which are kept free."""
    defined = sorted((point for point in curve.points if point.bar.value is not None), key=lambda point: point.at)
    if not defined:
        return
    at = [(_LEFT + point.at * _WIDE, height(point.bar.value or 0.0), point) for point in defined]
    listing = -_APART
    yield _joined(number, ((x, y) for x, y, _ in at))
    for x, y, point in at:
        if point.bar.low is not None and point.bar.high is not None:
            yield _WHISKER_UP.format(x, height(point.bar.low), height(point.bar.high))
        if point.low is not None and point.high is not None:
            sides = (_LEFT + end * _WIDE for end in (point.low, point.high))
            yield Markup('<path class="whisker" d="M{1:.1f} {0:.1f}H{2:.1f}"/>').format(y, *sides)
        place = ticks.get(point.at, decimals(point.at, 2))
        yield _DOT.format(x, y, 4, inert(f"{point.bar.name}: {decimals(point.bar.value or 0.0, 3)} at {place}"))
        if curve.has_label and x - listing >= _APART:
            listing = x
            above = y if point.bar.high is None else height(point.bar.high)
            yield _text(x, above - 7, clip(point.bar.name, 14), "a m")
    x, y = at[-1][0] + 10, at[-1][1] + 4
    while any(abs(x - left) < _NAME and abs(y - top) < _LINE for left, top in names):
        y += _LINE
    names.append((x, y))
    yield _text(x, y, clip(curve.name, 26), "")


def _joined(number: int, points: Iterable[tuple[float, float]]) -> Markup:
    """Return the line through some points, dashed by its number."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashes = _DASHES[number % len(_DASHES)]
    return Markup('<path class="line" stroke-dasharray="{}" d="{}"/>').format(dashes, path and f"M{path}")


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>').format(kind, x, y, inert(text))


def _svg(title: str, width: float, height: float, markups: Sequence[Markup]) -> Markup:
    """Return a drawing at its own size, which scrolls sideways on a narrow screen.

    Its words stay legible on a phone.
    """
    name = escape(inert(title))
    frame = Markup('<div class="scroll drawn" tabindex="0" role="group" aria-label="{0}">').format(name)
    head = Markup('<svg class="plot" role="img" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}"><title>{2}</title>')
    return frame + head.format(width, height, name) + Markup("").join(markups) + Markup("</svg></div>")
