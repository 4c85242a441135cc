"""Dates, times and amounts of money of a claim and a passage in one notation: "14/03/1822" as "14 March 1822".

A network reads characters, and takes the same date in words and in digits for two dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.lexicon import MONTHS, SMALL_NUMBERS
from factscope.judging.verifiers.protocol import ClaimPair

_MONTH_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}
_CURRENCIES = {"£": "pounds", "gbp": "pounds", "€": "euros", "eur": "euros", "$": "dollars", "d": "dollars"}
_SCALES = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion"}


class _Notation(NamedTuple):
    """A way of writing something, that is put into words if one side of a pair has it and the other has words."""

    short: re.Pattern[str]
    words: re.Pattern[str]
    write: Callable[[re.Match[str]], str | None]
    """Returns the words; None where they are not certain."""


class _Edit(NamedTuple):
    """Words that take the place of `text[start:end]`."""

    start: int
    end: int
    words: str


class WrittenAlike(NamedTuple):
    """A pair whose dates, times and amounts of money are in one notation."""

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
    """Write the dates, times and amounts of money of a pair in words where only one side does."""
    notations = [
        notation
        for notation in _NOTATIONS
        if any(notation.words.search(text) and notation.short.search(other) for text, other in (pair, pair[::-1]))
    ]
    claim_edits, edits = (tuple(_edits(text, notations)) for text in pair)
    if not claim_edits and not edits:
        return WrittenAlike(pair)
    return WrittenAlike(ClaimPair(_edited(pair.claim, claim_edits), _edited(pair.passage, edits)), edits)


def _edits(text: str, notations: Sequence[_Notation]) -> list[_Edit]:
    return sorted(
        _Edit(match.start(), match.end(), words)
        for notation in notations
        for match in notation.short.finditer(text)
        if (words := notation.write(match))
    )


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


def _money(match: re.Match[str]) -> str | None:
    sign, sign_after = match["sign"], match["sign_after"]
    if bool(sign) == bool(sign_after):
        return None
    scale = (match["scale"] or "").strip().lower()
    currency = _CURRENCIES[(sign or sign_after).lower().removeprefix("us")]
    return " ".join(filter(None, (match["amount"], _SCALES.get(scale, scale), currency)))


def _minutes(match: re.Match[str]) -> str:
    hours, minutes = (int(word) if word.isdigit() else SMALL_NUMBERS[word.lower()] for word in match.groups())
    return f"{60 * hours + minutes} minutes"


def _clocked(match: re.Match[str]) -> str:
    return f"{match['hours']} hours, {int(match['minutes'])} minutes and {int(match['seconds'])} seconds"


def _years(match: re.Match[str]) -> str | None:
    if match["last"] <= match["first"]:
        return None
    return f"{match['century']}{match['first']} to {match['century']}{match['last']}"


_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(SMALL_NUMBERS)})"
_CURRENCY = r"£|€|(?:US)?\$|\b(?:GBP|EUR|USD)(?=[\s\d])"
_NOTATIONS = (
    _Notation(
        re.compile(
            r"(?<![\w.,/:-])(?:(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)"
            r"|(?P<first>\d{1,2})(?P<mark>[/.])(?P<second>\d{1,2})(?P=mark)(?P<last>[12]\d{3}))(?![\w/-]|[.:,]\d)"
        ),
        re.compile(rf"\b(?:[12]\d{{3}}|{'|'.join(MONTHS)})\b", re.IGNORECASE),
        _date,
    ),
    _Notation(  # only times that must be of 24 hours: "10:15" may be of twelve
        re.compile(
            r"(?<![\w.,/:])(?P<hour>0\d|1[3-9]|2[0-3]):(?P<minute>[0-5]\d)(?![\w:/]|[.,]\d)(?!\s?[ap]\.?m\b)",
            re.IGNORECASE,
        ),
        re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE),
        _time,
    ),
    _Notation(
        re.compile(
            rf"(?<![\w$£€])(?:(?P<sign>{_CURRENCY})\s?)?(?P<amount>\d+(?:[.,]\d+)*)"
            r"(?P<scale>(?:\s(?:thousand|million|billion|trillion)|k|mn?|bn)\b)?"
            r"(?:\s?(?P<sign_after>€|(?:GBP|EUR|USD)\b))?(?![\w–-]|[.,]\d)",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:pounds|euros?|dollars?)\b", re.IGNORECASE),
        _money,
    ),
    _Notation(
        re.compile(
            rf"(?<![\w.,:])(?P<hours>{_NUMBER})\s?(?:h|hrs?|hours?)(?:,?\s(?:and\s)?|)"
            rf"(?P<minutes>{_NUMBER})\s?(?:m|min|mins|minutes?)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:min|minutes?|h|hours?)\b", re.IGNORECASE),
        _minutes,
    ),
    _Notation(
        re.compile(r"(?<![\w.,:])(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d)(?![\w:]|[.,]\d)"),
        re.compile(r"\bhours?\b", re.IGNORECASE),
        _clocked,
    ),
    _Notation(  # a hyphen before 01 to 12 may be that of a month
        re.compile(
            r"(?<![\w.,:/–-])(?P<century>1\d|20)(?P<first>\d\d)(?:–|-(?!0\d|1[0-2]))(?P<last>\d\d)(?![\w:/–-]|[.,]\d)"
        ),
        re.compile(r"\b[12]\d{3}\b"),
        _years,
    ),
)
