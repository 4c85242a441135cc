"""Scales that a table states once for all its figures: "(EUR thousands)" above it, "€ million" in its corner.

Read on its own, a row says 44,950 where the document means 44.95 million euros. Figures that the scale may not be for,
such as a number of shops, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from factscope.claims.text.column_names import YEAR
from factscope.core import PatternFile

_WORDS = PatternFile(__package__, "table_scale.toml")
_CODES = "EUR|USD|GBP|CHF|NOK|SEK|DKK|JPY|CAD|AUD|CNY|INR|PLN|CZK"
_SYMBOL = rf"(?:(?:US|C|A)?\$|€|£|¥|(?:{_CODES})\b)"
_UNITS = r"(?:(?:US|U\.S\.) )?(?:euros?|dollars|pounds|francs|crowns|kroner|kronor|yen|rupees|yuan)"
_STATED = (
    rf"(?:(?P<symbol>(?<![A-Za-z]){_SYMBOL}) ?(?:in )?"
    r"(?P<scale>thousands?|millions?|billions?|mn?|mio\.?|bn|k|['’]?000s?)"
    rf"|\b(?P<short>[ktm]|mio\.?|mn) ?(?P<code>{_SYMBOL})"
    r"|(?P<leading>(?:euros|dollars|pounds)) in (?P<many>thousands|millions|billions)"
    rf"|(?P<plain>thousands|millions|billions|['’]000s?)(?: of (?P<words>{_UNITS}))?"
    r"|(?P<first>thousand|million|billion) (?P<unit>[A-Za-z]+))"
)
_OTHER = _STATED.replace("P<", "P<its_")
"""The same for a second place in a pattern, as each group has one name."""
_ABOUT = (
    r"(?:(?:all|audited|unaudited|amounts?|figures?|values?|data|numbers|units?|currency|are|expressed|stated|shown|given"
    r"|reported|presented)[ ,:]+)"
)
_EXCEPT = r"(?:,? (?:unless|except|other than|audited|unaudited)\b[^().]*)?"
_NO_NAME = r"(?!thousand |million |billion )"
"""Not "New York: Thousand Islands"."""
_CORNER = re.compile(rf"\(?(?:in )?{_STATED}\)?", re.IGNORECASE)
_OWN = re.compile(
    rf"\((?:in )?{_STATED}\)|(?:[,:] (?:in )?| {_NO_NAME}(?!thousands|millions|billions)){_OTHER}\s*$", re.IGNORECASE
)
_CAPTION = re.compile(
    rf"\({_ABOUT}*(?:in )?{_STATED}{_EXCEPT}\)\W*$"
    rf"|(?:(?:^|[,:;] )(?:in )?{_NO_NAME}|\bin (?!(?:thousands|millions|billions)\W*$)){_OTHER}[*_]*:?$",
    re.IGNORECASE,
)
_NOTE = re.compile(rf"(?:^|\. )\W*(?:{_ABOUT}+(?:in )?|in ){_STATED}{_EXCEPT}\W*$", re.IGNORECASE | re.MULTILINE)
"""A sentence about all tables: "Amounts in EUR million unless stated otherwise."."""
_THOUSAND, _MILLION, _BILLION = "thousand", "million", "billion"
_SCALES = {"k": _THOUSAND, "t": _THOUSAND, "000": _THOUSAND, "m": _MILLION, "mn": _MILLION, "mio": _MILLION}
_SCALES["bn"] = _BILLION
_CURRENCIES = {
    "$": "dollar",
    "us$": "dollar",
    "usd": "dollar",
    "€": "euro",
    "eur": "euro",
    "£": "pound",
    "gbp": "pound",
}
_MARK = re.compile(rf"(?<![A-Za-z]){_SYMBOL} ?| ?{_SYMBOL}$")
_FIGURE = re.compile(
    r"(?P<bound>[<>≤≥~≈] ?)?(?P<sign>[−–-] ?)?"
    r"(?P<amount>\d{1,3}(?:[, \u00a0\u202f'’]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\*?"
    r"|\((?P<loss>\d[\d,]*(?:\.\d+)?)\)"
)
_COUNT_AND_SHARE = re.compile(r"(?P<count>\d[\d,]*) \((?P<share>\d+(?:\.\d+)?)\)")
"""A cell of "Women, n (%)"."""
_NOTE_MARK = re.compile(r"\s*[(\[](?:\d{1,2}|[a-f])[)\]]$")
"""The mark of a footnote: "Contingency (1)"."""
_LARGE = 1000
"""Thousands from which an amount is read in millions, as a text has it."""
_NEAREST = 2
"""Lines above a table, the nearest first, that say what it is about: its caption and its heading."""
_HEADING = 12
"""Words. A longer line above a table is a sentence, which may be about something else."""


class Scale(NamedTuple):
    """Words around each figure of a table: "€", "million", " euros"."""

    before: str
    name: str
    after: str
    of_all: bool = False
    """Whether a note on all tables of the document states it, of which some may count something else."""

    @property
    def is_money(self) -> bool:
        """Whether it has a currency."""
        return bool(self.before or re.fullmatch(_UNITS, self.after.strip(), re.IGNORECASE))


def scaled_cells(
    names: Sequence[str],
    row: Sequence[str],
    captions: Sequence[str],
    below: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> list[str]:
    """Return the cells of a row, its figures with the scale of their column, of the row or of the table.

    `captions` are the lines above the table, the nearest first; `below` those after it, and `notes` those at the
    beginning of the document. A figure that has a unit, or may count something else, stays as it is.
    """
    texts = (cell for cell in row[1:] if not any(map(str.isdigit, cell)))
    label = " ".join([_NOTE_MARK.sub("", row[0]), *texts])
    corner = _CORNER.fullmatch(names[0].strip()) or _OWN.search(names[0])
    table = _scale(corner) if corner else _of_table(captions, below, notes, (*names, row[0]))
    own = _OWN.search(_NOTE_MARK.sub("", row[0]))
    topic = any(
        _has("money" if table and table.is_money else "things", line) for line in (names[0], *captions[:_NEAREST])
    )
    amounts = _amounts(names[1:]) if table and table.is_money else []
    if any(_has("games", name) for name in names[1:]):
        table = None  # "Losses" next to "Wins" is not money
    cells = [row[0]]
    for name, cell in zip(names[1:], row[1:], strict=True):
        is_likely = not amounts and (_has("money", label) or not YEAR.fullmatch(cell))
        is_clear = name in amounts or _is_period(name) or is_likely
        unlike = _counts(label, topic or _has("money", name)) or _has("apart", label)
        scale, both = None, _COUNT_AND_SHARE.fullmatch(cell)
        if of_column := _OWN.search(name):
            scale = _scale(of_column)
            scale = None if scale.is_money and _has("people", label) else scale
        elif not (_counts(name, topic) or _has("apart", name)):
            scale = _scale(own) if own else table if is_clear and not unlike else None
        if both and "%)" in f"{row[0]} {name}":
            cells.append(f"{both['count']} ({both['share']} %)")
        else:
            cells.append(_scaled(cell, scale) if scale else cell)
    return cells


def scale_note(text: str) -> str:
    """Return the line of a text that states a scale for all figures; empty without one."""
    match = _NOTE.search(text)
    return re.sub(r"^\W+|\W+$", "", match[0]) if match else ""


def _of_table(
    captions: Sequence[str], below: Iterable[str], notes: Iterable[str], words: Iterable[str]
) -> Scale | None:
    """Return the scale in a line above a table, or else below it or in a note on all; None if it may not be for it."""
    for at, line in enumerate(captions, 1):
        if match := _CAPTION.search(line) or _NOTE.search(line):
            return _scale(match)
        if at < len(captions) and len(line.split()) <= _HEADING and _counts(line, topic=False):
            return None  # the last is the heading of the whole document
    if match := next(filter(None, map(_NOTE.search, below)), None):
        return _scale(match)
    if not (match := next(filter(None, map(_NOTE.search, notes)), None)):
        return None
    scale = _scale(match)._replace(of_all=True)
    is_for_it = not scale.is_money or any(
        _has("money", text) or _has("finance", text) for text in chain(captions[:_NEAREST], words)
    )
    return scale if is_for_it else None


def _amounts(names: Sequence[str]) -> list[str]:
    """Return the names of columns with amounts of money; without any, those that may be: "Fee", "Amount"."""
    return [name for name in names if _has("money", name)] or [name for name in names if _has("amount", name)]


def _is_period(name: str) -> bool:
    """Tell whether the name of a column only tells when, or which of several figures: not "Companies 2023"."""
    return _has("period", name) and re.search(r"[^\W\d_]", _WORDS["period"].sub("", name)) is None


def _has(words: str, text: str) -> bool:
    return _WORDS[words].search(text) is not None


def _counts(text: str, topic: bool) -> bool:
    """Tell whether words are about people, things or ratios; with `topic`, things are what the table is about."""
    is_things = _has("things", text) and not topic and not _has("money", text)
    return is_things or _has("people", text) or _has("unlike", text)


def _scale(match: re.Match[str]) -> Scale:
    stated = {name.removeprefix("its_"): words for name, words in match.groupdict().items() if words}
    scale = next(stated[name] for name in ("scale", "short", "many", "plain", "first") if name in stated)
    scale = scale.lower().strip("'’.").removesuffix("s")
    symbol = stated.get("symbol") or stated.get("code") or ""
    unit = stated.get("words") or stated.get("unit") or stated.get("leading")
    return Scale(_before(symbol), _SCALES.get(scale, scale), f" {unit}" if unit else "")


def _before(symbol: str) -> str:
    return f"{symbol.upper()} " if symbol.isalpha() else symbol


def _scaled(cell: str, scale: Scale) -> str:
    """Return a cell with a scale; as it is with another unit or currency, or without a figure."""
    mark = _MARK.search(cell)
    match = _FIGURE.fullmatch(_MARK.sub("", cell, count=1).strip())
    symbol = mark[0].strip() if mark else ""
    if not match or (symbol and (scale.of_all or not _is_same(symbol, scale))):
        return cell
    figure, name = re.sub(r"[^\d.]", ",", match["amount"] or match["loss"]), scale.name
    amount = float(figure.replace(",", ""))
    if name == _THOUSAND and amount >= _LARGE:
        figure, name = f"{amount / _LARGE:,.10g}", _MILLION
    before, after = (_before(symbol), "") if symbol else (scale.before, scale.after)
    sign = "−" if match["loss"] or match["sign"] else ""
    return f"{match['bound'] or ''}{sign}{before}{figure} {name}{after}"


def _is_same(symbol: str, scale: Scale) -> bool:
    """Tell whether a sign or code is of the currency of a scale, or the scale has none."""
    currency = (scale.before or scale.after).strip().lower().replace(".", "").removeprefix("us ").rstrip("s")
    return not currency or _CURRENCIES.get(currency, currency) == _CURRENCIES.get(symbol.lower(), symbol.lower())
