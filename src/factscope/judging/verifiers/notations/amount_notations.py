"""Notations of amounts: money, numbers in words, units, numerals, scores and telephone numbers."""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.measure_notations import MEASURES
from factscope.judging.verifiers.notations.notation_form import alternatives, has_words, notation
from factscope.judging.verifiers.notations.number_forms import (
    DECIMAL_COMMA,
    SPELLED,
    in_english,
    read_roman,
    read_spelled,
)
from factscope.judging.verifiers.notations.number_notations import NUMBERS
from factscope.judging.verifiers.notations.share_notations import SHARES
from factscope.judging.verifiers.wording.lexicon import LISTS, NUMBERED, ORDINALS

_CURRENCIES = {"£": "pounds", "gbp": "pounds", "€": "euros", "eur": "euros", "$": "dollars", "d": "dollars",
               "chf": "Swiss francs"}  # fmt: skip
_SCALES = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion"}
_CENTS = {"£": "pence", "€": "cents", "$": "cents"}
_UNIT_NAMES = {
    form.replace("_", " "): name.strip()
    for name, forms in (entry.split(":") for entry in LISTS["unit_names"].split(";"))
    for form in forms.split()
}
_FAR = 3
"""Largest factor between a figure and the one of the year before, in brackets; a footnote is smaller."""
_ORDINAL_NAMES = {value: word for word, value in ORDINALS.items()}
_WARS = {"1": "First", "one": "First", "i": "First", "2": "Second", "two": "Second", "ii": "Second"}


@notation(
    r"(?<![\w.,])(?:(?P<sign>[£€$])0\.(?P<cents>\d\d)|(?P<pence>\d{1,2})p)(?![\w.,]\w|\w)",
    sign=r"\d\s?p\b|\b(?:pence|(?<!per )cents?)\b|£0\.\d\d",
)
def _cents(match: re.Match[str], _: str) -> str:
    """Return "80 cents" for "$0.80", "50 pence" for "50p"."""
    return f"{int(match['cents'])} {_CENTS[match['sign']]}" if match["sign"] else f"{match['pence']} pence"


@notation(
    r"(?<![\w.,])(?P<whole>\d+) (?P<currency>pounds|euros|dollars) (?:and )?(?P<cents>\d\d)"
    r"(?: (?:pence|cents)\b|(?!\s[a-z]|[\w%:,/-]))",
    sign=r"\d\.\d\d\b",
)
def _pounds_and_pence(match: re.Match[str], _: str) -> str:
    """Return "8.50 pounds" for "8 pounds 50"."""
    return f"{match['whole']}.{match['cents']} {match['currency']}"


_CURRENCY = r"£|€|(?:US)?\$|\b(?:GBP|EUR|USD|CHF)(?=[\s\d])"
_CURRENCY_WORD = re.compile(r"\b(?:pounds|euros?|dollars?|francs?)\b", re.IGNORECASE)
_CONTINENTAL = re.compile(r"(?<![\w.,])\d{1,3}(?:\.\d{3})+,\d\d?(?![\w.,]\w|\w)")


@notation(
    rf"(?i)(?<![\w$£€])(?:(?P<sign>{_CURRENCY})\s?)?(?P<amount>\d+(?:[.,'’]\d+)*)"
    r"(?P<scale>(?:\s(?:thousand|million|billion|trillion)|k|mn?|bn)\b)?"
    r"(?:\s?(?P<sign_after>€|(?:GBP|EUR|USD|CHF)\b))?(?![\w–-]|[.,]\d)",
    sign=rf"(?i){_CURRENCY}|{_CURRENCY_WORD.pattern}",
)
def _money(match: re.Match[str], other: str) -> str | None:
    """Return "201.9 million pounds" for "£201.9m"."""
    if bool(match["sign"]) == bool(match["sign_after"]):
        return None
    sign = (match["sign"] or match["sign_after"]).lower().removeprefix("us")
    if sign in other.lower() and not sign.isalpha() and not _CURRENCY_WORD.search(other):
        return None  # both have the sign
    scale, amount = (match["scale"] or "").strip().lower(), _plain_amount(match["amount"])
    scale = _SCALES.get(scale, scale)
    if scale == "million" and re.fullmatch(r"\d,\d{3}", amount):
        amount, scale = f"{float(amount.replace(',', '')) / 1000:g}", "billion"
    return " ".join(filter(None, (amount, scale, _CURRENCIES[sign])))


def _plain_amount(amount: str) -> str:
    """Return an amount with the marks of English, if it is written as "1.200,50", "8,50" or "1'200.50"."""
    if re.fullmatch(DECIMAL_COMMA, amount):
        return in_english(amount)
    return (
        amount.translate(str.maketrans(",.", ".,")) if _CONTINENTAL.fullmatch(amount) else re.sub("['’]", ",", amount)
    )


@notation(_CONTINENTAL.pattern, sign=r"\d")
def _continental(match: re.Match[str], _: str) -> str:
    """Return "1,200.50" for "1.200,50"."""
    return _plain_amount(match[0])


_FIGURE = r"(?P<figure>\d[\d,]*(?:\.\d+)?)"
_SCALED = re.compile(rf"{_FIGURE}(?P<scale> ?(?:thousand|million|billion|percent|per cent|%))\Z")


@notation(
    rf"(?:(?<=thousand)|(?<=million)|(?<=billion)|(?<=percent)|(?<=per cent)|(?<=%)) \({_FIGURE}\)",
    sign=r"(?i)\d ?(?:thousand|million|billion|percent|per cent|%)",
)
def _in_brackets(match: re.Match[str], _: str) -> str | None:
    """Return " (431 million)" for the brackets of "512 million (431)", where both may be the same measure."""
    before = _SCALED.search(match.string[max(0, match.start() - 40) : match.start()])
    if not before or re.fullmatch(r"[12]\d{3}", match["figure"]):  # a year
        return None
    amount, other = (float(each["figure"].replace(",", "")) for each in (before, match))
    return f"{match[0][:-1]}{before['scale']})" if amount / _FAR <= other <= amount * _FAR else None


@notation(
    r"\((?:(?P<year>(?:(?:Q[1-4]|H[12]|FY) ?)?20\d\d(?:[/–-]\d\d)?)|(?i:prior|previous|last) year): ?"
    r"(?P<figure>[−–+-]?[^\s():;]{0,4}\d[^():;]{0,30})\)",
    sign=r"\d",
)
def _of_other_year(match: re.Match[str], _: str) -> str:
    """Return "(1,310 in 2021)" for "(2021: 1,310)", whose colon parts the number from its year."""
    year = f"in {match['year']}" if match["year"] else "the year before"
    return f"({match['figure']} {year})"


@notation(
    r"(?i)\b(?:(?P<half>half)|(?P<three>three[ -]quarters|¾) of|(?:a|one)[ -]quarter of) an?\s"
    r"(?P<scale>million|billion|dozen)\b",
    sign=r".",
)
def _part_of_scale(match: re.Match[str], _: str) -> str:
    """Return "500,000" for "half a million"."""
    quarters = 2 if match["half"] else 3 if match["three"] else 1
    return {"million": f"{250 * quarters},000", "billion": f"{250 * quarters} million", "dozen": f"{3 * quarters}"}[
        match["scale"].lower()
    ]


@notation(
    rf"(?i)(?<![\w.,/-])(?:(?P<whole>{SPELLED}|\d{{1,3}})(?:\sand\s(?:a\s|one[\s-])half\b|\s?½|\s1/2)(?:\s(?P<unit>[a-z]+))?"
    r"|an?\s(?P<single>month|week|mile|kilomet(?:re|er)|met(?:re|er)|pint|lit(?:re|er)|pound|tonne)\sand\sa\shalf\b)",
    sign=r"[\d½]|\band a half\b",
)
def _and_a_half(match: re.Match[str], other: str) -> str | None:
    """Return "1.5 months" for "a month and a half"."""
    if match["single"]:
        return f"1.5 {match['single']}s"
    whole = read_spelled(match["whole"])
    return None if whole is None or has_words(other, match[0]) else f"{whole}.5 {match['unit'] or ''}".rstrip()


@notation(
    rf"(?i)(?<![\w.,-])(?P<number>\d+|{SPELLED}) degrees(?P<scale> Celsius| Fahrenheit)? below zero\b",
    sign=r"(?<!\w)[−–-]\d|\bminus\b",
)
def _below_zero(match: re.Match[str], other: str) -> str:
    """Return "−12 degrees" for "twelve degrees below zero", with the minus of the other text."""
    minus = re.search(r"[−–-](?=\d)|\bminus ", other)
    number, scale = match["number"], match["scale"] or (" Celsius" if re.search(r"°C|Celsius", other) else "")
    return f"{minus[0] if minus else 'minus '}{number if number.isdigit() else read_spelled(number)} degrees{scale}"


_ROUNDED = re.compile(
    r"\b(?:almost|nearly|about|around|roughly|approximately|some|over|under|than|least|most) \Z", re.IGNORECASE
)
"""End of the text before a rounded number, which is read better in words."""


@notation(rf"(?i)(?<![\w.,-])(?<!\d ){SPELLED}(?![\w-])", sign=r"\d\d|\d\.\d")
def _spelled(match: re.Match[str], other: str) -> str | None:
    """Return a number in words in digits, but not a small one, or a series of numbers."""
    value = read_spelled(match[0])
    if value is None or value <= 12 or has_words(other, match[0]) or _ROUNDED.search(match.string[: match.start()]):
        return None
    return f"{value / 1e6:g} million" if value % 100_000 == 0 and value >= 1_000_000 else f"{value:,}"


@notation(
    rf"(?:(?<=[\d½¼¾⅓⅔])[ \xa0]?|(?P<per>\bper |(?<=\w)/))(?P<form>{alternatives(_UNIT_NAMES)})(?![\w²³/])", sign=r"."
)
def _unit(match: re.Match[str], other: str) -> str | None:
    """Return " square kilometres" for "km²" if the other text has that unit in another form."""
    form = match["form"]
    name = _UNIT_NAMES[form]
    others = [each for each, its_name in _UNIT_NAMES.items() if its_name == name and each != form]
    if match["per"]:
        unit = name.removesuffix("s")
        return f"{' ' if match['per'] == '/' else ''}per {unit}" if f"per {unit[:-2]}" in other.lower() else None
    is_there = name[:5] in other.lower() or any(re.search(rf"\d\s?{re.escape(each)}(?!\w)", other) for each in others)
    return f" {name}" if is_there else None


@notation(r"(?<![\w.,])(?P<feet>\d)(?:['’′]\s?(?P<inches>\d\d?)(?:[\"”″]|''))", sign=r"\b(?:feet|foot)\b|\d\s?ft\b")
def _feet(match: re.Match[str], _: str) -> str:
    """Return "6 feet 2 inches" for "6' 2""."""
    return f"{match['feet']} feet {match['inches']} inches"


_NUMBERED = rf"(?:{alternatives(NUMBERED | {'volume', 'vol.', 'part', 'book', 'section', 'appendix', 'division'})})"


@notation(rf"(?i)\b(?P<noun>{_NUMBERED})\s(?P<numeral>[IVXL]+|(?-i:{SPELLED}))(?![\w-]|\.\w)", sign=rf"(?i){_NUMBERED}")
def _numbered(match: re.Match[str], other: str) -> str | None:
    """Return "Chapter 5" for "Chapter V" and "Chapter five"."""
    if has_words(other, match[0]) or not re.search(
        rf"\b{match['noun']}\s(?:\d|{SPELLED}|[IVXL]+\b)", other, re.IGNORECASE
    ):
        return None
    numeral = match["numeral"]
    if numeral == "I" and match["noun"].islower():  # "the part I played"
        return None
    value = read_roman(numeral) if numeral.isupper() else read_spelled(numeral)
    return f"{match['noun']} {value}"


@notation(r"\bWorld War (?P<number>II?|[12]|[Oo]ne|[Tt]wo)\b", sign=r"\bWorld War\b")
def _world_war(match: re.Match[str], _: str) -> str:
    """Return "the Second World War" for "World War II"."""
    the = "" if match.string[: match.start()].lower().endswith("the ") else "the "
    return f"{the}{_WARS[match['number'].lower()]} World War"


_REGNAL = r"\b(?P<name>[A-Z][a-zé]+) (?P<numeral>X{0,2}(?:IX|IV|V?I{1,3}|V)|X{1,2})(?![\w.-])"


@notation(_REGNAL, sign=rf"{_REGNAL}|\bthe [A-Z][a-z]+(?:st|nd|rd|th)\b")
def _regnal(match: re.Match[str], other: str) -> str | None:
    """Return "Henry the Eighth" for "Henry VIII" where the other text has a number with the same name."""
    if has_words(other, match[0]) or not re.search(rf"\b{match['name']} (?:the [A-Z][a-z]+|[IVX]+)\b", other):
        return None
    value = read_roman(match["numeral"])
    ordinal = _ORDINAL_NAMES[value] if value <= 20 else f"twenty-{_ORDINAL_NAMES[value - 20]}"
    return f"{match['name']} the {ordinal.capitalize()}"


@notation(
    rf"(?i)(?<![\w.,:-])(?:(?P<first>{SPELLED}|\d{{1,2}}) goals to (?P<last>{SPELLED}|\d{{1,2}}|nil|none)\b"
    r"|(?P<left>\d{1,2}):(?P<right>\d)(?![\w:.,]\d|\w))",
    sign=r"\b\d{1,2}[–-]\d{1,2}\b",
)
def _score(match: re.Match[str], other: str) -> str | None:
    """Return "3–1" for "3:1" and "three goals to one", with the dash of the other text."""
    scores = (match["first"] or match["left"], match["last"] or match["right"])
    dash = "-" if re.search(r"\b\d{1,2}-\d{1,2}\b", other) else "–"
    return dash.join("0" if score in ("nil", "none") else str(read_spelled(score)) for score in scores)


_INTERNATIONAL = re.compile(r"\+\d[\d ()./-]{6,18}\d")
_NATIONAL = r"0\d{2}(?:[ /-]?\d){4,10}(?!\d)"


@notation(
    rf"(?<![\w+])(?:{_INTERNATIONAL.pattern}|{_NATIONAL})(?!\d)",
    sign=rf"{_INTERNATIONAL.pattern}|(?<![\d+]){_NATIONAL}",
)
def _phone(match: re.Match[str], other: str) -> str | None:
    """Return a telephone number without spaces, in the international form if the other text has it."""
    digits = re.sub(r"\(0\)|\D", "", match[0])
    if match[0].startswith("+"):
        return f"+{digits}"
    numbers = ["+" + re.sub(r"\(0\)|\D", "", number) for number in _INTERNATIONAL.findall(other)]
    return next((number for number in numbers if number.endswith(digits[1:])), None if numbers else digits)


@notation(r"\b(?:c\.|ca\.?|circa)\s?(?=[1-9]\d{2,3}\b)", sign=r"(?i)\b(?:about|around)\b")
def _around(_: re.Match[str], __: str) -> str:
    """Return "around " for "c. "."""
    return "around "


AMOUNTS = (
    _cents, _pounds_and_pence, _money, _continental, _of_other_year, _in_brackets, _part_of_scale, _and_a_half,
    *SHARES, _below_zero, *MEASURES, *NUMBERS, _spelled, _unit, _feet, _numbered, _world_war, _regnal,
    _score, _phone, _around,
)  # fmt: skip
"""In order: of two at one place the earlier one counts."""
