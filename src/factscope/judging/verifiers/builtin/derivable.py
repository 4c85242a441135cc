"""Numbers and dates of a claim that a passage neither states nor yields by one step of arithmetic.

The network reads digits poorly: to it 1,200 litres may be 2,100 litres. Where such a number is missing, and the passage
has another one of the same things, the network's support does not count. Small whole numbers may count what the passage
lists, and a claim that gives a limit ("more than 1,500 litres") may hold for many numbers: these are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from factscope.judging.verifiers.builtin.analysis import AnalysedSentence, TextItem, same_year
from factscope.judging.verifiers.builtin.features import AnalysedText

SMALL = 12
"""The largest number that may be a count of what a passage lists."""
_ROUND, _ABOUT, _STEP = 0.1, 0.3, 0.02
"""Share by which a rounded number may differ, one after "about", and the result of a step."""
_FACTORS = (2, 3, 4, 5, 7, 10, 12, 24, 60, 100, 1000)
"""Of multiples and parts that have words: twice, a third, a dozen, days of a week, minutes of an hour."""
_KINDS = ("count", "percent")
_WHEN = ("before", "after", "since", "until", "till", "by", "within", "beyond")
_LIMITS = frozenset(("than", "least", "most", "over", "under", "above", "below", "up", *_WHEN))
"""Words just before a number of a claim that make it a limit, which another number may keep."""
_SHIFTS = frozenset(("before", "after", "next", "following", "previous", "earlier", "later", "last"))
"""Words of a passage that may mean the year before or after one that it names."""
_MOST = 30
"""Numbers of a passage that are combined; one with more is a table, from which much follows."""


def underivable(claim: AnalysedSentence, passage: AnalysedText, *, with_counts: bool = False) -> TextItem | None:
    """Return the first number or year of the claim that the passage rules out without saying it, if there is one.

    `with_counts`: small whole numbers too, which must be stated, or be the sum or difference of two of the same things.
    """
    present = [item for stretch in passage.stretches for item in stretch.items if item.kind in (*_KINDS, "year")]
    if not 0 < len(present) <= _MOST:
        return None
    amounts = [item.amount for item in present]
    shift = 1 if any(not _SHIFTS.isdisjoint(stretch.lower) for stretch in passage.stretches) else 0
    for item in claim.items:
        if not _LIMITS.isdisjoint(claim.lower[max(0, item.at - 3) : item.at]):
            continue
        if item.kind == "year":
            follows = _year_follows(item, present, shift)
        elif item.kind in _KINDS and not _may_be_a_count(item):
            follows = _follows(item.amount, amounts, _ABOUT if item.about else _ROUND)
        elif item.kind in _KINDS and with_counts:
            follows = _count_follows(item, present)
        else:
            continue
        if not follows and any(other.kind == item.kind and other.unit == item.unit for other in present):
            return item
    return None


def _may_be_a_count(item: TextItem) -> bool:
    return item.amount <= SMALL and item.amount == int(item.amount)


def _count_follows(count: TextItem, present: Sequence[TextItem]) -> bool:
    alike = [item.amount for item in present if (item.kind, item.unit) == (count.kind, count.unit)]
    sums = {left + sign * right for left, right in permutations(alike, 2) for sign in (1, -1)}
    return count.amount in sums or any(item.amount == count.amount for item in present)


def _year_follows(year: TextItem, present: Sequence[TextItem], shift: int) -> bool:
    """Tell whether a year is stated, lies between stated ones, or is a stated number of years away from one."""
    years = [item for item in present if item.kind == "year"]
    counts = [item.amount for item in present if item.kind == "count"]
    sums = {other.amount + sign * count for other in years for count in (*counts, shift) for sign in (1, -1)}
    between = min(item.amount for item in years) < year.amount < max(item.amount for item in years) if years else False
    return between or any(same_year(year, other) for other in years) or year.amount in sums


def _follows(number: float, amounts: Sequence[float], slack: float) -> bool:
    if any(_near(number, amount, slack) for amount in amounts):
        return True
    return any(_near(number, result, _STEP) for result in _results(amounts))


def _results(amounts: Sequence[float]) -> Iterator[float]:
    for amount in amounts:
        for factor in _FACTORS:
            yield amount * factor
            yield amount / factor
    for left, right in permutations(amounts, 2):
        yield left + right
        yield left * right
        yield left - right
        if right:
            yield left / right
            yield 100 * left / right
            yield 100 * (left - right) / right


def _near(left: float, right: float, share: float) -> bool:
    return abs(left - right) <= share * max(abs(left), abs(right))
