"""Notations of plain numbers, put into that of English prose: "1'234'567", "2,5", "3×10⁸", "300 crore", "¾", "XXI"."""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.notation_form import alternatives, has_words, notation
from factscope.judging.verifiers.notations.number_forms import (
    DECIMAL_COMMA,
    DIGITS,
    GROUPED,
    MIXED,
    POWER,
    SPELLED,
    in_prose,
    read_number,
    read_roman,
    written,
)
from factscope.judging.verifiers.wording.lexicon import ORDINALS

_START = r"(?<![\w.,/:$€£'’^-])"
_INDIAN = {"lakh": 1e5, "crore": 1e7, "lakh crore": 1e12}
_COUNTED = (
    "cups?|pints?|teaspoons?|tablespoons?|tsp|tbsp|inch(?:es)?|in|feet|foot|ft|yards?|miles?|lbs?|pounds?|oz|ounces?"
    "|gallons?|acres?|hectares?|kg|kilos?|grams?|lit(?:re|er)s?|met(?:re|er)s?|km|m|l|g|tonnes?|points?|degrees?"
    "|seconds?|min(?:utes?)?|h|hrs?|hours?|days?|weeks?|months?|years?|per ?cent|milligrams?|mg"
)
"""Things that a fraction counts: "1/2" before another word may be a date or a row."""
_FRACTIONS = {
    "half": "0.5",
    "quarter of": "0.25",
    "three quarters of": "0.75",
    "three-quarters of": "0.75",
    "tenth of": "0.1",
    "hundredth of": "0.01",
}


@notation(rf"{_START}{GROUPED}(?![\w'’]|[.,]\d)", sign=r"\d|million")
def _grouped(match: re.Match[str], other: str) -> str | None:
    """Return "1,234,567" for "1'234'567" and "1.234.567"."""
    if has_words(other, match[0]):  # it may be a version
        return None
    return in_prose(match[0])


@notation(
    rf"{_START}{DECIMAL_COMMA}"
    r"(?=[ \xa0\u202f]?(?:[%‰€°]|(?:[kcmµM]?[mgl]|t|ha|[kMG]?Wh?|km/h|per\s?cent|million|billion|euros?)\b))",
    sign=r"\d",
)
def _decimal_comma(match: re.Match[str], other: str) -> str | None:
    """Return "2.5" for the "2,5" of "2,5 m"."""
    return None if has_words(other, match[0]) else in_prose(match[0])


@notation(r"(?<![\w.,])(\d[\d,]*)\.00(?![\d.,]*\d)", sign=r"\d")
def _without_cents(match: re.Match[str], other: str) -> str | None:
    """Return "45" for "45.00" if the other text has the amount so."""
    return match[1] if re.search(rf"(?<![\d.,]){match[1]}(?![\d.,]*\d)", other) else None


@notation(rf"{_START}{POWER}", sign=r"\d")
def _power(match: re.Match[str], other: str) -> str | None:
    """Return "600,000" for "6 × 10⁵", and larger or small numbers in one form of scientific notation."""
    return None if has_words(other, match[0]) else in_prose(match[0])


@notation(
    rf"{_START}(?P<sign>[$€£]?)(?P<number>\d{{1,3}}(?:,\d{{3}}){{1,4}}|\d{{4,12}})"
    r"(?: (?P<scale>thousand|million)|(?P<short>k|mn?))\b",
    sign=r"(?i)\d ?(?:m|bn|[mb]illion|trillion)\b",
)
def _many_thousands(match: re.Match[str], _: str) -> str | None:
    """Return "$1.25 billion" for "$1,250m", "3 million" for "3,000 thousand"."""
    if match["short"] and not match["sign"]:  # metres
        return None
    is_thousand = (match["scale"] or match["short"])[0] in "tk"
    return f"{match['sign']}{written(float(match['number'].replace(',', '')) * (1e3 if is_thousand else 1e6))}"


@notation(
    rf"{_START}(?P<number>\d{{1,9}}(?:\.\d{{1,9}})?)(?P<scale>k\b|(?:m|bn)(?= (?:[a-z]+s|people)\b))",
    sign=r"\d (?:million|billion)\b|\d,\d{3}\b",
)
def _short_scale(match: re.Match[str], other: str) -> str | None:
    """Return "3.4 million" for "3.4m people", "250,000" for "250k", where the other text has the first."""
    scale = {"m": " million", "bn": " billion"}.get(match["scale"])
    words = f"{match['number']}{scale}" if scale else f"{float(match['number']) * 1000:,.0f}"
    return words if has_words(other, words) else None


@notation(
    rf"{_START}(?P<number>{DIGITS})\s(?P<scale>{alternatives(_INDIAN)})s?\b",
    sign=r"(?i)\b(?:[mb]illion|trillion)\b|\d{3}",
)
def _indian(match: re.Match[str], _: str) -> str | None:
    """Return "3 billion" for "300 crore"."""
    read = read_number(match["number"])
    return written(read[0] * _INDIAN[match["scale"]]) if read else None


@notation(rf"{_START}{MIXED}(?=\s?%|\s(?:{_COUNTED})\b)", sign=r"\d\.\d|\b(?:half|quarters?|thirds?)\b|[½¼¾⅓⅔]|\d/\d")
def _fraction(match: re.Match[str], other: str) -> str | None:
    """Return "0.75" for the "¾" of "¾ cup"."""
    return None if match[0] in other else in_prose(match[0])


@notation(
    rf"(?i)\b(?:an?\s|one\s)?(?P<part>{alternatives(_FRACTIONS)})\s(?:an?|one)\s(?P<unit>(?!hour|day|year){_COUNTED})\b",
    sign=r"\d\.\d|[½¼¾]|\d/\d",
)
def _fraction_of_unit(match: re.Match[str], _: str) -> str:
    """Return "0.5 teaspoon" for "half a teaspoon"."""
    return f"{_FRACTIONS[match['part'].lower()]} {match['unit']}"


@notation(r"(?i)\b(?:two times|2 times|2x|thrice)(?!\w)", sign=r"(?i)\btwice\b|\bthree times\b|\b3 times\b")
def _twice(match: re.Match[str], _: str) -> str:
    """Return "twice" for "two times", "three times" for "thrice"."""
    return "three times" if match[0].lower() == "thrice" else "twice"


@notation(r"(?i)\ba couple of (?P<noun>[a-z]+)\b", sign=r"(?i)\btwo\b|\b2\b")
def _couple(match: re.Match[str], other: str) -> str | None:
    """Return "two weeks" for "a couple of weeks" where the other text has these."""
    return next((words for count in ("two", "2") if has_words(other, words := f"{count} {match['noun']}")), None)


@notation(r"\b(?P<name>[A-Z][a-z]+) (?P<numeral>[VXLC]|[IVXLC]{2,})(?![\w-]|\.\w)", sign=r"\d")
def _numbered_name(match: re.Match[str], other: str) -> str | None:
    """Return "Super Bowl 56" for "Super Bowl LVI"."""
    if not re.search(rf"\b{match['name']} (?:\d+|(?i:{SPELLED}))\b", other):
        return None
    return f"{match['name']} {read_roman(match['numeral'])}"


@notation(
    r"\b(?P<numeral>[IVXLC]+)(?P<end>(?:st|nd|rd|th|e)?)\s(?P<noun>[A-Za-z]+)\b",
    sign=rf"(?i)\d(?:st|nd|rd|th)\b|\b(?:{alternatives(ORDINALS)})\b",
)
def _roman_ordinal(match: re.Match[str], other: str) -> str | None:
    """Return "21st century" for "XXI century"."""
    if match["numeral"] in "ICL" and not match["end"]:
        return None
    if not re.search(rf"(?i)(?:\d(?:st|nd|rd|th)|\b(?:{alternatives(ORDINALS)}))\s{match['noun']}\b", other):
        return None
    value = read_roman(match["numeral"])
    ending = "th" if 10 < value % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending} {match['noun']}"


NUMBERS = (
    _grouped, _without_cents, _many_thousands, _short_scale, _power, _indian, _decimal_comma, _fraction_of_unit,
    _fraction, _twice, _couple, _roman_ordinal, _numbered_name,
)  # fmt: skip
"""In order: of two at one place the earlier one counts."""
