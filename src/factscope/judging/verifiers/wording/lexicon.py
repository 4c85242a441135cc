"""Short word lists of our own: function words, negations, opposites, hedges, numbers and units (`lexicon.toml`).

Lists are written as plain words and compared as stems, so one entry covers its inflections.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from itertools import permutations

from factscope.claims.text.terms import term

LISTS: dict[str, str] = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text("utf-8"))
BASE_FORMS = {word: line.split()[0] for line in LISTS["irregular"].split(";") for word in line.split()[1:]}
"""Irregular form → the form that stemming can work on."""


def word_list(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(LISTS[name].split())


def stems_of(words: str) -> frozenset[str]:
    """Return the stems of words."""
    return frozenset(term(BASE_FORMS.get(word, word)) for word in words.split())


STOP = word_list("stop")
"""Words without content of their own, including negations and quantifiers, which are compared separately."""
NEGATIONS = word_list("negations")
JOINING = word_list("joining")
"""Words that begin another clause."""
STRONG = word_list("strong")
WEAK = word_list("weak")
HEDGES = word_list("hedges")
ABOUT = word_list("about")
SUPERLATIVES = word_list("superlatives")
NUMBERED = word_list("numbered")
"""Things that have numbers as names: line 5 is not line 3."""
TITLES = stems_of(LISTS["titles"])
LARGE_AREAS = stems_of(LISTS["large_areas"])
"""Countries, continents and other large areas: something in one of these may also be in Munich."""
OPPOSITE_GROUPS = LISTS["opposites"]
"""Words that exclude each other, group by group; words separated by a comma are synonyms and do not."""


def _opposites() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for group in OPPOSITE_GROUPS.split():
        sides = [stems_of(side.replace(",", " ")) for side in group.split("/")]
        for left, right in permutations(sides, 2):
            for word in left:
                opposites.setdefault(word, set()).update(right)
    return {word: frozenset(others) for word, others in opposites.items()}


OPPOSITES = _opposites()
"""Stem → stems that exclude it in the same position; so do members of a closed class (colours, weekdays)."""


def _groups(name: str) -> dict[str, frozenset[str]]:
    """Return each stem of a list of groups with the stems of all its groups."""
    table: dict[str, frozenset[str]] = {}
    for group in LISTS[name].split(";"):
        for stem in (stems := stems_of(group)):
            table[stem] = table.get(stem, frozenset()) | stems
    return table


EVENTS = _groups("events")
"""Stem of an event → stems of those that may be the same event or a part of it."""
SYNONYMS = _groups("synonyms")
"""Stem → stems that say the same in most sentences; short on purpose."""
NEGATIVE_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il")
SMALL_NUMBERS = dict(zip(LISTS["small_numbers"].split(), (*range(20), *range(20, 100, 10)), strict=True))
ORDINALS = dict(zip(LISTS["ordinals"].split(), (*range(1, 20), *range(20, 101, 10)), strict=True))
SCALES = {"hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9,
          "trillion": 1e12, "dozen": 12.0}  # fmt: skip
TIMED = word_list("timed")
"""Things that last some seconds: "the thirty-second delay" is not the 32nd."""
MONEY_SCALES = {"m": 1e6, "b": 1e9, "tn": 1e12}
"""Scales of amounts of money; after other numbers they may be units."""
CURRENCIES = word_list("currencies")
COUNTED_BY_A = word_list("counted_by_a")
"""Scales that "a" may count: "a hundred boats"."""
BEFORE_MAY = word_list("before_may")
"""Words after which "May" is the month."""
MONTHS = {word: value for value, words in enumerate(LISTS["months"].split(), start=1) for word in words.split("/")}
UNITS = {
    name: (base, float(factor))
    for base, factor, *names in (entry.split() for entry in LISTS["units"].split(";"))
    for name in names
}
"""Name of a unit → its base unit and the factor to it."""
