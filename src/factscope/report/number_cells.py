"""Numbers as cells of tables: a dash stands for one that is not defined."""

from __future__ import annotations

from factscope.core.records import Interval

NONE = "–"


def number_cell(value: float | None, digits: int = 2, times: float = 1, sign: str = "") -> str:
    """Write `times` the value with `digits` decimals; `sign` is `+` for differences."""
    return NONE if value is None else f"{times * value:{sign},.{digits}f}"


def percent_cell(value: float | None) -> str:
    """Write a share in percent, without the sign."""
    return number_cell(value, 1, 100)


def points_cell(value: float | None) -> str:
    """Write a difference of shares in percentage points."""
    return number_cell(value, 1, 100, "+")


def ends_cell(interval: Interval | None) -> str:
    """Write the ends of the interval of a share in percent; nothing without one."""
    return f"{percent_cell(interval.low)}–{percent_cell(interval.high)}" if interval else ""
