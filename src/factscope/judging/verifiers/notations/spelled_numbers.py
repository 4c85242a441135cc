"""Numbers in words, such as "three hundred and forty-nine", read as a whole."""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.notation_form import alternatives
from factscope.judging.verifiers.wording.lexicon import SMALL_NUMBERS

_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
SPELLED = rf"(?:{alternatives(SMALL_NUMBERS)})(?:[\s-](?:and\s)?(?:{alternatives((*SMALL_NUMBERS, *_SCALES))})){{0,9}}"
"""Pattern of a number of up to ten words, so that a long list takes no time; `read_spelled` knows whether it is one."""


def read_spelled(text: str) -> int | None:
    """Return a number in digits or words; None for a series such as "nineteen eighty-four"."""
    if text.isdigit():
        return int(text)
    total, group, room = 0, 0, 1000  # the next word must be below the room that the last one left
    for word in re.split(r"[\s-](?:and\s)?", text.lower()):
        if word in SMALL_NUMBERS:
            value = SMALL_NUMBERS[word]
            if value >= room or (room == 10 and not value):
                return None
            group, room = group + value, 10 if value >= 20 else 0
        elif word == "hundred":
            if not 0 < group < 100:
                return None
            group, room = group * 100, 100
        else:
            if not group or (total and _SCALES[word] >= total):
                return None
            total, group, room = total + group * _SCALES[word], 0, 1000
    return total + group
