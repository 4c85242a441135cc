"""Cells of a spreadsheet as its reader sees them: "12.5%" for 0.125, "January 2024" for the first day of that month."""

from __future__ import annotations

import re
from datetime import date, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

_MARK = re.compile(r'"([^"]*)"|\[\$([^\]-]*)[^\]]*\]|\\(.)|_.|\*.|\[[^\]]*\]')
"""A text in a number format, quoted or a currency or a single character; or white space, a colour or a condition."""
_NUMBER = re.compile(r"(?P<before>[^0#?]*)[0#?](?:[0#?,]*[0#?])?(?:\.(?P<decimals>[0#?]*))?(?P<after>[^0#?,]*)")
"""A number and the texts around it. With a comma at its end, which divides it by a thousand, it does not match."""
_PLUS = "+▲↑ "
"""Signs before a number that is not negative."""
_NO_SECONDS = re.compile(r"(?: 00:00|(?<=:\d\d)):00$")


def cell_text(cell: Any) -> str:
    """Return the text of a cell: a share in percent, a date without its hidden day, a number with its currency or unit.

    Only shares are rounded as they are shown. A percent sign that is a text in the format makes no share of a number.
    """
    value = cell.value
    if value is None or isinstance(value, str | bool):
        return "" if value is None else str(value)
    form = cell.number_format.split(";")[0]
    layout = _MARK.sub(lambda mark: mark[1] or mark[2] or mark[3] or "", form)
    if isinstance(value, date | time):
        return _moment(value, layout.lower())
    number = _NUMBER.fullmatch(layout)
    if not isinstance(value, int | float) or not number:
        return str(value)
    size, before = str(abs(value)), number["before"]
    if "%" in _MARK.sub("", form):
        step = Decimal(1).scaleb(-len(number["decimals"] or ""))
        size = str((Decimal(size) * 100).quantize(step, ROUND_HALF_UP))
    # The signs of numbers that are not negative are in the format: "+0.0%;-0.0%".
    return f"{'-' + before.lstrip(_PLUS) if value < 0 else before}{size}{number['after']}".strip()


def _moment(value: date | time, layout: str) -> str:
    """Return a date or time in ISO 8601; without the day or the month that its format hides."""
    if isinstance(value, date) and "d" not in layout and "h" not in layout and "y" in layout:
        return f"{value:%B %Y}" if "m" in layout else f"{value:%Y}"
    return _NO_SECONDS.sub("", str(value))
