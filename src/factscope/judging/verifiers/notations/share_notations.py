"""Notations of shares, all put into percent: "a quarter of", "one in four", "3/4 of", "14 of its 28 games"."""

from __future__ import annotations

import re
from functools import lru_cache

from factscope.judging.verifiers.notations.notation_form import has_words, notation
from factscope.judging.verifiers.notations.number_forms import SPELLED, read_spelled

_FRACTIONS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SHARE = (
    rf"(?<![\w.,/:-])(?:(?:(?P<a>an?|one)[\s-]|(?P<number>{SPELLED}|\d)[\s-])?"
    rf"(?P<fraction>half|halves|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?)\b"
    rf"|(?P<upper>{SPELLED}|\d{{1,2}})(?:\s(?:in|out\sof)\s(?:every\s)?|/(?=\d\d?\sof\b))"
    rf"(?P<lower>{SPELLED}|\d{{1,2}})"
    r"(?![\w-]|[.,:/]\d|\s(?:seconds|minutes|hours|days|weeks|months|years)\b))"
)
_SHARE_OR_PERCENT = rf"(?i)%|\bper\s?cent\b|{_SHARE}"
_OTHER_HALVES = frozenset(
    ("first", "second", "third", "other", "latter", "another", "last", "next", "upper", "lower", "same", "each")
)
"""Words before a half or third that is a thing, not a share."""
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s?(?:%|per\s?cent)")
_PLURAL = re.compile(r"\s(?:[a-z]+s|women|men|people|children)\b")


@notation(
    rf"(?i)(?<![\w.,/:-])(?P<upper>{SPELLED}|\d+) of (?P<whose>(?:the|its|their|his|her) )?"
    rf"(?P<lower>{SPELLED}|\d+)(?= [a-z]+s\b)",
    sign=_SHARE_OR_PERCENT,
)
def _share_of(match: re.Match[str], other: str) -> str | None:
    """Return "14 of its 28 games" as a share, unless the other text has the 14."""
    upper, lower = read_spelled(match["upper"]), read_spelled(match["lower"])
    if not upper or not lower or upper >= lower:
        return None
    if re.search(rf"\b(?:{match['upper']}|{upper})\b", other, re.IGNORECASE):
        return None
    return f"{100 * upper / lower:.0f}% of {match['whose'] or ''}{match['lower']}"


@notation(rf"(?i){_SHARE}", sign=_SHARE_OR_PERCENT)
def _share(match: re.Match[str], other: str) -> str | None:
    """Return a share in percent, as the other text rounds it; None where that has the same fractions."""
    fraction, number = (match["fraction"] or match["lower"]).lower(), match["number"] or match["upper"]
    if _fractions(match.string) & _fractions(other) or (match["fraction"] and not _is_share(match)):
        return None
    upper = read_spelled(number) if number else 1
    lower = (
        _FRACTIONS["half" if fraction == "halves" else fraction.removesuffix("s")]
        if match["fraction"]
        else read_spelled(fraction)
    )
    if not upper or not lower or upper >= lower:
        return None
    value = 100 * upper / lower
    rounded = [percent for percent in _PERCENT.findall(other) if abs(float(percent) - value) < 1 and value % 1]
    of = " of" if match["lower"] and _PLURAL.match(match.string, match.end()) else ""  # "one in four teachers"
    return f"{rounded[0] if rounded else f'{value:.0f}'}%{of}"


@lru_cache(maxsize=8)  # it is asked for each share of a text
def _fractions(text: str) -> frozenset[str]:
    shares = _share.pattern.finditer(text)
    return frozenset((share["fraction"] or share["lower"]).lower().removesuffix("s") for share in shares)


def _is_share(match: re.Match[str]) -> bool:
    """Tell whether "half", "a third", "two fifths" is a share: not of "the second half" or "a quarter of an hour"."""
    before = match.string[: match.start()].lower().split()[-1:]
    after = match.string[match.end() :]
    if re.match(r"\sof\san?\b", after) or (before and before[0] in _OTHER_HALVES):
        return False
    if match["fraction"].lower() == "half" and not match["number"]:
        return bool(re.match(r"\sof\b", after))
    is_amount = before == ["by"] or bool(re.match(r"\sof\b", after))
    return (
        match["fraction"].endswith("s")
        if match["number"] not in (None, "one", "One")
        else bool(match["a"]) and is_amount
    )


@notation(
    r"(?<=\()(?P<sign>[+−–-])\s?(?=\d[\d.,]*\s?(?:%|per\s?cent))",
    sign=r"(?i)\b(?:gr[eo]w|ros[ei]|ris[ei]|increas|climb|fell|fall|decreas|declin|dropp|up|down|lost|gain)",
)
def _signed_change(match: re.Match[str], _: str) -> str:
    """Return "up " for the sign of "(+21 %)"."""
    return "up " if match["sign"] == "+" else "down "


@notation(
    r"(?i)(?<![\w.,/:-])(?:(?P<points>\d+(?:\.\d+)?) (?:basis points?|bps?)|half an? percentage point)\b",
    sign=r"(?i)\d ?%|\bper ?cent(?:age)?\b|\bbasis points?\b|\bbps\b",
)
def _points(match: re.Match[str], other: str) -> str | None:
    """Return "0.5 percentage points" for "50 basis points" and "half a percentage point"."""
    if has_words(other, match[0]) or (match["points"] and re.search(r"(?i)\bbasis point|\bbps?\b", other)):
        return None
    return f"{float(match['points']) / 100 if match['points'] else 0.5:g} percentage points"


SHARES = (_points, _signed_change, _share_of, _share)
