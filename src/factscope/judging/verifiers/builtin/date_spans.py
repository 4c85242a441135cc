"""Times between two dates of a passage: "nine months" from 2 April 1871 to 1 January 1872."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from factscope.judging.verifiers.builtin.analysis import AnalysedSentence, TextItem

_YEAR, _MONTH = 365.25, 365.25 / 12
"""Days."""
_UNITS = {"day": 1.0, "year": _YEAR}
"""Unit of a number → days; weeks are counted in days, and months in years."""
_ROUGH = 0.06
"""Share by which a time may differ from that between two dates: half a month in nine."""
_MOST = 12
"""Dates from which almost any time follows."""


def lies_between_dates(item: TextItem, stretches: Sequence[AnalysedSentence]) -> bool:
    """Tell whether a number is the time between two dates that have a month and a year."""
    claimed = item.amount * _UNITS.get(item.unit, 0.0)
    if claimed < 1:
        return False
    days = list(dict.fromkeys(day for stretch in stretches for day in _days(stretch)))
    if len(days) > _MOST:
        return False
    return any(abs(abs(first - second) - claimed) <= _ROUGH * claimed for first, second in combinations(days, 2))


def _days(stretch: AnalysedSentence) -> Iterator[float]:
    """Yield the dates of a sentence in days; without a day, the middle of the month."""
    for at, (month, following) in enumerate(pairwise(stretch.items)):
        if month.kind != "month" or month.at + 3 < following.at:
            continue
        after = stretch.items[at + 1 : at + 3]
        year = next((item for item in after if item.kind == "year" and item.at <= month.at + 2), None)
        if year:
            near = (stretch.items[at - 1] if at else None, following)
            day = next((item.amount for item in near if item and _is_day(item, month)), 15.0)
            yield year.amount * _YEAR + (month.amount - 1) * _MONTH + day


def _is_day(item: TextItem, month: TextItem) -> bool:
    return abs(item.at - month.at) == 1 and item.kind in ("count", "ordinal") and 1 <= item.amount <= 31
