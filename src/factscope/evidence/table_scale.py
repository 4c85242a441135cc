"""Scales that a table states once for all its figures: "(EUR thousands)" above it, "€ million" in its corner.

Read on its own, a row says 44,950 where the document means 44.95 million euros.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

_SYMBOL = r"(?P<symbol>(?:US)?\$|€|£|\b(?:EUR|USD|GBP|CHF)\b)"
_STATED = (
    rf"(?:{_SYMBOL} ?(?:in )?(?P<scale>thousands?|millions?|billions?|mn?|bn|k|['’]?000s?)"
    r"|(?P<plain>thousands|millions|billions)(?: of (?P<words>(?:US )?(?:euros|dollars|pounds|francs|crowns)))?"
    r"|(?P<first>thousand|million|billion) (?P<unit>[A-Za-z]+))"
)
_CORNER = re.compile(rf"\(?(?:in )?{_STATED}\)?", re.IGNORECASE)
_OWN = re.compile(rf"\((?:in )?{_STATED}\)|[,:] (?:in )?{_STATED.replace('P<', 'P<its_')}\s*$", re.IGNORECASE)
_CAPTION = re.compile(rf"\((?:all )?(?:(?:amounts|figures|values) )?(?:in )?{_STATED}\)\W*$", re.IGNORECASE)
_NOTE = re.compile(
    rf"^\W*(?:all )?(?:amounts|figures|values)(?: are)?(?: \w+)? in {_STATED}(?:,? (?:unless|except)\b[^.]*)?\W*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A sentence about all tables: "Amounts in EUR million unless stated otherwise."."""
_THOUSAND, _MILLION, _BILLION = "thousand", "million", "billion"
_SCALES = {"k": _THOUSAND, "m": _MILLION, "mn": _MILLION, "bn": _BILLION, "000": _THOUSAND, "000s": _THOUSAND}
_FIGURE = re.compile(
    r"(?P<sign>[−–-]?)(?P<amount>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)|\((?P<loss>\d[\d,]*(?:\.\d+)?)\)"
)
_COUNT_AND_SHARE = re.compile(r"(?P<count>\d[\d,]*) \((?P<share>\d+(?:\.\d+)?)\)")
"""A cell of "Women, n (%)"."""
_NOTE_MARK = re.compile(r"\s*[(\[](?:\d{1,2}|[a-z])[)\]]$")
"""The mark of a footnote: "Contingency (1)"."""
_LARGE = 1000
"""Thousands from which an amount is read in millions, as a text has it."""
_UNLIKE = re.compile(
    r"(?i)%|\(|\b(?:employees|headcount|staff|people|persons|shares?|per|ratio|margin|number|note|notes|no|change|fte)\b"
)
"""Words of a column or of a row's first cell whose figures are not scaled: a headcount, a price per share."""


class Scale(NamedTuple):
    """Words around each figure of a table: "€", "million", " euros"."""

    before: str
    name: str
    after: str


def stated_scale(corner: str, captions: Iterable[str], notes: Iterable[str] = ()) -> Scale | None:
    """Return the scale that is in the corner of a table, in a line above it, or in a note on all; None without one."""
    if match := _CORNER.fullmatch(corner.strip()) or _OWN.search(corner):
        return _scale(match)
    stated = (_CAPTION.search(line) or _NOTE.search(line) for line in captions)
    of_all = (_NOTE.search(line) for line in notes)
    found = next(filter(None, chain(stated, of_all)), None)
    return _scale(found) if found else None


def _scale(match: re.Match[str]) -> Scale:
    stated = {name.removeprefix("its_"): words for name, words in match.groupdict().items() if words}
    scale = (stated.get("scale") or stated.get("plain") or stated["first"]).lower().lstrip("'’")
    symbol, unit = stated.get("symbol", ""), stated.get("words") or stated.get("unit")
    before = f"{symbol.upper()} " if symbol.isalpha() else symbol
    return Scale(before, _SCALES.get(scale, scale.removesuffix("s")), f" {unit}" if unit else "")


def scaled(cell: str, column: str, label: str, table: Scale | None) -> str:
    """Return a cell with the scale of its column, or else of its row or `table`; as it is with a unit or no number.

    `label` is the first cell of its row.
    """
    if (both := _COUNT_AND_SHARE.fullmatch(cell)) and "%)" in f"{label} {column}":
        return f"{both['count']} ({both['share']} %)"
    match, label = _FIGURE.fullmatch(cell), _NOTE_MARK.sub("", label)
    own = (_OWN.search(column) or _OWN.search(label)) if match else None
    scale = _scale(own) if own else table
    if not match or not scale or (not own and (_UNLIKE.search(column) or _UNLIKE.search(label))):
        return cell
    figure, name = match["amount"] or match["loss"], scale.name
    amount = float(figure.replace(",", ""))
    if name == _THOUSAND and amount >= _LARGE:
        figure, name = f"{amount / _LARGE:,.10g}", _MILLION
    return f"{'−' if match['loss'] or match['sign'] else ''}{scale.before}{figure} {name}{scale.after}"
