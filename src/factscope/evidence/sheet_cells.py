"""Cells of a spreadsheet as its reader sees them: "12.5%" for 0.125, "January 2024" for the first day of that month."""

from __future__ import annotations

import re
from datetime import date, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from factscope.claims.text.raised import joined_runs

_MARK = re.compile(r'"([^"]*)"|\[\$([^\]-]*)[^\]]*\]|\\(.)|_.|\*.|\[[^\]]*\]')
"""A text in a number format, quoted or a currency or a single character; or white space, a colour or a condition."""
_NUMBER = re.compile(r"(?P<before>[^0#?]*)[0#?](?:[0#?,]*[0#?])?(?:\.(?P<decimals>[0#?]*))?(?P<after>[^0#?,]*)")
"""A number and the texts around it. With a comma at its end, which divides it by a thousand, it does not match."""
_PLUS = "+▲↑ "
"""Signs before a number that is not negative."""
_HEIGHTS = {"superscript": 1, "subscript": -1}
_ESCAPED = re.compile(r"_x(?![Dd][89A-Fa-f])([\dA-Fa-f]{4})_")
"""A character that XML can't hold or would change, such as a line break of Windows: `_x000D_`."""
_NO_SECONDS = re.compile(r"(?: 00:00|(?<=:\d\d)):00$")


def cell_text(cell: Any) -> str:
    """Return the text of a cell: a share in percent, a date without its hidden day, a number with its currency or unit.

    Only shares are rounded as they are shown. A percent sign that is a text in the format makes no share of a number.
    """
    value = cell.value
    if value is None or isinstance(value, str | bool | list):
        text = _rich_text(value) if isinstance(value, list) else "" if value is None else str(value)
        return _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), text)
    form = cell.number_format.split(";")[0].replace("General", "0")
    layout = _MARK.sub(lambda mark: mark[1] or mark[2] or mark[3] or "", form)
    if isinstance(value, date | time | timedelta):
        return _moment(value, layout.lower())
    if not isinstance(value, int | float):
        return str(value)
    # Spreadsheet programs show 15 digits: 0.3 where the file has 0.30000000000000004.
    size = f"{Decimal(f'{abs(value):.15g}'):f}" if isinstance(value, float) else str(abs(value))
    number = _NUMBER.fullmatch(layout)
    if not number:
        return f"-{size}" if value < 0 else size
    before = number["before"]
    if "%" in _MARK.sub("", form):
        step = Decimal(1).scaleb(-len(number["decimals"] or ""))
        size = str((Decimal(size) * 100).quantize(step, ROUND_HALF_UP))
    # The signs of numbers that are not negative are in the format: "+0.0%;-0.0%".
    return f"{'-' + before.lstrip(_PLUS) if value < 0 else before}{size}{number['after']}".strip()


def _rich_text(pieces: list[Any]) -> str:
    """Return a text whose pieces have formats of their own, without those that are struck out."""
    fonts = ((str(piece), getattr(piece, "font", None)) for piece in pieces)
    formats = ((text, font.vertAlign if font else "", font and font.strike) for text, font in fonts)
    return joined_runs((text, _HEIGHTS.get(position, 0)) for text, position, is_struck in formats if not is_struck)


def _moment(value: date | time | timedelta, layout: str) -> str:
    """Return a date or time in ISO 8601, or a duration in hours; without what its format hides: day, month, seconds."""
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
        duration = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if "s" in layout else "")
        return f"-{duration}" if value < timedelta() else duration
    if isinstance(value, date) and "d" not in layout and "h" not in layout and "y" in layout:
        return f"{value:%B %Y}" if "m" in layout else f"{value:%Y}"
    return _NO_SECONDS.sub("", str(value))
