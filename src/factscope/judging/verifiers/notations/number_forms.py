"""Numbers in the forms that documents have: "1,200", "1'200", "2,5", "1 1/2", "¾", "3 × 10⁸", "twelve hundred"."""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.notation_form import alternatives
from factscope.judging.verifiers.wording.lexicon import SMALL_NUMBERS

_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅛": (1, 8), "⅜": (3, 8),
           "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
_RAISED = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹−–", "-+0123456789--")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_PLAIN = r"\d{1,15}(?:\.\d{1,15})?"
_LARGEST = 1e15
"""Largest number that is written without a power of ten."""
POWER = rf"{_PLAIN}(?:\s?[×x·*]\s?10(?:\^[−–-]?\d{{1,2}}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,2}})|[eE][+-]?\d{{1,2}})(?![\w^])"
"""Pattern of scientific notation."""
MIXED = rf"(?:\d{{1,9}}[ \xa0]?)?[{''.join(_VULGAR)}]|(?:\d{{1,9}}[ \xa0])?[1-7]/[2-8](?![\d/])"
"""Pattern of a fraction, or of a whole number and one."""
GROUPED = r"\d{1,3}(?:(?:['’]\d{3}){1,4}(?!\d)(?:\.\d{1,9})?|(?:\.\d{3}){2,4}(?![.\d]))"
"""Pattern of a number whose groups of digits can't be taken for decimals, though English would have commas."""
DECIMAL_COMMA = r"(?:\d{1,15},\d{1,2}|0,\d{1,9})(?![\d,])"
"""Pattern of a number with a decimal comma: English has three digits after one."""
_COMMAS = r"\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,9})?(?!\d)"
_SPACES = r"\d{1,3}(?:[ \xa0\u2009\u202f]\d{3}){1,4}(?!\d)"
DIGITS = rf"(?:{POWER}|{MIXED}|{GROUPED}|{_COMMAS}|{_SPACES}|{DECIMAL_COMMA}|{_PLAIN})"
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
SPELLED = rf"(?:{alternatives(SMALL_NUMBERS)})(?:[\s-](?:and\s)?(?:{alternatives((*SMALL_NUMBERS, *_SCALES))})){{0,9}}"
"""Pattern of a number of up to ten words, so that a long list takes no time; `read_spelled` knows whether it is one."""
NUMBER = rf"(?:{DIGITS}|(?i:{SPELLED}))"


def read_number(text: str) -> tuple[float, float] | None:
    """Return a number and half of its last place: 0.05 for "8.1", 0.5 for "33", 5 for "9,560", 0 for a fraction."""
    if not text[0].isdigit() and text[0] not in _VULGAR:
        value = read_spelled(text)
        return None if value is None else (float(value), _half_of_last_place(str(value)))
    if re.fullmatch(MIXED, text):
        *whole, fraction = re.split(r"[ \xa0]|(?=[^\d/])", text) if "/" not in text else text.split()
        upper, lower = _VULGAR.get(fraction) or map(int, fraction.split("/"))
        return float(sum(map(int, filter(None, whole)))) + upper / lower, 0.0
    if power := re.fullmatch(r"([\d.]+)(?:\s?[×x·*]\s?10\^?|[eE])(.+)", text):
        scale = 10.0 ** int(power[2].translate(_RAISED))
        return float(power[1]) * scale, _half_of_last_place(power[1]) * scale
    plain = in_english(text)
    return float(plain), _half_of_last_place(plain)


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


def in_english(text: str) -> str:
    """Return a number in digits without marks between its groups, and with a decimal point."""
    if re.fullmatch(DECIMAL_COMMA, text):
        return text.replace(",", ".")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", text):
        return text.replace(".", "")
    return re.sub(r"[^\d.]", "", text)


def in_prose(text: str) -> str:
    """Return a number in the form of English prose: "1,234,567" for "1'234'567", "600,000" for "6 × 10⁵"."""
    if re.fullmatch(POWER, text) and (read := read_number(text)):
        if 1 <= read[0] < _LARGEST:
            return f"{read[0]:,.0f}" if read[0] % 1 == 0 else f"{read[0]:,.10g}"
        mantissa, exponent = f"{read[0]:.10e}".split("e")
        return f"{float(mantissa):g} × 10^{int(exponent)}"
    if re.fullmatch(MIXED, text) and (read := read_number(text)):
        return f"{read[0]:.4g}"
    if re.fullmatch(GROUPED, text):
        whole, point, decimals = in_english(text).partition(".")
        return f"{int(whole):,}{point}{decimals}"
    return in_english(text) if re.fullmatch(DECIMAL_COMMA, text) else text


def written(number: float) -> str:
    """Return a number with four digits in the form of English prose: "8.047", "12,000", "1.2 million"."""
    rounded = float(f"{number:.4g}")
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if abs(rounded) >= size:
            return f"{rounded / size:g} {name}"
    return f"{rounded:,g}" if rounded % 1 else f"{rounded:,.0f}"


def read_roman(numeral: str) -> int:
    """Return the value of a Roman numeral."""
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _half_of_last_place(number: str) -> float:
    _, point, decimals = number.partition(".")
    return 0.5 * 10.0 ** (-len(decimals) if point else len(number) - len(number.rstrip("0")))
