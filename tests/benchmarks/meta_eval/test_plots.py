"""Plots of figures: every value is at its place in the drawing, and no outside text becomes markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.meta_eval import (
    Bar,
    Curve,
    PlotPoint,
    bars,
    curve,
    lines,
    reliability,
)
from factscope.scoring import Bin
from factscope.scoring import reliability as bins_of
from tests.lab.many_cases import try_all

HOSTILE = '<script>alert("1")</script> & \u202e]]>'
shares = st.integers(0, 100).map(lambda percent: percent / 100)


def parsed(drawn: str) -> ElementTree.Element:
    """Parse the drawing, and fail if it isn't well-formed."""
    svg = ElementTree.fromstring(str(drawn)).find("svg")
    assert svg is not None
    return svg


def size(svg: ElementTree.Element) -> tuple[float, float]:
    left, top, width, height = map(float, svg.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    return width, height


def dots(svg: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in svg.iter("circle")]


def texts(svg: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in svg.iter("text")]


def path_points(svg: ElementTree.Element, kind: str) -> list[str]:
    return [path.attrib["d"] for path in svg.iter("path") if path.attrib["class"] == kind]


DRAWINGS: list[Callable[[str], str]] = [
    lambda name: bars(name, {name: (Bar(name, 0.5), Bar(name, None))}),
    lambda name: reliability(name, bins_of([0.1, 0.9], [False, True]), name),
    lambda name: lines(name, name, [name, name], {name: (Bar(name, 0.5), Bar(name, 0.7))}),
    lambda name: curve(name, name, name, [Curve(name, (PlotPoint(0.5, Bar(name, 0.5)),))]),
]


@try_all("draw", DRAWINGS)
def test_no_text_becomes_markup(draw: Callable[[str], str]) -> None:
    drawn = str(draw(HOSTILE))
    assert "<script" not in drawn
    assert "\u202e" not in drawn, "nor does it turn the line around"
    harmless = [element.tag for element in ElementTree.fromstring(str(draw("harmless"))).iter()]
    assert [element.tag for element in ElementTree.fromstring(drawn).iter()] == harmless


@try_all("draw", DRAWINGS)
def test_a_drawing_is_named_for_those_who_cannot_see_it(draw: Callable[[str], str]) -> None:
    root = ElementTree.fromstring(str(draw("Recall of two")))
    assert root.attrib["aria-label"] == "Recall of two"
    svg = root.find("svg")
    assert svg is not None
    assert svg.attrib["role"] == "img"
    assert svg.findtext("title") == "Recall of two"


# Bars


@settings(max_examples=15)
@given(st.lists(st.none() | shares, min_size=1, max_size=6))
def test_a_bar_is_as_long_as_its_value(values: list[float | None]) -> None:
    svg = parsed(bars("Bars", {"group": tuple(Bar(f"b{k}", value) for k, value in enumerate(values))}))
    widths = [float(bar.attrib["width"]) for bar in svg.iter("rect") if bar.attrib["class"] == "bar"]
    whole = next(float(bar.attrib["width"]) for bar in parsed(bars("", {"": (Bar("", 1.0),)})).iter("rect"))
    assert widths == [pytest.approx(value * whole, abs=0.06) for value in values if value is not None]
    assert texts(svg).count("– undefined") == values.count(None)
    width, height = size(svg)
    for bar in svg.iter("rect"):
        assert float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width
        assert float(bar.attrib["y"]) + float(bar.attrib["height"]) <= height


def test_a_value_off_the_scale_is_drawn_at_its_edge_and_written_in_full() -> None:
    svg = parsed(bars("Bars", {"": (Bar("low", -0.5, -0.7, -0.2), Bar("high", 1.5, 0.9, 1.7), Bar("one", 1.0))}))
    low, high, one = (float(bar.attrib["width"]) for bar in svg.iter("rect"))
    assert (low, high) == (0, one)
    ends = [list(map(float, re.findall(r"-?[\d.]+", path)))[:3:2] for path in path_points(svg, "whisker")]
    left, right = min(end for pair in ends for end in pair), max(end for pair in ends for end in pair)
    assert 0 <= left <= right <= size(svg)[0]
    assert "1.500" in texts(svg)


def test_an_interval_is_drawn_where_both_ends_are_known() -> None:
    made = (Bar("whole", 0.5, 0.4, 0.6), Bar("half", 0.5, 0.4), Bar("bare", 0.5), Bar("none", None, 0.1, 0.2))
    assert len(path_points(parsed(bars("Bars", {"": made})), "whisker")) == 1


def test_long_names_are_truncated_and_untitled_groups_take_no_space() -> None:
    titled, bare = (parsed(bars("Bars", {title: (Bar("b", 0.5),)})) for title in ("F1", ""))
    assert size(titled)[1] > size(bare)[1]
    assert max(map(len, texts(parsed(bars("Bars", {"": (Bar("x" * 200, 0.5),)}))))) <= 49


# Reliability


@settings(max_examples=15)
@given(st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=20))
def test_each_bin_is_a_dot_and_a_calibrated_one_is_on_the_diagonal(rows: list[tuple[float, bool]]) -> None:
    bins = bins_of([p for p, _ in rows], [wrong for _, wrong in rows])
    svg = parsed(reliability("Calibration", bins))
    full = [group for group in bins if group.n]
    assert len(dots(svg)) == len(full)
    (frame,) = (box for box in svg.iter("rect"))
    left, top, side = (float(frame.attrib[name]) for name in ("x", "y", "width"))
    for (x, y), group in zip(dots(svg), full, strict=True):
        assert group.stated is not None
        assert group.seen is not None
        assert (x - left) / side == pytest.approx(group.stated, abs=0.01)
        assert 1 - (y - top) / side == pytest.approx(group.seen, abs=0.01)
    radii = sorted((group.n, float(dot.attrib["r"])) for group, dot in zip(full, svg.iter("circle"), strict=True))
    assert [radius for _, radius in radii] == sorted(radius for _, radius in radii), "more units, a larger dot"


def test_without_any_bin_there_is_only_the_frame() -> None:
    empty: tuple[Bin, ...] = ()
    for bins in (empty, bins_of([], [])):
        assert dots(parsed(reliability("Calibration", bins))) == []


# Lines and curves


@settings(max_examples=15)
@given(st.lists(st.lists(st.none() | shares, min_size=3, max_size=3), min_size=1, max_size=6))
def test_lines_have_a_dot_for_each_value_at_its_place(rows: list[list[float | None]]) -> None:
    made = {f"line {k}": tuple(Bar("", value) for value in row) for k, row in enumerate(rows)}
    svg = parsed(lines("Lines", "rounds", ["1", "2", "3"], made))
    known = [(index, value) for row in rows for index, value in enumerate(row) if value is not None]
    columns = sorted({x for x, _ in dots(svg)})
    assert len(dots(svg)) == len(known)
    assert len(columns) == len({index for index, _ in known})
    for ((_, y), (_, value)), ((_, other), (_, lower)) in combinations(zip(dots(svg), known, strict=True), 2):
        assert (value > lower) == (y < other) or value == lower
    names = [text for text in texts(svg) if text.startswith("line ")]
    assert names == [name for name, row in zip(made, rows, strict=True) if any(value is not None for value in row)]


def test_a_single_point_on_the_axis_is_drawn() -> None:
    (dot,) = dots(parsed(lines("Lines", "rounds", ["1"], {"a": (Bar("", 0.5, 0.4, 0.6),)})))
    assert dot[0] >= 0
    assert dots(parsed(lines("Lines", "rounds", [], {}))) == []


def test_values_are_scaled_to_the_given_top() -> None:
    low, high = (
        dots(parsed(lines("Lines", "", ["1"], {"a": (Bar("", value),)}, top))) for value, top in ((1, 1), (4, 4))
    )
    assert low == high
    assert "4" in texts(parsed(lines("Lines", "", ["1"], {"a": (Bar("", 2.0),)}, 4.0)))


points = st.builds(PlotPoint, shares, st.builds(Bar, st.just("p"), st.none() | shares))


@settings(max_examples=15)
@given(st.lists(points, max_size=6))
def test_a_curve_joins_its_points_from_left_to_right(made: list[PlotPoint]) -> None:
    svg = parsed(curve("Curve", "coverage", "accuracy", [Curve("line", tuple(made))]))
    known = sorted(point.at for point in made if point.bar.value is not None)
    xs = [x for x, _ in dots(svg)]
    assert xs == sorted(xs)
    assert len(xs) == len(known)
    assert texts(svg).count("line") == bool(known)
    width, height = size(svg)
    assert all(0 <= x <= width and 0 <= y <= height for x, y in dots(svg))
    if known:
        (path,) = path_points(svg, "line")
        assert path.count("L") == len(known) - 1


def test_values_below_the_bottom_of_a_curve_lie_on_it() -> None:
    made = tuple(PlotPoint(at, Bar("p", value)) for at, value in ((0.0, 0.2), (0.5, 0.5), (1.0, 1.0)))
    low, bottom, top = dots(parsed(curve("Curve", "", "", [Curve("a", made)], (0.5, 1.0))))
    assert low[1] == bottom[1] > top[1]


def test_values_above_the_top_of_a_curve_lie_on_it() -> None:
    svg = parsed(lines("Lines", "", ["1", "2"], {"a": (Bar("", 1.0), Bar("", 1.2, 1.0, 1.4))}))
    top, above = dots(svg)
    assert top[1] == above[1]
    assert set(re.findall(r"[ V]([\d.]+)", path_points(svg, "whisker")[0])) == {str(top[1])}


def test_the_name_of_a_line_is_cut_at_26_characters() -> None:
    svg = parsed(lines("Lines", "", ["1"], {name: (Bar("", 0.5),) for name in ("a" * 26, "b" * 27)}))
    assert {"a" * 26, "b" * 25 + "…"} <= set(texts(svg))


def test_labels_of_curves_ending_at_the_same_point_do_not_overlap() -> None:
    end = (PlotPoint(1.0, Bar("p", 0.5)),)
    svg = parsed(curve("Curve", "", "", [Curve(name, end, has_label=False) for name in ("first", "second", "third")]))
    heights = [float(text.attrib["y"]) for text in svg.iter("text") if text.text in ("first", "second", "third")]
    assert len(heights) == 3
    assert all(abs(a - b) >= 14 for a, b in combinations(heights, 2))


def test_lines_are_distinguished_by_their_dashes() -> None:
    made = {f"l{k}": (Bar("", k / 10),) for k in range(5)}
    svg = parsed(lines("Lines", "", ["1"], made))
    assert len({path.attrib["stroke-dasharray"] for path in svg.iter("path")}) == 5
