"""Dates and times: whether two exclude each other, or what is true of the first may be true of the second, too."""

from __future__ import annotations

import re

from factscope.judging.verifiers.wording.clauses import marker
from factscope.judging.verifiers.wording.tense import is_past_form
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_WEEKDAYS = frozenset(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
_PARTICIPLES = frozenset(("born", "cut", "dug", "hit", "put", "set", "shut", "split"))
"""Participles that are not formed regularly, nor listed as forms of a verb."""
_CLOCK = re.compile(r"(\d\d?):(\d\d)")
_HALF_DAY = 12 * 60


def is_date(item: TextItem) -> bool:
    """Tell whether an item is a year, a month or a weekday."""
    return item.kind in ("year", "month") or item.key in _WEEKDAYS


def is_setting(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a date begins a sentence or is a plural weekday; the same may be true of another: "on Mondays"."""
    if not is_date(item):
        return False
    is_fronted = all(other.kind in NUMERIC for other in sentence.items if other.at < item.at)
    return sentence.lower[item.at].endswith("days") or (is_fronted and bool(marker(sentence, item)))


def is_of_past_state(claim: AnalysedSentence) -> bool:
    """Tell whether a claim is about a state that may last, as in "was mayor"; "was first built" is an event."""
    following = [claim.lower[at + 1 : at + 3] for at, word in enumerate(claim.lower) if word in ("was", "were")]
    is_event = any(is_past_form(word) or word in _PARTICIPLES for words in following for word in words)
    return not {"remained", "kept"}.isdisjoint(claim.lower) or (bool(following) and not is_event)


def minutes(key: str) -> int | None:
    """Return the minutes of a clock time since midnight or noon, as 8:30 may be 20:30; None for anything else."""
    time = _CLOCK.fullmatch(key)
    return (int(time[1]) * 60 + int(time[2])) % _HALF_DAY if time else None
