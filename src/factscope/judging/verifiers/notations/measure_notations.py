"""Notations of measures in the units of another text: "33 feet" as "10 metres", "0.75 l" as "750 ml" beside these."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from factscope.judging.verifiers.notations.notation_form import alternatives, has_words, notation
from factscope.judging.verifiers.notations.number_forms import NUMBER, SPELLED, in_prose, read_number, written
from factscope.judging.verifiers.wording.lexicon import LISTS

_ROUNDED = 0.02
"""Largest share by which a converted number may differ from one that was rounded: 5 miles are 8.05 km."""
_OVEN, _OVEN_STEP = 120.0, 4.5
"""Lowest temperature of an oven in °C, and the largest difference of one that was rounded: 350 °F are 180 °C."""
_CLOSE, _FAR = 1.05, 20.0
"""Least and largest factor between measures that may be of the same thing, where one is wrong: 60 mph and 100 km/h may
both be rounded."""
_AMBIGUOUS = frozenset(("pound", "pounds", "stone", "bar", "bars"))
"""Units that may be something else after a number, as a single letter may be: "£5m", "the 30s"."""
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "three": 0.75}


class _Unit(NamedTuple):
    dimension: str
    factors: tuple[float, ...]
    """Sizes in the base unit of the dimension; several where countries differ."""
    is_imperial: bool
    zero: float = 0.0
    """The zero of the base unit in this one: 32 for °F."""


class _Quantity(NamedTuple):
    """A number with a unit of measure, or a range of two."""

    words: str
    last_words: str
    """The last number of a range with the unit; otherwise the same."""
    unit_words: str
    unit: _Unit
    numbers: tuple[float, ...]
    slack: float
    """Half of the last place of the number, of the last one in a range."""
    has_bound: bool
    """Whether the words before make it a bound: "just under"."""

    @property
    def last(self) -> _Quantity:
        """The last number alone: 100 km/h of "0 to 100 km/h"."""
        return self._replace(words=self.last_words, numbers=self.numbers[-1:])

    def in_base(self, factor: float, *, is_change: bool) -> tuple[float, ...]:
        """Return the numbers in the base unit; of a change of temperature "by 18 °F" as 10 °C."""
        zero = 0.0 if is_change else self.unit.zero
        return tuple((number - zero) * factor for number in self.numbers)


def _read_units() -> dict[str, _Unit]:
    units: dict[str, _Unit] = {}
    for dimension, factors, *names in (entry.split() for entry in LISTS["measures"].split(";")):
        zero = 32.0 if "°F" in names else 0.0
        sizes = tuple(map(float, factors.split("/")))
        unit = _Unit(dimension.rstrip("*"), sizes, dimension.endswith("*"), zero)
        units |= {name.replace("_", " "): unit for name in names}
    return units


_UNITS = _read_units()
_NOT_AFTER = r"(?<![\w.,/$£€:^])(?<!\w[–-])"
_A = "|".join(
    rf"(?<=\b{word} )an?" for word in ("for", "about", "last", "lasts", "lasted", "within", "after", "takes", "took")
)
"""Pattern of an article that counts: "lasted a year", but not "twice a year"."""
_MEASURE = (
    rf"{_NOT_AFTER}(?!\d+s\b)(?:(?:(?P<low>[−-]?{NUMBER})(?:\s?[–-]\s?|\s(?:to|and)\s))?(?P<minus>[−-]|minus )?"
    rf"(?P<number>{NUMBER})(?P<scale>\s(?:{'|'.join(_SCALES)}))?[ \xa0\u202f-]?|(?P<a>{_A})\s"
    rf"|(?:[Aa] |[Oo]ne )?(?P<part>[Hh]alf(?= an? |[ -]hour)|[Qq]uarter(?= of)|[Tt]hree(?=[ -]quarters of))"
    r"(?:[ -]quarters)?(?: of)?(?: an?)?[ -])"
    rf"(?P<unit>{alternatives(_UNITS)})(?![\w²³/^]|-old\b|['’]\d)"
    r"(?!,?\s?(?:and\s)?\d+(?:\.\d+)?\s?(?:in\b|inch|oz|ounce|lb|pound|[\"”″]))"
)
_COMPOUNDS = (
    ("inch", 12, ("feet", "foot", "ft", "'", "’", "′")),
    ("ounce", 16, ("pounds", "pound", "lbs", "lb")),
    ("pound", 14, ("stone", "st")),
)
"""A small unit, how many of it are a large one, and the names of that."""
_COMPOUND = (
    rf"{_NOT_AFTER}(?P<number>\d{{1,6}}|(?i:{SPELLED}))[ \xa0]?(?P<large>feet|foot|ft|['’′]|pounds?|lbs?|stone|st)"
    rf",?[ \xa0]?(?:and )?(?P<rest>{NUMBER})[ \xa0]?(?:(?P<small>inch|ounce|oz|pound|lb)(?:es|s)?\b|in\b|[\"”″]|'')"
)
_BOUND = re.compile(
    r"(?i)\b(?:(?<!extends )(?<!extending )(?<!spread )over|under|above|below|than|least|most|nearly|almost"
    r"|up to|close to|exceed(?:s|ed|ing)?|within|beyond)\s\Z"
)
_CHANGE = re.compile(
    r"(?i)\b(?:by|(?:ris|ros|increas|differen|drop|fall|warming|cooling)\w* of)"
    r"(?: (?:about|around|almost|nearly|over))? \Z"
)
"""End of the text before a temperature that is a change of one."""
_COMPARED = re.compile(r" (?:warm|cool|hott|cold|high|low)er\b")


@notation(_MEASURE, sign=r".")
def _measure(match: re.Match[str], other: str) -> str | None:
    """Return "10 metres" for "33 feet" where the other text has the first and not the second."""
    ours = _quantity(match)
    return _in_unit_of(ours, match, other) if ours else None


@notation(_COMPOUND, sign=r".")
def _compound(match: re.Match[str], other: str) -> str | None:
    """Return "1.85 m" for "6 ft 1 in"."""
    small_name, ratio, name = next(
        (small, ratio, names[0]) for small, ratio, names in _COMPOUNDS if match["large"] in names
    )
    large, small = read_number(match["number"]), read_number(match["rest"])
    if not large or not small or _UNITS[match["small"] or "inch"] != _UNITS[small_name]:
        return None
    number = large[0] + small[0] / ratio
    ours = _Quantity(match[0], match[0], name, _UNITS[name], (number,), small[1] / ratio, _has_bound(match))
    return _in_unit_of(ours, match, other)


def _in_unit_of(ours: _Quantity, match: re.Match[str], other: str) -> str | None:
    """Return a quantity in the words of an equal one of the other text, or in the unit of those that it has.

    The network compares numbers, and takes different ones for a contradiction whatever their units.
    """
    comparable = [theirs for theirs in _quantities(other) if theirs.unit.dimension == ours.unit.dimension]
    rivals = [theirs for theirs in comparable if _is_put_into(ours.unit, theirs.unit)]
    if not rivals or has_words(other, match[0]):
        return None
    before = match.string[max(0, match.start() - 40) : match.start()]
    is_change = bool(_CHANGE.search(before) or _COMPARED.match(match.string, match.end()))
    singles = [theirs.last for theirs in rivals]
    equal = next((theirs for theirs in (*rivals, *singles) if _are_equal(ours, theirs, is_change=is_change)), None)
    if equal and ours.has_bound <= equal.has_bound:
        words = equal.words
    else:
        units = {theirs.unit for theirs in comparable}
        if not equal and (len(units) > 1 or not _are_comparable(ours, rivals[0], match.string)):
            return None
        words = _converted(ours, equal or rivals[0], is_change=is_change)
    if ours.words.removesuffix(ours.unit_words).endswith("-"):  # "a one-year warranty"
        return re.sub(r"(?<=[a-z]{3})s$", "", re.sub(r"[ \xa0]", "-", words))
    return re.sub(rf"-(?={re.escape((equal or rivals[0]).unit_words)}$)", " ", words)


def _are_comparable(ours: _Quantity, theirs: _Quantity, text: str) -> bool:
    """Tell whether two quantities that differ may be of one thing: no money in "pounds", no limit on one side only."""
    may_be_another = ours.unit_words in _AMBIGUOUS and "weigh" not in text
    if ours.numbers == theirs.numbers or len(ours.unit.factors) > 1 or may_be_another:
        return False
    if re.search(r"^an? (?!quarter)|\d[A-Za-z]$", ours.words):
        return False
    sizes = [abs(each.numbers[-1] - each.unit.zero) * each.unit.factors[0] for each in (ours, theirs)]
    return ours.has_bound >= theirs.has_bound and _CLOSE * min(sizes) < max(sizes) <= _FAR * min(sizes)


def _converted(ours: _Quantity, theirs: _Quantity, *, is_change: bool) -> str:
    """Return a quantity in the unit of another one."""
    (factor, *_), zero = theirs.unit.factors, 0.0 if is_change else theirs.unit.zero
    numbers = (number / factor + zero for number in ours.in_base(ours.unit.factors[0], is_change=is_change))
    return f"{' to '.join(map(written, numbers))} {theirs.unit_words}"


def _is_put_into(unit: _Unit, other: _Unit) -> bool:
    """Tell whether quantities in one unit are put into another: imperial into metric ones, large into small."""
    if unit.dimension != other.dimension:
        return False
    if unit.is_imperial != other.is_imperial:
        return unit.is_imperial
    return unit.factors[0] > other.factors[0]


def _are_equal(ours: _Quantity, theirs: _Quantity, *, is_change: bool) -> bool:
    """Tell whether two quantities may be one that was rounded."""
    amounts = [(ours.in_base(factor, is_change=is_change), ours.slack * factor) for factor in ours.unit.factors]
    their_amounts = [
        (theirs.in_base(factor, is_change=is_change), theirs.slack * factor) for factor in theirs.unit.factors
    ]
    return len(ours.numbers) == len(theirs.numbers) and any(
        all(_is_rounded(*each, slack + other_slack, ours.unit.dimension) for each in zip(left, right, strict=True))
        for left, slack in amounts
        for right, other_slack in their_amounts
    )


def _is_rounded(left: float, right: float, slack: float, dimension: str) -> bool:
    if dimension == "temperature":
        is_oven = min(left, right) > _OVEN and not right % 5
        return abs(left - right) <= (_OVEN_STEP if is_oven else min(slack, 1.0))
    return abs(left - right) <= max(min(slack, _ROUNDED * max(abs(left), abs(right))), 1e-9 * abs(left))


@lru_cache(maxsize=8)  # it is asked for each measure of a text
def _quantities(text: str) -> tuple[_Quantity, ...]:
    quantities = map(_quantity, _measure.pattern.finditer(text))
    return tuple(quantity for quantity in quantities if quantity)


def _quantity(match: re.Match[str]) -> _Quantity | None:
    """Return the quantity of a match; None where its words are not a number: "nineteen eighty-four days"."""
    unit, has_bound = _UNITS[match["unit"]], _has_bound(match)
    if match["a"] or match["part"]:
        number, slack = (_FRACTIONS[match["part"].lower()], 0.0) if match["part"] else (1.0, 0.5)
        return _Quantity(match[0], match[0], match["unit"], unit, (number,), slack, has_bound)
    scale = _SCALES[match["scale"].strip()] if match["scale"] else 1.0
    amounts: list[float] = []
    slack = 0.0
    for name, is_negative in (("low", (match["low"] or "")[:1] in ("-", "−")), ("number", bool(match["minus"]))):
        if text := (match[name] or "").lstrip("−-"):
            if not (read := read_number(text)):
                return None
            amounts.append(read[0] * scale * (-1 if is_negative else 1))
            slack = max(slack, read[1] * scale)
    (start, end), text = match.span("number"), match.string
    last = f"{match['minus'] or ''}{in_prose(match['number'])}{text[end : match.end()]}"
    words = f"{text[match.start() : start - len(match['minus'] or '')]}{last}"
    return _Quantity(words, last, match["unit"], unit, tuple(amounts), slack, has_bound)


def _has_bound(match: re.Match[str]) -> bool:
    return bool(_BOUND.search(match.string[max(0, match.start() - 20) : match.start()]))


MEASURES = (_compound, _measure)
"""In order: of two at one place the earlier one counts."""
