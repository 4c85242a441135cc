"""Whole numbers in English words."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)

from __future__ import annotations

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def in_words(number: int) -> str:
    """Spell a whole number below a million."""
    if number < 0:
        return "minus " + in_words(-number)
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_SMALL[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_SMALL[number // 100]} hundred" + (f" and {in_words(number % 100)}" if number % 100 else "")
    rest = number % 1000
    return f"{in_words(number // 1000)} thousand" + (f"{' and' if rest < 100 else ''} {in_words(rest)}" if rest else "")


def ordinal(number: int) -> str:
    """Write 3 as 3rd."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ordinal_word(number: int) -> str:
    """Write 3 as third."""
    head, dash, last = in_words(number).rpartition("-") if "-" in in_words(number) else in_words(number).rpartition(" ")
    if last in _ORDINALS:
        return head + dash + _ORDINALS[last]
    return head + dash + (last[:-1] + "ieth" if last.endswith("y") else last + "th")
