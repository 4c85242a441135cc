"""Definition of a measure: a name, a sentence, a citation, its parameters, and a function of the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import getdoc
from typing import Literal, NamedTuple

from factscope.core import Registry, must_be
from factscope.core.records import Interval
from factscope.scoring.counts import ReportCounts


class MeasureResult(NamedTuple):
    """Result of a measure."""

    value: float | None
    """The number; `None` when there is nothing to count."""
    n: int
    """Number of items that it counts."""
    n_failed: int
    """Number of further items that failed and are not counted."""
    interval: Interval | None = None
    """Uncertainty of `value`, where it can be estimated from one response."""
    failure: str | None = None
    """Reason why the measure itself failed and there is no value; set by Factscope."""


class MeasureParameter(NamedTuple):
    """A numeric parameter of a measure. Both ends of its range are finite and allowed."""

    name: str
    default: float
    low: float
    high: float
    meaning: str


Read = Callable[[ReportCounts, Mapping[str, float]], MeasureResult]


@dataclass(frozen=True)
class MeasureDefinition:
    """A registered measure."""

    name: str
    """Name in a method and on the command line: lower-case letters, digits, underscores."""
    sentence: str
    """Meaning of the number, for users."""
    cites: str
    """Citation."""
    read: Read
    """`ReportCounts` and all parameters by name → result. A failed unit must not change the value."""
    parameters: tuple[MeasureParameter, ...]
    """Its parameters."""
    over: Literal["units", "judgements"]
    """Kind of thing that it counts."""
    most: Callable[[ReportCounts], float]
    """The largest value that a response with these counts can have; the smallest is 0."""


MEASURES: Registry[MeasureDefinition] = Registry(
    "score", "factscope.measures", "factscope.scoring.measures", must_be(MeasureDefinition)
)
"""All measures by name."""


def register_measure(
    name: str,
    *,
    cites: str,
    parameters: tuple[MeasureParameter, ...] = (),
    over: Literal["units", "judgements"] = "units",
    most: Callable[[ReportCounts], float] = lambda counts: 1.0,
) -> Callable[[Read], MeasureDefinition]:
    """Register the function below as a measure. Its docstring is the description that users see.

    Raises ValueError when the name is taken or there is no docstring.
    """

    def register(read: Read) -> MeasureDefinition:
        """Register the function under the name."""
        sentence = " ".join((getdoc(read) or "").split())
        if not sentence:
            raise ValueError(f"the score {name!r} has no docstring that says what the number means")
        return MEASURES.add(name, MeasureDefinition(name, sentence, cites, read, parameters, over, most))

    return register
