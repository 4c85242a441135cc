"""Weekdays of a claim against those of a passage: "Tue–Sun 10–17" does not support "open on Mondays".

Opening hours are often written without a verb, and the network reads an opening on any day into them.
"""

from __future__ import annotations

import re

from factscope.judging.verifiers.wording.sentence_pair import SentencePair

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAME = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_DAY = re.compile(r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun|(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:days?))\b\.?")
_RANGE = re.compile(rf"\b({_NAME})\.?\s?(?:[-–—]|to|till|until|through)\s?({_NAME})\b", re.IGNORECASE)
_NOT_ON = re.compile(rf"\b(?:not|except) (?:(?:on|for) )?{_NAME}", re.IGNORECASE)
"""A day that a passage with the others need not mention."""
_OTHER_DAYS = re.compile(
    r"\b(?:daily|(?:every|each|all|any|same|next|previous|following|other) (?:\w+ )?(?:days?|week)|weekdays?|weekends?"
    r"|days? (?:a week|ago|after|before|earlier|later|off)|hours (?:after|before|later|earlier)|seven days|except"
    r"|(?:bank |public )?holidays?|yesterday|today|tonight|tomorrow|overnight|24/7)\b",
    re.IGNORECASE,
)
"""Words by which a passage may mean a weekday that it does not name."""


def names_other_weekdays(pair: SentencePair) -> bool:
    """Tell whether the claim names a weekday that the passage does not mean, although it names others."""
    ours = {_number(day) for day in _DAY.findall(_NOT_ON.sub("", pair.text))}
    passage = pair.passage.text
    theirs = {_number(day) for day in _DAY.findall(passage)}
    if not ours or not theirs or _OTHER_DAYS.search(passage):
        return False
    for match in _RANGE.finditer(passage):
        first, last = _number(match[1]), _number(match[2])
        theirs.update((first + step) % 7 for step in range((last - first) % 7 + 1))
    return not ours <= theirs


def _number(day: str) -> int:
    return next(number for number, name in enumerate(_DAYS) if name.startswith(day[:3].casefold()))
