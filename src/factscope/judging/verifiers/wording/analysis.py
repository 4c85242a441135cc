"""One piece of text → the items that are compared: content words, names and quantities, with their places."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import lru_cache

from factscope.claims.text.terms import term, tokens
from factscope.judging.verifiers.wording.lexicon import (
    ABOUT,
    BASE_FORMS,
    BEFORE_MAY,
    COUNTED_BY_A,
    CURRENCIES,
    HEDGES,
    MONEY_SCALES,
    MONTHS,
    NEGATIONS,
    ORDINALS,
    SCALES,
    SMALL_NUMBERS,
    STOP,
    STRONG,
    SUPERLATIVES,
    TIMED,
    UNITS,
    WEAK,
    word_list,
)
from factscope.judging.verifiers.wording.text_items import (
    DECADE,
    AnalysedSentence,
    Cues,
    Kind,
    TextItem,
    WordWeights,
    cached_by_text,
)

MAX_TOKENS = 120
"""A longer sentence is compared piece by piece; keeps the cost of aligning bounded on text without full stops."""
_REMEMBERED = 4_096
"""Recent pieces of text whose items are cached, since each rule reads them again: some 20 megabytes."""

_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_SPACED = re.compile(r"(?<![.,:/])(?<!\d )[1-9]\d{0,2}(?:[ \xa0\u2009\u202f]\d{3})+(?![\s.,:/]?\d)")
"""A number in groups of digits: "100 000"."""
CURRENCY_SIGNS = frozenset("£$€¥")
_PERCENT = re.compile(r"[ \xa0\u202f]?%")
"""A percent sign, with the space that some write before it."""
_APART = re.compile(r"[;:|\n]")
"""Between a number and a word that is not its unit: "2023: 49; percent: 40.8"."""
_DEGREES = re.compile(r"[ \xa0\u202f]?°[ \xa0\u202f]?(?P<letter>[CF])\b")
TEMPERATURES = ("celsius", "fahrenheit")
"""Units of temperature."""
_ORDINAL_STOP = re.compile(r"(?<!\d{4})\. (?=[a-z])")
"""The full stop of an ordinal inside a sentence, as in German: "its 50. anniversary"."""
_COLUMN_SCALE = re.compile(r"\((?:[^()\n]{0,20} )?(thousand|million|billion)s?\b[^()\n]{0,20}\): \Z", re.IGNORECASE)
"""The end of a table's column that counts in thousands or more: "Population (thousands): "."""
_SHORT_NAMES = sorted(word_list("short_names"), key=len, reverse=True)
_SHORT_NAME = re.compile("|".join(rf"{name}\b(?!\$)|" + r"\.".join(name) + r"\b" for name in _SHORT_NAMES))
"""A short name, with or without full stops: "US", "U.S."."""
_LETTER = re.compile(r"(?<=[^\W\d_] )(?!I\b|A [A-Z])[A-Z](?![\w&/°-]|\.(?!\W*\Z))")
"""A letter that is part of a name: "Team A", "vitamin C"; not an initial, a unit, or the article of a title."""
_DESIGNATION = re.compile(r"(?!(?:CHF|EUR|GBP|USD)\d)[A-Z]{1,4}-?\d{1,4}\b(?![.,:/]\d)")
"""A name that ends in a number: "B12", "A380", "U-21"."""


@lru_cache(maxsize=1 << 16)
def forms(word: str) -> tuple[str, str]:
    """Lower-case form of a word, and the stem that it is compared by."""
    lower = word.casefold().replace("’", "'")
    return lower, term(BASE_FORMS.get(lower, word))


@cached_by_text(_REMEMBERED)
def analyse(text: str, start: int, end: int, weights: WordWeights) -> tuple[AnalysedSentence, ...]:
    """Analyse `text[start:end]` into items and cues, in one stretch or, beyond `MAX_TOKENS` tokens, in several."""
    word_tokens = tokens(text[start:end])
    pieces = [word_tokens[at : at + MAX_TOKENS] for at in range(0, len(word_tokens), MAX_TOKENS)] or [[]]
    stretches = []
    for number, piece in enumerate(pieces):
        left = start if number == 0 else start + piece[0].start
        right = end if number == len(pieces) - 1 else start + piece[-1].end
        stretches.append(
            _stretch(text, left, right, [(start + t.start, start + t.end, t.text) for t in piece], weights)
        )
    return tuple(stretches)


def _stretch(
    text: str, start: int, end: int, word_tokens: list[tuple[int, int, str]], weights: WordWeights
) -> AnalysedSentence:
    read = [forms(word) for _, _, word in word_tokens]
    lower = [form[0] for form in read]
    items: list[TextItem] = []
    is_shouted = text[start:end].isupper()  # "ASK US" is not about a country
    at = 0
    while at < len(word_tokens):
        if short_name := _short_name(text, end, word_tokens, at, weights, is_shouted):
            items.append(short_name[0])
            at += short_name[1]
            continue
        quantity = _quantity(text, word_tokens, lower, at)
        if quantity is not None:
            item, width = quantity
            items.append(item)
            at += width
            continue
        left, right, word = word_tokens[at]
        if lower[at] not in STOP and (len(word) > 1 or not word.isascii()):
            key = read[at][1]
            name = word[0].isupper() and (at > 0 or word.isupper() or key not in weights.table)
            items.append(TextItem(key, "name" if name else "word", weights.of(key), at, left, right))
        at += 1
    return AnalysedSentence(
        start,
        end,
        tuple(items),
        _cues(lower, {item.at for item in items if item.kind == "month"}),
        tuple(form[1] for form in read),
        tuple(lower),
        text[start:end].rstrip().endswith("?"),
    )


def _short_name(
    text: str, end: int, word_tokens: list[tuple[int, int, str]], at: int, weights: WordWeights, is_shouted: bool
) -> tuple[TextItem, int] | None:
    """Read the short name, letter or designation at token `at`, and the tokens that it takes. None if there is none."""
    left, right, _ = word_tokens[at]
    if not text[left].isupper():
        return None
    if name := _DESIGNATION.match(text, left):
        width, key = 2, term(name[0].replace("-", ""))
    elif is_shouted:
        return None
    elif name := _SHORT_NAME.match(text, left):
        width, key = 1 + name[0].count("."), term(name[0].replace(".", ""))
    elif name := _LETTER.match(text, left, end):
        width, key = 1, name[0]  # in capitals, since "a" is an article
    else:
        return None
    return TextItem(key, "name", weights.of(key), at, left, max(right, name.end())), width


def _cues(lower: list[str], months: set[int]) -> Cues:
    def places_of(words: Container[str]) -> tuple[int, ...]:
        return tuple(at for at, word in enumerate(lower) if word in words)

    numbered = {at for at in places_of(("no",)) if lower[at + 1 : at + 2] and lower[at + 1][0].isdigit()}  # "car no. 4"
    return Cues(
        tuple(
            at for at, word in enumerate(lower) if at not in numbered and (word in NEGATIONS or word.endswith("n't"))
        ),
        places_of(STRONG),
        places_of(WEAK),
        tuple(at for at in places_of(HEDGES) if at not in months),
        tuple(at for at, word in enumerate(lower) if word in SUPERLATIVES or (len(word) > 5 and word.endswith("est"))),
    )


def _quantity(
    text: str, word_tokens: list[tuple[int, int, str]], lower: list[str], at: int
) -> tuple[TextItem, int] | None:
    """Read the quantity that begins at token `at`; also return how many tokens it takes. None if there is none."""
    word = lower[at]
    if word in MONTHS and word_tokens[at][2][0].isupper() and (word != "may" or _is_may(word_tokens, lower, at)):
        return _item("month", float(MONTHS[word]), "", word_tokens, at, 1), 1
    if ordinal := _ordinal(text, word_tokens, lower, at):
        return _item("ordinal", ordinal[0], "", word_tokens, at, ordinal[1]), ordinal[1]
    read = _amount(text, word_tokens, lower, at)
    if read is None:
        return None
    amount, width, plain_year = read
    kind, unit, factor, more = _measured(text, word_tokens, lower, at + width)
    about = any(
        lower[before] in ABOUT and not (lower[before] == "up" and lower[before + 1] != "to")  # "made up 58 %"
        for before in range(max(0, at - 2), at)
    )
    if plain_year and kind == "count" and not more and not about:
        kind, unit = "year", ""
        if amount % 10 == 0 and lower[at + width : at + width + 1] == ["s"]:
            unit, more = DECADE, 1
    item = _item(kind, amount * factor, unit, word_tokens, at, width + more, about)
    sign = _PERCENT.match(text, item.end)
    return item._replace(end=sign.end() if sign else item.end), width + more


def _ordinal(text: str, word_tokens: list[tuple[int, int, str]], lower: list[str], at: int) -> tuple[float, int] | None:
    """Return the value of an ordinal in words, such as "first" or "thirty-first", and the tokens that it takes."""
    before = lower[max(0, at - 2) : at]
    tens, last = SMALL_NUMBERS.get(lower[at], 0), at
    if tens >= 20 and at + 1 < len(lower) and text[word_tokens[at][1] : word_tokens[at + 1][0]] in ("-", "\u2011"):
        last = at + 1
    units = ORDINALS.get(lower[last], 0)
    if not units or (last > at and units >= 10):
        return None
    is_timed = any(word in TIMED or word.endswith("s") for word in lower[last + 1 : last + 2])
    if lower[last] == "second" and (not {"a", "per", "one"}.isdisjoint(before[-1:]) or (last > at and is_timed)):
        return None
    # "The two hundredth", "the hundred and first": the end of a larger ordinal.
    hundreds = before[:1] if before[-1:] == ["and"] else before[-1:]
    if (hundreds and hundreds[0] in SCALES) or (units == 100 and before[-1:] and before[-1] in SMALL_NUMBERS):
        return None
    return float(units + (tens if last > at else 0)), last - at + 1


def _measured(
    text: str, word_tokens: list[tuple[int, int, str]], lower: list[str], after: int
) -> tuple[Kind, str, float, int]:
    """Parse the unit after a number, from token `after` on: kind, unit, factor to the base unit, tokens used."""
    right = word_tokens[after - 1][1]
    word = lower[after] if after < len(lower) else ""
    following = "" if not word or _APART.search(text, right, word_tokens[after][0]) else word
    if _PERCENT.match(text, right):
        return "percent", "", 1.0, 0
    if _ORDINAL_STOP.match(text, right) and lower[after - 1].isdigit():
        return "ordinal", "", 1.0, 0
    if following in ("percent", "pc"):
        return "percent", "", 1.0, 1
    if following == "per" and lower[after + 1 : after + 2] == ["cent"]:
        return "percent", "", 1.0, 2
    if following in ("st", "nd", "rd", "th") and word_tokens[after][0] == right:
        return "ordinal", "", 1.0, 1
    if scale := _DEGREES.match(text, right):
        return "count", TEMPERATURES[scale["letter"] == "F"], 1.0, 1
    if following and (compound := _compound_unit(lower[after : after + 3])):
        return "count", *compound
    if following in UNITS and (len(following) > 1 or word_tokens[after][0] - right <= 1):
        return "count", *UNITS[following], 1
    unit = word if word not in STOP else ""
    return "count", forms(unit)[1] if unit else "", 1.0, 0


def _compound_unit(words: Sequence[str]) -> tuple[str, float, int] | None:
    """Return the base unit of "square feet" and "miles per hour", the factor to it and the number of its words."""
    first, second, third = (UNITS.get(word, ("", 1.0)) for word in (*words, "", "", "")[:3])
    if words[:1] in (["square"], ["sq"]) and second[0] == "m":
        return "m2", second[1] ** 2, 2
    if words[:1] in (["degree"], ["degrees"]) and words[1:2] and words[1] in TEMPERATURES:
        return words[1], 1.0, 2
    if first[0] == "w" and second == UNITS["hours"]:
        return "wh", first[1], 2
    if first[0] == "m" and words[1:2] in (["h"], ["s"]):  # "km/h"
        return "m/s", first[1] / (3600 if words[1] == "h" else 1), 2
    if (first[0], third[0]) == ("m", "s") and words[1] in ("per", "an"):
        return "m/s", first[1] / third[1], 3
    return None


def _is_may(word_tokens: list[tuple[int, int, str]], lower: list[str], at: int) -> bool:
    """Tell whether "May" is the month: beside a number, or after a preposition of time and not before a name."""
    if any(word[0].isdigit() for word in (*lower[max(0, at - 1) : at], *lower[at + 1 : at + 2])):
        return True
    before_name = at + 1 < len(lower) and word_tokens[at + 1][2][0].isupper() and lower[at + 1] not in MONTHS
    return at > 0 and lower[at - 1] in BEFORE_MAY and not before_name


def _amount(
    text: str, word_tokens: list[tuple[int, int, str]], lower: list[str], at: int
) -> tuple[float, int, bool] | None:
    """Return the value of a number in digits or words, the tokens it takes, and whether it looks like a year."""
    word = lower[at]
    start = word_tokens[at][0]
    if spaced := _SPACED.match(text, start):
        groups = spaced[0].split()
        value, width, year = _digits("".join(groups)), len(groups), False
    elif _NUMBER.fullmatch(word) and word.isascii():
        value = _digits(word)
        width = 1
        year = value is not None and len(word) == 4 and word.isdigit() and 1000 <= value <= 2100
    elif word == "a" and lower[at + 1 : at + 2] and lower[at + 1] in COUNTED_BY_A:
        value, width, year = 1.0, 1, False
    elif word in SMALL_NUMBERS:
        value, width, year = float(SMALL_NUMBERS[word]), 1, False
        if value >= 20 and at + 1 < len(lower) and 0 < SMALL_NUMBERS.get(lower[at + 1], 0) < 10:
            value, width = value + SMALL_NUMBERS[lower[at + 1]], 2
    else:
        return None
    if value is None:
        return None
    unscaled = width
    while at + width < len(lower) and lower[at + width] in SCALES:
        if lower[at + width] == "k" and word_tokens[at + width][0] != word_tokens[at + width - 1][1]:
            break
        value, width, year = value * SCALES[lower[at + width]], width + 1, False
    after = lower[at + width : at + width + 2]
    if after and after[0] in MONEY_SCALES and (text[start - 1 : start] in CURRENCY_SIGNS or after[-1] in CURRENCIES):
        value, width, year = value * MONEY_SCALES[after[0]], width + 1, False
    column = _COLUMN_SCALE.search(text, max(0, start - 60), start)
    if column and width == unscaled:
        value, year = value * SCALES[column[1].lower()], False
    return value, width, year


def _digits(word: str) -> float | None:
    """Return the value of a token of digits; None for a clock time, a date with slashes or a version number."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", word)
    if len(plain) > 30:
        return None
    try:
        return float(plain)
    except ValueError:
        return None


def _item(
    kind: Kind,
    amount: float,
    unit: str,
    word_tokens: list[tuple[int, int, str]],
    at: int,
    width: int,
    about: bool = False,
) -> TextItem:
    # A year and a count of the same size share a key: a bare 1200 may be either.
    prefix = {"percent": "%", "ordinal": "#", "month": "month "}.get(kind, "=")
    weight = 3.0 if kind in ("month", "ordinal") or amount < 10 else 5.0
    return TextItem(
        f"{prefix}{amount:.10g}",
        kind,
        weight,
        at,
        word_tokens[at][0],
        word_tokens[at + width - 1][1],
        amount,
        unit,
        about,
    )
