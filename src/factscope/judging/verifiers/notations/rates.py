"""How often something happens, or for what time a rate is: "every month", "twice a week", "daily", "80 mg a day"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factscope.judging.verifiers.notations.notation_form import has_words, notation
from factscope.judging.verifiers.notations.number_forms import NUMBER, read_number

_A_YEAR = {"hour": 8766.0, "day": 365.25, "week": 52.18, "fortnight": 26.09, "month": 12.0, "quarter": 4.0, "year": 1.0}
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month",
            "quarterly": "quarter", "yearly": "year", "annually": "year"}  # fmt: skip
_PERIOD_WORDS = _ADVERBS | {"annual": "year"}
_ADVERB_OF = {period: word for word, period in reversed(_ADVERBS.items())}
_TIMES = {"once": 1.0, "twice": 2.0, "other": 2.0, "second": 2.0, "third": 3.0, "fourth": 4.0, "fifth": 5.0}
_RATE = re.compile(
    rf"(?i)\b(?:(?P<times>once|twice|{NUMBER} times) )?(?:(?P<each>an?|per|(?:in )?(?:each|every))"
    rf"(?: (?P<many>{NUMBER}|other|second|third|fourth|fifth))? (?P<period>{'|'.join(_A_YEAR)})s?\b(?! of\b)"
    rf"|(?P<adverb>{'|'.join(_ADVERBS)})\b(?! [a-z]+s?\b(?<!at)(?<!in)(?<!on)(?<!and)(?<!by)(?<!from)(?<!until)))"
)
_PERIOD = re.compile(
    rf"\b(?:(?:per|an?|each|every)\s(?P<noun>hour|day|week|month|quarter|year)\b"
    rf"|(?P<adverb>{'|'.join(word for word in _PERIOD_WORDS if word != 'fortnightly')})\b)",
    re.IGNORECASE,
)
LIMITING = frozenset(("in", "on", "at", "during", "for", "from", "until", "between", "since"))
"""Prepositions of phrases that may limit how often something happens: "weekly in winter"."""
_SAME = 0.1
"""Share by which two rates may differ that mean the same: 52 weeks are 364 days."""


class Rate(NamedTuple):
    """The words `text[start:end]`."""

    start: int
    end: int
    a_year: float
    period: str
    is_counted: bool
    """Whether it says how many times: "twice a day", but not "every day"."""


def rates(text: str, start: int = 0, end: int | None = None) -> Iterator[Rate]:
    """Yield the rates of a text, or of a part of it."""
    for match in _RATE.finditer(text, start, len(text) if end is None else end):
        period = _ADVERBS[match["adverb"].lower()] if match["adverb"] else match["period"].lower()
        if match["times"] or match["adverb"] or match["each"].lower().endswith(("each", "every")):
            times = _number((match["times"] or "once").lower().removesuffix(" times"))
            a_year = times * _A_YEAR[period] / _number((match["many"] or "once").lower())
            yield Rate(*match.span(), a_year, period, is_counted=match["times"] is not None)


def are_same(rate: Rate, other: Rate) -> bool:
    """Tell whether two rates may mean the same."""
    low, high = sorted((rate.a_year, other.a_year))
    return high - low <= _SAME * high


def may_both_hold(rate: Rate, other: Rate) -> bool:
    """Tell whether two rates agree: what is done twice a day, or every four hours, is done every day."""
    is_one_counted = rate.period == other.period and rate.is_counted != other.is_counted
    is_within_day = {rate.period, other.period} == {"day", "hour"} and not (rate.is_counted and other.is_counted)
    return are_same(rate, other) or is_one_counted or is_within_day


@notation(_RATE.pattern, sign=_RATE.pattern)
def same_rate(match: re.Match[str], other: str) -> str | None:
    """Return "every month" for "twelve times a year" where the other text has the first."""
    ours = next(rates(match.string, *match.span()), None)
    equal = [
        theirs for theirs in _RATE.finditer(other) if ours and any(are_same(ours, rate) for rate in rates(theirs[0]))
    ]
    if not equal or not match["times"] or has_words(other, match[0]):
        return None
    theirs = equal[0][0]
    return theirs if not equal[0]["times"] or (len(theirs), theirs) < (len(match[0]), match[0]) else None


class Frequency(NamedTuple):
    """A period that a text names as a rate: `text[start:end]`."""

    start: int
    end: int
    period: str
    adverb: bool

    def in_this_form(self, period: str) -> str:
        """Return another period in the same form."""
        return _ADVERB_OF[period] if self.adverb else period


def frequencies(text: str) -> Iterator[Frequency]:
    """Yield the periods of a text; of "a day" the noun alone is the period."""
    for match in _PERIOD.finditer(text):
        name = "adverb" if match["adverb"] else "noun"
        word = match[name].lower()
        yield Frequency(*match.span(name), _PERIOD_WORDS.get(word, word), bool(match["adverb"]))


def _number(words: str) -> float:
    read = read_number(words) if words not in _TIMES else None
    return read[0] if read and read[0] else _TIMES.get(words, 1.0)
