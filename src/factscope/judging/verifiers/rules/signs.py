"""Signs and words beside a number that change its value, and that words alone do not show."""

from __future__ import annotations

import re

from factscope.claims.text.terms import term
from factscope.judging.verifiers.notations.number_forms import read_number
from factscope.judging.verifiers.rules.derivable import is_limit
from factscope.judging.verifiers.wording.analysis import TEMPERATURES
from factscope.judging.verifiers.wording.clauses import ClauseAlignment, same_quantity
from factscope.judging.verifiers.wording.lexicon import CURRENCIES
from factscope.judging.verifiers.wording.rival_dates import minutes
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_BEFORE = re.compile(r"(?:(?<!\w)[-–−]|[<>≤≥±~−$€£¥]\s?|\bminus\s)+$")
_AFTER = re.compile(r"\s?[%‰°$€£¥]|\+")
_DIGITS = re.compile(r"\d[\d.]*")
_HALF_DAY_TIME = re.compile(r"(?<![\d:.])(\d\d?(?:[:.]\d\d)?)\s?([ap])\.?m\b", re.IGNORECASE)
_FIGURES = re.compile(r"\d[\d,.]*")
_QUANTITY = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?|[^\W\d_]+)[ \xa0-]?(?P<unit>.*)", re.DOTALL)
_CONVERTED = 0.05
"""Largest share by which a number in one unit differs from the rounded one in another."""
_ALIKE = (frozenset(map(term, CURRENCIES)), frozenset(TEMPERATURES), frozenset(("s", "day", "year")), {"l", "gallon"})
"""Units of the same thing that are not converted to one base unit."""
_HALF_OF_DAY = re.compile(r"\s?([ap])\.?m\b", re.IGNORECASE)


def signs_at(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the signs before and after a number: minus, currency, comparison, percent."""
    before = _BEFORE.search(text[max(0, start - 7) : start])
    after = _AFTER.match(text, end)
    sign = re.sub("[–−]|minus", "-", before.group().strip()) if before else ""
    return sign, after.group().strip() if after else ""


def same_measures(
    text: str, claim: AnalysedSentence, passage: str, words: AnalysedSentence, aligned: ClauseAlignment
) -> bool:
    """Tell whether the numbers that a claim and a clause share also have the same signs, limits and half of the day.

    "-5 degrees" is not 5, nor "less than 300" 300, nor "9 am" 9 pm; version 3.10 is not version 3.1.
    """
    return all(
        signs_at(text, ours.start, ours.end) == signs_at(passage, theirs.start, theirs.end)
        and _half_of_day(text, ours.end) == _half_of_day(passage, theirs.end)
        and is_limit(claim, ours) == is_limit(words, theirs)
        and not _may_be_versions(text[ours.start : ours.end], passage[theirs.start : theirs.end])
        for ours, theirs in aligned.pairs
        if (ours.kind in NUMERIC and same_quantity(ours, theirs)) or minutes(ours.key) is not None
    )


def has_other_half(pair: SentencePair) -> bool:
    """Tell whether the passage has a time of the claim in the other half of the day only: 9 pm for 9 am."""
    ours, theirs = (
        {(time, half.casefold()) for time, half in _HALF_DAY_TIME.findall(text)}
        for text in (pair.claim.text, pair.passage.text)
    )
    return any((time, "p" if half == "a" else "a") in theirs for time, half in ours - theirs)


def has_other_unit(pair: SentencePair) -> bool:
    """Tell whether the passage has a number of the claim only with another unit of the same thing: 200 km/h for mph."""
    present = [other for other in pair.passage.items if other.kind == "count"]
    return any(
        any(_is_other_measure(item, other) and number == _number(pair.passage.text, other) for other in present)
        for item in pair.claimed.items
        if item.kind == "count" and (number := _number(pair.claim.text, item))
        if not any(
            item.unit == other.unit and abs(item.amount - other.amount) <= _CONVERTED * abs(item.amount)
            for other in present
        )
    )


def is_converted(pair: SentencePair) -> bool:
    """Tell whether every number that only the claim has is one of the closest sentence in another unit."""
    sides = pair.claim.text, pair.passage.text
    return bool(pair.new_numbers) and all(
        any(is_conversion(sides[0], item, sides[1], other) for other in pair.nearest.items) for item in pair.new_numbers
    )


def is_conversion(text: str, item: TextItem, passage: str, other: TextItem) -> bool:
    """Tell whether a number of a text is one of a passage, rounded, in another unit: "33 feet" of "10 metres"."""
    ours, theirs = _QUANTITY.match(text[item.start : item.end]), _QUANTITY.match(passage[other.start : other.end])
    if not ours or not theirs or item.unit != other.unit or not item.unit or ours["unit"] == theirs["unit"]:
        return False
    slack = 0.0
    for number, match in ((item, ours), (other, theirs)):
        if not (read := read_number(match["number"])) or not read[0]:
            return False
        slack += read[1] * number.amount / read[0]
    return abs(item.amount - other.amount) <= min(slack, _CONVERTED * max(item.amount, other.amount))


def _is_other_measure(item: TextItem, other: TextItem) -> bool:
    """Tell whether two quantities measure the same thing in different units."""
    if item.unit == other.unit != "":
        return item.amount != other.amount
    return any({item.unit, other.unit} <= units for units in _ALIKE)


def _number(text: str, item: TextItem) -> str:
    """Return the digits at the start of a quantity."""
    digits = _FIGURES.match(text, item.start, item.end)
    return digits[0].replace(",", "") if digits else ""


def _may_be_versions(ours: str, theirs: str) -> bool:
    """Tell whether two equal numbers are written with other zeros, as versions and codes may be: 3.10, 007."""
    return ours != theirs and bool(_DIGITS.fullmatch(ours) and _DIGITS.fullmatch(theirs))


def _half_of_day(text: str, end: int) -> str:
    match = _HALF_OF_DAY.match(text, end)
    return match[1].casefold() if match else ""
