"""The map of topics: prompts as marks on a plane, with the names of the largest topics where there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.report.wording import clip, excerpt, one_line

WIDTH, HEIGHT, EDGE = 1000, 720, 28  # of the drawing, in units of its view box
BACKGROUND = 4000
"""Most unselected prompts that are shown as dots, drawn at random."""
LABELS = 24  # more names cover one another on the map
SHAPES = {"hard": "M0-7A7 7 0 1 1 0 7A7 7 0 1 1 0-7Z", "moderate": "M0-8L8 6.5H-8Z", "easy": "M-6-6H6V6H-6Z"}
"""The form of each tier's mark, an SVG path around 0, so that no tier is marked by its colour alone."""
_LETTER, _LINE = 10.4, 24
"""Width of a letter and height of a line, in the units of the map."""
_LARGER = 1.45
"""Factor by which names are larger on a narrow page, which shows only the first names."""
_ROOM, _STEPS = 13.0, 40
"""Distance that marks should have, and number of steps in which closer ones are moved."""


class PromptDot(NamedTuple):
    """A selected prompt."""

    x: float
    y: float
    id: str
    tier: str
    """Its difficulty."""
    topic: int
    title: str


class MapLabel(NamedTuple):
    """The name of a topic."""

    x: float
    y: float
    topic: int
    text: str


class TopicMap(NamedTuple):
    """The picture, in a box of `WIDTH` by `HEIGHT`."""

    dots: str
    """An SVG path with a point for each prompt of the background."""
    marks: tuple[PromptDot, ...]
    labels: tuple[MapLabel, ...]
    width: int = WIDTH
    height: int = HEIGHT


def draw(all_rows: pl.DataFrame, selected: pl.DataFrame, names: Mapping[int, str]) -> TopicMap:
    """Return the map of `selected` (id, prompt, tier, topic, x, y) before all prompts in topics (x, y).

    A prompt without a place, such as an old one that is like nothing new, is not on it.
    """
    mapped = selected.filter(pl.all_horizontal(pl.col("x", "y").is_finite()))
    behind = all_rows.select("x", "y").filter(pl.all_horizontal(pl.col("x", "y").is_finite()))
    if behind.height > BACKGROUND:
        behind = behind.sample(BACKGROUND, seed=0)
    positions = pl.concat([mapped.select("x", "y").cast(pl.Float64), behind.cast(pl.Float64)]).to_numpy()
    if not len(positions):
        return TopicMap("", (), ())
    scaled = _scaled(positions)
    at, dots = _spread(scaled[: mapped.height]), scaled[mapped.height :]
    marks = tuple(
        PromptDot(
            round(float(x), 1),
            round(float(y), 1),
            row["id"],
            row["tier"],
            row["topic"],
            f"{excerpt(row['prompt'], 160)} ({row['tier']}, {names.get(row['topic'], '')})",
        )
        for (x, y), row in zip(at, mapped.iter_rows(named=True), strict=True)
    )
    path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in np.unique(dots.round(), axis=0))
    return TopicMap(path, marks, tuple(_labels(at, mapped["topic"].to_list(), names)))


def _scaled(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale into the box, each axis separately; outliers are pulled in to leave room for the rest."""
    low, high = np.quantile(positions, [0.005, 0.995], axis=0)
    span = np.where(high > low, high - low, 1.0)
    unit = np.clip((positions - low) / span, -0.02, 1.02)
    unit[:, high <= low] = 0.5
    box: NDArray[np.float64] = EDGE + unit * (np.array([WIDTH, HEIGHT]) - 2 * EDGE)
    return box


def _spread(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move overlapping marks slightly apart, so that each is visible."""
    from scipy.spatial import cKDTree

    at = at + np.random.default_rng(0).uniform(-0.5, 0.5, at.shape)  # marks at one point have no direction to move in
    for _ in range(_STEPS):
        first, second = cKDTree(at).query_pairs(_ROOM, output_type="ndarray").T
        offset = at[first] - at[second]
        far = np.hypot(*offset.T)
        push = offset * ((_ROOM - far) / np.maximum(far, 1e-6) / 4)[:, None]
        np.add.at(at, first, push)
        np.add.at(at, second, -push)
    clipped: NDArray[np.float64] = np.clip(at, _ROOM / 2, np.array([WIDTH, HEIGHT]) - _ROOM / 2)
    return clipped


def _middle(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the position of the prompt with the most prompts of its topic around it."""
    far = np.hypot(*(positions[:, None] - positions[None]).transpose(2, 0, 1))
    densest: NDArray[np.float64] = positions[np.argmax((far < 6 * _ROOM).sum(axis=1))]
    return densest


def _labels(at: NDArray[np.float64], topics: Sequence[int], names: Mapping[int, str]) -> list[MapLabel]:
    """Return names of the largest topics, each above the middle of its topic, if no earlier name is there."""
    of = np.array(topics)
    labels: list[MapLabel] = []
    boxes: list[tuple[float, float, float, float]] = []
    numbers, sizes = np.unique(of[of >= 0], return_counts=True)
    for number in numbers[np.argsort(-sizes, kind="stable")]:
        text = clip(one_line(names.get(int(number), "")), 26)
        half = len(text) * _LETTER / 2
        x, y = _middle(at[of == number]) - (0, 2 * _ROOM)
        edge = _LARGER * half + 4
        x = float(np.clip(x, edge, max(edge, WIDTH - edge)))
        y = float(np.clip(y, _LINE, HEIGHT - _LINE))
        box = (x - half, y - _LINE / 2, x + half, y + _LINE / 2)
        if text and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes):
            boxes.append(box)
            labels.append(MapLabel(round(x, 1), round(y, 1), int(number), text))
        if len(labels) == LABELS:
            break
    return labels
