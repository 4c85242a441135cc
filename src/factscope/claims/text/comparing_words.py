"""Words with which a text compares figures: "the largest", "more … than", "rose" (`comparing_words.toml`).

Such a claim can only be judged by several figures, so search returns whole tables for it instead of single rows.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from factscope.claims.text.terms import term, words

_LISTS: dict[str, str] = tomllib.loads(files(__package__).joinpath("comparing_words.toml").read_text("utf-8"))
RISING, FALLING, _RAISED, _LOWERED, PLACED = (
    frozenset(map(term, _LISTS[name].split())) for name in ("rising", "falling", "raised", "lowered", "placed")
)
"""Stems of verbs of a rise and of a fall, of those for what is done to a figure, and of those before a place."""
_PLACE = re.compile(r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)")
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being"))
_GO = ("go", "goes", "going", "gone", "went")


class Adjective(NamedTuple):
    """A word that compares."""

    is_more: bool
    is_superlative: bool
    columns: tuple[str, ...]
    """Words for the figures that it compares; none for words such as "more", which need a noun."""
    is_only_of_these: bool
    """Whether it compares no other figures."""


def _read_columns(columns: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    is_only = columns[:1] == ["only"]
    return tuple(columns[is_only:]), is_only


def _read_adjectives() -> dict[str, Adjective]:
    adjectives = {}
    for entry in _LISTS["adjectives"].split(";"):
        comparative, superlative, sign, *columns = entry.split()
        adjectives[comparative] = Adjective(sign == "+", False, *_read_columns(columns))
        adjectives[superlative] = Adjective(sign == "+", True, *_read_columns(columns))
    return adjectives


_ADJECTIVES = _read_adjectives()
LONG_ADJECTIVES = {
    word: _read_columns(columns) for word, *columns in map(str.split, _LISTS["long_adjectives"].split(";"))
}
"""Adjectives that follow "more" or "most", each with words for the figures that it compares."""


def compares(text: str) -> bool:
    """Tell whether a text has a word that compares figures, or gives a place: "ranked third"."""
    lower = [word.lower() for word in words(text)]
    stems = list(map(term, lower))
    has_place = any(stem in PLACED and _PLACE.fullmatch(word) for stem, word in zip(stems, lower[1:], strict=False))
    return has_place or bool(comparing_words(lower, stems))


def comparing_words(lower: Sequence[str], stems: Sequence[str]) -> list[int]:
    """Return the places of the words that compare; of comparatives, those before "than".

    Takes the words of a text in lower case, and their stems.
    """
    than = lower.index("than") if "than" in lower else 0
    adjectives = [adjective_at(lower, at) for at in range(len(lower))]
    return [
        at
        for at, adjective in enumerate(adjectives)
        if (adjective and (adjective.is_superlative or at < than)) or rises(lower, stems, at) is not None
    ]


def rises(lower: Sequence[str], stems: Sequence[str], at: int) -> bool | None:
    """Tell whether the word at a place is a verb of a rise, or of a fall; None for another."""
    if lower[at] in _GO and at + 1 < len(lower) and lower[at + 1] in ("up", "down"):
        return lower[at + 1] == "up"
    if at and lower[at - 1] in _BE and stems[at] in _RAISED | _LOWERED and lower[at] not in _ADJECTIVES:
        return stems[at] in _RAISED
    return stems[at] in RISING if stems[at] in RISING | FALLING else None


def adjective_at(lower: Sequence[str], at: int) -> Adjective | None:
    """Return the adjective at a place, which may be two words, "most expensive".

    "The larger of the two" is a superlative.
    """
    adjective = _ADJECTIVES.get(lower[at])
    if not adjective:
        return None
    is_of_two = "than" not in lower and lower[max(0, at - 1)] == "the" and "two" in lower[at + 1 :]
    adjective = adjective._replace(is_superlative=adjective.is_superlative or is_of_two)
    long = LONG_ADJECTIVES.get(lower[at + 1]) if at + 1 < len(lower) else None
    return adjective._replace(columns=long[0], is_only_of_these=long[1]) if long else adjective
