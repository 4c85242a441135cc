"""Times between two dates of a passage: "nine months" from 2 April 1871 to 1 January 1872."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_YEAR, _MONTH = 365.25, 365.25 / 12
"""Days."""
_UNITS = {"day": 1.0, "year": _YEAR}
"""Unit of a number → days; weeks are counted in days, and months in years."""
_ROUGH = 0.06
"""Share by which a time may differ from that between two dates: half a month in nine."""
_ABOUT = 0.2
"""The same for one that a claim calls approximate."""
_LAST = stems_of("last take took spend spent")
"""Stems of verbs of claims about how long something lasts."""
_FEW = 3
"""Most dates of a passage of which two are taken for its beginning and its end."""
_MOST = 12
"""Dates from which almost any time follows."""


def days(items: Sequence[TextItem]) -> frozenset[tuple[float, float]]:
    """Return the months with the days of the month beside them, as in "3 March" and "March 3rd"."""
    return frozenset(
        (month.amount, day.amount) for month in items if month.kind == "month" for day in items if _is_day(day, month)
    )


def lies_between_dates(item: TextItem, stretches: Sequence[AnalysedSentence]) -> bool:
    """Tell whether a number is the time between two dates that have a month and a year."""
    claimed = item.amount * _UNITS.get(item.unit, 0.0)
    if claimed < 1:
        return False
    days = _all_days(stretches)
    if len(days) > _MOST:
        return False
    rough = (_ABOUT if item.about else _ROUGH) * claimed
    return any(abs(abs(first - second) - claimed) <= rough for first, second in combinations(days, 2))


def is_other_span(pair: SentencePair) -> bool:
    """Tell whether a claim says how long something lasted, and the dates of a passage lie further or less far apart."""
    stretches = pair.passage.stretches
    times = [item for item in pair.claimed.items if item.kind == "count" and item.unit in _UNITS]
    if len(times) != 1 or _LAST.isdisjoint(pair.claimed.words) or not 1 < len(_all_days(stretches)) <= _FEW:
        return False
    (time,) = times
    durations = [item for stretch in stretches for item in stretch.items if item.unit in _UNITS]
    return not durations and not lies_between_dates(time, stretches)


def _all_days(stretches: Sequence[AnalysedSentence]) -> list[float]:
    days: dict[float, None] = {}
    year = None
    for stretch in stretches:
        days |= dict.fromkeys(_days(stretch, year))
        year = next((item for item in reversed(stretch.items) if item.kind == "year"), year)
    return list(days)


def _days(stretch: AnalysedSentence, last: TextItem | None) -> Iterator[float]:
    """Yield the dates of a sentence in days; without a day, the middle of the month; `last` is the year before."""
    for at, (month, following) in enumerate(pairwise((*stretch.items, None))):
        if month is None or month.kind != "month":
            continue
        after = stretch.items[at + 1 : at + 3]
        year = next((item for item in after if item.kind == "year" and item.at <= month.at + 2), None)
        if not year and ("same", "year") in pairwise(stretch.lower[month.at : month.at + 5]):
            year = last
        if year:
            near = (stretch.items[at - 1] if at else None, following)
            day = next((item.amount for item in near if item and _is_day(item, month)), 15.0)
            yield year.amount * _YEAR + (month.amount - 1) * _MONTH + day


def _is_day(item: TextItem, month: TextItem) -> bool:
    return abs(item.at - month.at) == 1 and item.kind in ("count", "ordinal") and 1 <= item.amount <= 31
