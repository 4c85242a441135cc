"""Definition of a measure: a name, a sentence, a citation, its parameters, and a function of counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from factscope.core.records import Interval
from factscope.scoring.counts import ReportCounts


class MeasureResult(NamedTuple):
    """Numbers that a measure reads from counts."""

    value: float | None
    """The number; `None` when there is nothing to count."""
    n: int
    """How many things it counts."""
    n_failed: int
    """How many more failed and are not in it."""
    interval: Interval | None = None
    """Uncertainty of `value`, where one response alone tells it."""


class MeasureParameter(NamedTuple):
    """A number that a measure can be set by. Both ends of its range are finite and allowed."""

    name: str
    default: float
    low: float
    high: float
    meaning: str


@dataclass(frozen=True)
class MeasureDefinition:
    """A measure, ready to be registered."""

    name: str
    """What a method and the command line call it: lower-case letters, digits, underscores."""
    sentence: str
    """What the number says, for a person."""
    cites: str
    """Where it comes from."""
    read: Callable[[ReportCounts, Mapping[str, float]], MeasureResult]
    """Tally and all parameters by name → reading. A failed unit must not change the value."""
    parameters: tuple[MeasureParameter, ...] = ()
    """What it can be set by."""
    over: Literal["units", "judgements"] = "units"
    """What it counts."""
    most: Callable[[ReportCounts], float] = lambda tally: 1.0
    """The largest value that a response with so many units can have; the least is 0."""
