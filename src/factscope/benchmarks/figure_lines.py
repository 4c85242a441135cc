"""Figures of benchmarks, one a line, for programs: a table cell may hold a value, its interval and a count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic_core import to_jsonable_python

from factscope.core import Interval
from factscope.report import Block, Result, csv_cell, csv_text

T = TypeVar("T")


class FigureLine(NamedTuple):
    """One figure."""

    table: str
    """The tier, the split, the benchmark, or whatever else the figure is of."""
    model: str
    """The measured model, judge or verifier; empty for a figure of none."""
    measure: str
    value: float | None
    """Shares from 0 to 1, as in the JSON; `None` where it is undefined or withheld."""
    interval: Interval | None = None
    n: int | None = None
    """Responses or questions that it counts."""


class MeasuredFigure(Protocol):
    """A figure with its uncertainty, such as a mean or a share."""

    @property
    def value(self) -> float | None:
        """The figure; `None` where it is undefined."""

    @property
    def interval(self) -> Interval | None:
        """Its interval."""


def lines_of(
    table: str, model: str, figures: Mapping[str, MeasuredFigure | float | None], n: int | None = None
) -> Iterator[FigureLine]:
    """Yield a line for each figure, by its measure; one that does not state how much it counts, counts `n`."""
    for measure, figure in figures.items():
        if figure is None or isinstance(figure, int | float):
            yield FigureLine(table, model, measure, figure, n=n)
        else:
            yield FigureLine(table, model, measure, figure.value, figure.interval, getattr(figure, "n", n))


def result_of(
    title: str,
    measured: T,
    document: Callable[[T], Iterable[Block]],
    figures: Callable[[T], Iterable[FigureLine]],
    values: Callable[[T], Any] = to_jsonable_python,
    *,
    html: Callable[[T], str] | None = None,
    indent: int = 1,
) -> Result:
    """Return what was measured, for any writer: in CSV one of its `figures` a line, in JSON its `values`.

    Without a page of its own in `html`, the page shows the document.
    """
    texts = {"csv": lambda: to_csv(figures(measured)), **({"html": lambda: html(measured)} if html else {})}
    return Result(title, lambda: values(measured), lambda: document(measured), texts, indent)


def to_csv(lines: Iterable[FigureLine]) -> str:
    """Return a line for each figure, with six decimals; an undefined value is an empty cell."""
    rows = (
        (
            *map(csv_cell, (line.table, line.model, line.measure)),
            *map(_digits, (line.value, *((ends.low, ends.high) if (ends := line.interval) else (None, None)))),
            csv_cell(line.n),
        )
        for line in lines
    )
    return csv_text([("table", "model", "measure", "value", "low", "high", "n"), *rows])


def _digits(value: float | None) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.6f}"
