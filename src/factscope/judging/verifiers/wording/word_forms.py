"""Stems that a rule may take for one word: "founded" and "founder", "Chile" and "Chilean".

`alignment.same_word` asks less, for features: by it "Johnson" is "Johnston", and "contract" is "contrast".
"""

from __future__ import annotations

import re
from itertools import takewhile

from factscope.judging.verifiers.wording.alignment import same_word
from factscope.judging.verifiers.wording.lexicon import BASE_FORMS, LARGE_AREAS, LISTS
from factscope.judging.verifiers.wording.text_items import TextItem

_LENGTHS = 3
"""Most letters by which the stems of words other than names may differ."""

_INFLECTION = re.compile(r"(?:'s|s'|ies|ied|es|s|ed|ing|ly|er|est|e|y)$")
_DOUBLED = re.compile(r"([bdfgklmnprstvz])\1$")


def _pairs(name: str) -> frozenset[tuple[str, str]]:
    return frozenset((left.strip("-"), right) for left, right in (pair.split("/") for pair in LISTS[name].split()))


_WORD_ENDINGS = _pairs("word_endings")
_AREA_ENDINGS = _pairs("area_endings")


def are_forms(left: TextItem, right: TextItem) -> bool:
    """Tell whether two different stems are forms of one word; of names, only those of countries and their people."""
    if not same_word(left.key, right.key):
        return False
    common = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(left.key, right.key, strict=False)))
    first, second = sorted((left.key[common:], right.key[common:]))
    if "name" in (left.kind, right.kind):
        return not LARGE_AREAS.isdisjoint((left.key, right.key)) and (first, second) in _AREA_ENDINGS
    return (first, second) in _WORD_ENDINGS and abs(len(left.key) - len(right.key)) <= _LENGTHS


def may_be_inflected(left: str, right: str) -> bool:
    """Tell whether two words of one stem differ at most in inflection: "universe" and "university" have one stem."""
    words = [word.casefold().replace("’", "'") for word in (left, right)]
    first, second = (_DOUBLED.sub(r"\1", _INFLECTION.sub("", word).rstrip("ei")) for word in words)
    return first == second or not BASE_FORMS.keys().isdisjoint(words)
