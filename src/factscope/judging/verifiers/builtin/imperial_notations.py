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
    (base, factor), amount = _IMPERIAL[match["unit"].lower()], _amount(match["number"])
    for quantity in _QUANTITY.finditer(other):
        metric_base, metric_factor = _METRIC[quantity["unit"].lower()]
        metres = _amount(quantity["number"]) * metric_factor
        if base == metric_base and abs(amount * factor - metres) <= _ROUNDED * metres:
            return quantity[0]
    return None


def _amount(number: str) -> float:
    return float(number.replace(",", "")) if number[0].isdigit() else float(read_spelled(number) or 0)
