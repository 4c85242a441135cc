"""Dates and times of a claim and a passage in one notation: "14/03/1822" as "14 March 1822", "18:00" as "6 p.m.".

A network reads characters, and takes the same date in words and in digits for two dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.lexicon import MONTHS
from factscope.judging.verifiers.protocol import ClaimPair

_MONTH_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}
_DATE = re.compile(
    r"(?<![\w.,/:-])(?:(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(?P<first>\d{1,2})(?P<mark>[/.])(?P<second>\d{1,2})(?P=mark)(?P<last>[12]\d{3}))(?![\w/-]|[.:,]\d)"
)
_MENTIONS_DATE = re.compile(rf"\b(?:[12]\d{{3}}|{'|'.join(MONTHS)})\b", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\w.,/:])(?P<hour>0\d|1[3-9]|2[0-3]):(?P<minute>[0-5]\d)(?![\w:/]|[.,]\d)(?!\s?[ap]\.?m\b)", re.IGNORECASE
)
"""A time that can only be one of 24 hours; "10:15" may be one of twelve."""
_HALF_DAY_TIME = re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE)


class _Edit(NamedTuple):
    """Words that take the place of `text[start:end]`."""

    start: int
    end: int
    words: str


class WrittenAlike(NamedTuple):
    """A pair whose dates and times are in one notation."""

    pair: ClaimPair
    edits: tuple[_Edit, ...] = ()
    """Those of the passage, in order."""

    def original(self, span: Span) -> Span:
        """Return the place in the original passage of a span of this one."""
        return Span(start=self._original(span.start), end=self._original(span.end))

    def _original(self, offset: int) -> int:
        growth = 0
        for edit in self.edits:
            longer = len(edit.words) - (edit.end - edit.start)
            if edit.end + growth + longer > offset:
                return min(offset - growth, edit.end)
            growth += longer
        return offset - growth


def write_alike(pair: ClaimPair) -> WrittenAlike:
    """Write the dates of a pair in words if the claim has one, and its times if only one side has "am" or "pm"."""
    patterns = [_DATE] if _MENTIONS_DATE.search(pair.claim) else []
    half_days = [bool(_HALF_DAY_TIME.search(text)) for text in pair]
    if (half_days[0] and _TIME.search(pair.passage)) or (half_days[1] and _TIME.search(pair.claim)):
        patterns.append(_TIME)
    claim_edits, edits = (tuple(_edits(text, patterns)) for text in pair)
    if not claim_edits and not edits:
        return WrittenAlike(pair)
    return WrittenAlike(ClaimPair(_edited(pair.claim, claim_edits), _edited(pair.passage, edits)), edits)


def _edits(text: str, patterns: list[re.Pattern[str]]) -> Iterator[_Edit]:
    matches = sorted((match for pattern in patterns for match in pattern.finditer(text)), key=re.Match.start)
    for match in matches:
        if words := _date(match) if match.re is _DATE else _time(match):
            yield _Edit(match.start(), match.end(), words)


def _edited(text: str, edits: tuple[_Edit, ...]) -> str:
    starts = [0, *(edit.end for edit in edits)]
    kept_parts = [text[start : edit.start] + edit.words for start, edit in zip(starts, edits, strict=False)]
    return "".join(kept_parts) + text[starts[-1] :]


def _date(match: re.Match[str]) -> str | None:
    """Return a date in words; None where day and month may be either."""
    if match["year"]:
        year, month, day = match["year"], int(match["month"]), int(match["day"])
    else:
        year, day, month = match["last"], int(match["first"]), int(match["second"])
        if match["mark"] == "/" and day != month and max(day, month) <= 12:
            return None
        if match["mark"] == "/" and month > 12:
            day, month = month, day
    return f"{day} {_MONTH_NAMES[month]} {year}" if month in _MONTH_NAMES and 1 <= day <= 31 else None


def _time(match: re.Match[str]) -> str:
    hour = int(match["hour"])
    minutes = "" if match["minute"] == "00" else f":{match['minute']}"
    stop = "" if match.string.startswith(".", match.end()) else "."
    return f"{hour % 12 or 12}{minutes} {'a' if hour < 12 else 'p'}.m{stop}"
