"""Words for how often something happens, or for what time a rate is: "daily", "80 mg a day", "every week"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
            "yearly": "year", "annually": "year", "annual": "year"}  # fmt: skip
_WORDS = {period: word for word, period in reversed(_ADVERBS.items()) if word != "annual"}
_FREQUENCY = re.compile(
    rf"\b(?:(?:per|an?|each|every)\s(?P<noun>hour|day|week|month|quarter|year)\b"
    rf"|(?P<adverb>{'|'.join(_ADVERBS)})\b)",
    re.IGNORECASE,
)

LIMITING = frozenset(("in", "on", "at", "during", "for", "from", "until", "between", "since"))
"""Prepositions of phrases that may limit how often something happens: "weekly in winter"."""


class Frequency(NamedTuple):
    """A period that a text names as a rate: `text[start:end]`."""

    start: int
    end: int
    period: str
    adverb: bool

    def in_this_form(self, period: str) -> str:
        """Return another period in the same form."""
        return _WORDS[period] if self.adverb else period


def frequencies(text: str) -> Iterator[Frequency]:
    """Yield the periods of a text; of "a day" the noun alone is the period."""
    for match in _FREQUENCY.finditer(text):
        name = "adverb" if match["adverb"] else "noun"
        word = match[name].lower()
        yield Frequency(*match.span(name), _ADVERBS.get(word, word), bool(match["adverb"]))
