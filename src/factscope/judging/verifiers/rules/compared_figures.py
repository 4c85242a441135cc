"""Comparisons of two things for which a passage gives a figure each: "The Green Trail is longer than the Red Trail".

The network finds both names and the word, and mostly supports either order. Only comparisons count of which the word or
its noun says what is compared, and only a passage with one such figure of each thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from factscope.claims.text.terms import term
from factscope.core import Label
from factscope.judging.verifiers.wording.alignment import excerpt, same_word
from factscope.judging.verifiers.wording.analysis import TEMPERATURES
from factscope.judging.verifiers.wording.clauses import Clause
from factscope.judging.verifiers.wording.lexicon import CURRENCIES
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText, TextItem

_MONEY, _YEAR, _SHARE = "money", "year", "percent"
_COMPARED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("longer", "shorter", ("m", "s")),
    ("taller deeper wider thicker", "shallower narrower thinner", ("m",)),
    ("heavier", "lighter", ("kg",)),
    ("warmer hotter", "cooler colder", TEMPERATURES),
    ("dearer more_expensive", "cheaper less_expensive", (_MONEY,)),
    ("newer younger", "older", (_YEAR,)),
    ("more higher larger bigger greater", "less fewer lower smaller", ()),
)
"""Words for the larger figure (or the later year), for the smaller, and the units of what they compare.

The first unit of which both things have a figure counts; without any, a noun says what is compared.
"""
_MORE = {word.replace("_", " ") for more, _, _ in _COMPARED for word in more.split()}
_KINDS = {word.replace("_", " "): units for more, less, units in _COMPARED for word in f"{more} {less}".split()}
_SIDE = r"(?:[^,;:\d]|(?<=[A-Za-z])\d)+?"
"""Without figures, but for those of a name: "S2"."""
_BE = "is|are|was|were|has|have|had"
_COMPARISON = re.compile(
    rf"(?P<left>{_SIDE}) (?P<verb>{_BE}|costs?|weighs?|takes?|took|lasts?|lasted|employs?|employed|holds?|sells?"
    r"|sold|carry|carries|bears?|uses?|keeps?) (?:(?:an?|the|much|far|slightly|somewhat|even) )*"
    rf"(?P<word>{'|'.join(sorted(_KINDS, key=len, reverse=True))})(?P<of>(?: (?!per\b|each\b)[a-z-]+){{0,3}})"
    rf" than (?P<right>{_SIDE})(?: (?:{_BE}|does|do|did))?[.!]?"
)
"""A claim of one comparison."""
_MADE = re.compile(
    r"(?i)\b(?:built|born|founded|opened|established|launched|erected|completed|constructed|founding|opening|dates?)\b"
)
"""Words beside the year from which the age of something counts."""
_MONEY_UNITS = {term(word) for word in CURRENCIES}
_RATES = {term(word) for word in ("rate", "share", "percentage", "proportion")}
_GOES_ON = ("He ", "She ", "It ", "They ", "Its ", "Their ")


class _Figure(NamedTuple):
    item: TextItem
    beside: AnalysedSentence
    """Its clause, or the name of its column."""
    sentence: int


def find_comparison(pair: SentencePair) -> RuleOutcome | None:
    """Decide a comparison by the figures of a passage; the sentence is that of the first."""
    claim, claimed, passage = pair.claim, pair.claimed, pair.passage
    match = _COMPARISON.fullmatch(claim.text, claimed.start, len(claim.text.rstrip()))
    if not match or claimed.cues.negations or claimed.question:
        return None
    spans = map(match.span, ("left", "right", "of"))
    left, right, of = ([item for item in claimed.items if low <= item.start < high] for low, high in spans)
    ours, theirs = _names(left, right), _names(right, left)
    if not ours or not theirs:
        return None
    figures = _figures(passage, pair.clauses, ours, theirs), _figures(passage, pair.clauses, theirs, ours)
    for kind in _kinds(match, of):
        first, second = (_only(passage.text, each, kind) for each in figures)
        if first and second and first.item.amount != second.item.amount:
            agrees = (first.item.amount > second.item.amount) == (match["word"] in _MORE)
            stretch = passage.stretches[first.sentence]
            numbers = (excerpt(passage.text, each.item.start, each.item.end) for each in (first, second))
            names = (re.sub(r"^(?:The|An?) ", lambda the: the[0].lower(), match[side]) for side in ("left", "right"))
            reason = "the passage has {} for {} and {} for {}".format(*chain(*zip(numbers, names, strict=True)))
            label: Label = "supported" if agrees else "contradicted"
            return RuleOutcome(label, stretch.span, reason)
    return None


def _names(side: Sequence[TextItem], other: Sequence[TextItem]) -> frozenset[str]:
    """Return the keys that tell one side from the other: its names, or else its words."""
    others = {item.key for item in other}
    own = [item for item in side if item.key not in others and item.kind not in NUMERIC]
    return frozenset(item.key for item in own if item.kind == "name") or frozenset(item.key for item in own)


def _kinds(match: re.Match[str], of: Sequence[TextItem]) -> tuple[str, ...]:
    """Return what may be compared, the likeliest first: units, money, years, shares, or the stems of nouns."""
    word, verb = match["word"], match["verb"]
    if _KINDS[word]:
        return ("s",) if verb.startswith(("take", "took", "last")) else _KINDS[word]
    if verb.startswith("cost"):
        return (_MONEY,)
    nouns = tuple(item.key for item in of)
    return (_SHARE,) if not _RATES.isdisjoint(nouns) else (*nouns, *((term(verb),) if of else ()))


def _figures(
    passage: AnalysedText, all_clauses: Sequence[Clause], names: frozenset[str], others: frozenset[str]
) -> list[_Figure]:
    """Return the figures that belong to what has these names: of its clauses, and of those that go on after them."""
    figures: list[_Figure] = []
    is_own, label, sentence = False, None, -1
    for clause in all_clauses:
        keys = clause.words.keys
        if names <= keys or others <= keys:
            is_own = not others <= keys
        elif clause.sentence != sentence and not passage.text.startswith(_GOES_ON, clause.words.start):
            is_own = False
        sentence = clause.sentence
        numbers = clause.words.of_kind("count", "percent", "year")
        beside = label if label and len(numbers) == len(clause.words.items) else clause.words
        figures += [_Figure(item, beside, sentence) for item in numbers if is_own]
        label = clause.words if passage.text[clause.words.start : clause.words.end].rstrip().endswith(":") else None
    return figures


def _only(text: str, figures: Sequence[_Figure], kind: str) -> _Figure | None:
    """Return the figure of a kind, if all of it are the same."""
    alike = [figure for figure in figures if _is_of(text, figure, kind)]
    return alike[0] if len({figure.item.amount for figure in alike}) == 1 else None


def _is_of(text: str, figure: _Figure, kind: str) -> bool:
    item, beside = figure.item, figure.beside
    if kind == _MONEY:
        return item.unit in _MONEY_UNITS or text[max(0, item.start - 1) : item.start] in ("£", "$", "€", "¥")
    if kind == _YEAR:
        return item.kind == _YEAR and bool(_MADE.search(text, beside.start, beside.end))
    if kind == _SHARE:
        return item.kind == _SHARE
    if item.kind != "count":
        return False
    is_label = item.start >= beside.end
    return item.unit == kind or (
        is_label and any(same_word(kind, word.key) or word.key == kind for word in beside.items)
    )
