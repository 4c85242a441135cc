"""Months and hours of a claim against the ranges of a passage: "April to September" does not support "in October".

The network finds the words of such a row or line, and reads any month and any hour into it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedText, TextItem

_TO = re.compile(r"\s*(?:[-–—]|to|till|until|through)\s*", re.IGNORECASE)
_OTHER_MONTHS = re.compile(
    r"\b(?:except|other|rest|remaining|outside|always|year|months?|spring|summer|autumn|fall|winter|closed"
    r"|not|never|before|after|since|\d{4}-\d{2})\b",
    re.IGNORECASE,
)
"""Words by which a claim or a passage may mean a month that is in none of the ranges."""
_HOURS = re.compile(r"\b(\d{1,2})[:.](\d\d)\s*(?:[-–—]|to|till|until|and)\s*(\d{1,2})[:.](\d\d)\b", re.IGNORECASE)


def names_other_months(pair: SentencePair) -> bool:
    """Tell whether the claim names a month outside all ranges of months of a passage that does not name it either."""
    ours, theirs = _months(pair.claim), _months(pair.passage)
    passage = pair.passage.text
    ranges = [
        (int(first.amount), int(last.amount))
        for first, last in pairwise(theirs)
        if _TO.fullmatch(passage[first.end : last.start])
    ]
    if not ours or not ranges or any(map(_OTHER_MONTHS.search, (pair.text, passage))):
        return False
    meant = {int(item.amount) for item in theirs}
    for first, last in ranges:
        meant.update((first + step - 1) % 12 + 1 for step in range((last - first) % 12 + 1))
    return not meant.issuperset(int(item.amount) for item in ours)


def _months(text: AnalysedText) -> list[TextItem]:
    return sorted((item for item in text.items if item.kind == "month"), key=lambda item: item.start)


def names_other_hours(pair: SentencePair) -> bool:
    """Tell whether the claim gives hours, "10:00 to 17:30", and the passage gives hours, but none that are the same."""
    ours, theirs = (set(_HOURS.findall(text)) for text in (pair.text, pair.passage.text))
    return bool(theirs) and any(not any(_same(hours, other) for other in theirs) for hours in ours)


def _same(hours: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tell whether two pairs of times are equal, read by 24 hours or by twelve."""
    (one, two), (first, last) = (((int(h), int(m)), (int(i), int(n))) for h, m, i, n in (hours, other))
    return all(ours[0] % 12 == theirs[0] % 12 and ours[1] == theirs[1] for ours, theirs in ((one, first), (two, last)))
