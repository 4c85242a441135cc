"""Dates as pages write them → ISO 8601."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from importlib.resources import files

EARLIEST, LATEST = 1500, 2100
"""Range of years for a date of publication."""

_LISTS = tomllib.loads(files(__package__).joinpath("dates.toml").read_text("utf-8"))
MONTHS: dict[str, int] = {name: number for number, names in enumerate(_LISTS["months"], 1) for name in names.split()}
_MONTH_NAMES = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)|(?<!\d)(\d{4})(\d{2})(\d{2})(?:t|$|\d{6}$)")
_WRITTEN = (
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?(?:-|\s*(?:de\s+"
    rf"|of\s+)?)(?P<m>{_MONTH_NAMES})\b(?:-|\.?,?\s*(?:de\s+)?)(?P<y>\d{{4}})"),
    re.compile(rf"\b(?P<m>{_MONTH_NAMES})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})"),
    re.compile(r"(?P<y>\d{4})\s*[年년]\s*(?P<m>\d{1,2})\s*[月월]\s*(?P<d>\d{1,2})\s*[日일]"),
    re.compile(r"(?<!\d)(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})(?!\d)"),
)  # fmt: skip
_LONGEST = 160  # characters of a line that may be a byline
_DIGIT = re.compile(r"\d")
_SLASHES = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?![\d/-])")
_ANY = re.compile(
    r"\d{4}-\d{2}-\d{2}\S*|\d{1,4}[./]\d{1,2}[./]\d{2,4}|\d{4}年\d{1,2}月\d{1,2}日"
    rf"|\b(?:{_MONTH_NAMES})\b\.?"
    r"|\b\d{4}\b|\b\d{1,2}[:.h時点]\d{2}(?:[:.]\d{2}|分)?\s*(?:[ap]\.?m\.?\b)?"
    r"|\b\d{1,2}(?:st|nd|rd|th|\.)?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b"
    r"|\b(?:mon|diens|donners|frei|sams|sonn)tag\b|\bmittwoch\b"
)


def iso_date(text: str) -> str | None:
    """Return the date, as `2024-05-17`, that a text states unambiguously; `None` if it states none.

    `05/06/2024` may be in May or in June, so it does not count.
    """
    text = text.strip().lower()[:_LONGEST]
    if not _DIGIT.search(text):
        return None
    match = _ISO.search(text)
    if match:
        year, month, day = match.group(1, 2, 3) if match[1] else match.group(4, 5, 6)
        return _valid(int(year), int(month), int(day))
    for written in _WRITTEN:
        if match := written.search(text):
            month_named = match["m"]
            month_number = MONTHS.get(month_named) or int(month_named)
            return _valid(int(match["y"]), month_number, int(match["d"]))
    if match := _SLASHES.search(text):
        first, other, year = (int(group) for group in match.group(1, 3, 4))
        if max(first, other) > 12 or first == other:
            return _valid(year, min(first, other), max(first, other))
    return None


def without_dates(text: str) -> str:
    """Return a text without dates, times and parts of them."""
    return _ANY.sub(" ", text.casefold())


def _valid(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat() if EARLIEST <= year <= LATEST else None
    except ValueError:
        return None
