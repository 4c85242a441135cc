"""Notations of imperial measures in metric ones: "33 feet" as "10 metres" beside these."""

from __future__ import annotations

import re

from factscope.judging.verifiers.builtin.lexicon import UNITS
from factscope.judging.verifiers.builtin.notation_form import alternatives, has_words, notation
from factscope.judging.verifiers.builtin.spelled_numbers import SPELLED, read_spelled

_ROUNDED = 0.02
"""Largest share by which a converted number may differ from one that was rounded: 5 miles are 8.05 km."""
_NAMES = "mile miles mi foot feet ft yard yards yd inch inches lb lbs pound pounds acre acres mph"
_IMPERIAL = {name: UNITS[name] for name in _NAMES.split()}
_METRIC = {
    **{name: unit for name, unit in UNITS.items() if unit[0] in {base for base, _ in _IMPERIAL.values()} - {"m/s"}},
    "km/h": UNITS["kmh"],
}
_NUMBER = rf"(?<![\w.,-])(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|{SPELLED})[ \xa0]?"
_QUANTITY = re.compile(rf"(?i){_NUMBER}(?P<unit>{alternatives(_METRIC.keys() - _IMPERIAL.keys())})(?![\w²/])")


@notation(rf"(?i){_NUMBER}(?P<unit>{alternatives(_IMPERIAL)})(?![\w²/])(?!\s?\d)", sign=_QUANTITY.pattern)
def imperial(match: re.Match[str], other: str) -> str | None:
    """Return "10 metres" for "33 feet" where the other text has the first and not the second."""
    if has_words(other, match[0]):
        return None
    base, factor = _IMPERIAL[match["unit"].lower()]
    for quantity in _QUANTITY.finditer(other):
        metric_base, metric_factor = _METRIC[quantity["unit"].lower()]
        if base == metric_base and is_near(match["number"], factor, quantity["number"], metric_factor, _ROUNDED):
            return quantity[0]
    return None


def is_near(number: str, factor: float, other: str, other_factor: float, share: float) -> bool:
    """Tell whether two written numbers in units of these sizes may be one that was rounded; they differ by a share."""
    amount, other_amount = read_amount(number) * factor, read_amount(other) * other_factor
    slack = _half_of_last_place(number) * factor + _half_of_last_place(other) * other_factor
    return abs(amount - other_amount) <= min(slack, share * max(amount, other_amount))


def read_amount(number: str) -> float:
    """Return the value of a number in digits or words."""
    return float(number.replace(",", "")) if number[0].isdigit() else float(read_spelled(number) or 0)


def _half_of_last_place(number: str) -> float:
    """Return 0.05 for "8.1", 0.5 for "33", 5 for "9,560"."""
    amount = number.replace(",", "") if number[0].isdigit() else str(read_spelled(number) or 0)
    _, point, decimals = amount.partition(".")
    return 0.5 * 10.0 ** (-len(decimals) if point else len(amount) - len(amount.rstrip("0")))
