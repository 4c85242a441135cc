"""Figures in brackets that are those of another year: "1,284 employees (1,310 in 2021)".

The network finds the number of a claim and the words beside it, and takes either figure for that of either year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from factscope.judging.verifiers.wording.alignment import excerpt, same_word
from factscope.judging.verifiers.wording.clauses import same_quantity
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_BRACKETS = re.compile(r"\(([^()]{3,60})\)")
_YEAR_BEFORE = re.compile(r"(?i)\b(?:(?:prior|previous|last|preceding) year|(?:the|a) year (?:before|earlier|ago))\b")
_OTHER_TIME = re.compile(
    r"(?i)\b(?:prior|previous|last|preceding|before|earlier|ago|from|than|since|until|compar\w+|against|versus|vs"
    r"|change|year-on-year)\b"
)
"""Words of a claim that may be about both years, or about the earlier one."""
_GAP = 25
"""Most characters between a figure and the brackets with the other."""
_FAR = 4
"""Largest factor between two figures of one thing."""


_CHANGES = stems_of("rise grow increase climb fall drop decrease decline come stand reach total amount")
"""Words of a claim that do not say of what its figure is."""


class _TwoYears(NamedTuple):
    now: TextItem
    other: TextItem
    year: TextItem | None
    """That of the other figure; None for the year before."""


def find_other_year(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence that has its figure for another year."""
    claimed, passage, sentence = pair.claimed, pair.passage, pair.nearest
    numbers = claimed.amounts
    if len(numbers) != 1 or claimed.question or claimed.cues.negations or _OTHER_TIME.search(pair.claim.text):
        return None
    present = passage.items
    (number,) = numbers
    years = {item.amount for item in claimed.items if item.kind == "year"}
    words = {item.key for item in claimed.items if item.kind in ("word", "name")} - _CHANGES
    for now, other, year in _in_brackets(passage.text, sentence):
        if not _is_about(words, sentence):
            continue
        if sum(same_quantity(number, item) for item in present) != 1:
            continue
        named, first, second = (
            passage.text[year.start : year.end] if year else "the year before",
            excerpt(passage.text, now.start, now.end),
            excerpt(passage.text, other.start, other.end),
        )
        if same_quantity(number, other) and not years:
            return pair.contradicted(sentence, f"the passage has {first}; {second} is that of {named}")
        if same_quantity(number, now) and year and years == {year.amount}:
            return pair.contradicted(sentence, f"the passage has {second} for {named}, not {first}")
    return None


def _is_about(words: Set[str], sentence: AnalysedSentence) -> bool:
    """Tell whether a sentence has more than half of a claim's words: of another thing its figures say nothing."""
    shared = [word for word in words if any(word == item.key or same_word(word, item.key) for item in sentence.items)]
    return len(shared) * 2 > len(words)


def _in_brackets(text: str, sentence: AnalysedSentence) -> Iterator[_TwoYears]:
    """Yield the figures of a sentence after which brackets have the same for another year."""
    for match in _BRACKETS.finditer(text, sentence.start, sentence.end):
        inside = [item for item in sentence.items if match.start() < item.start < match.end()]
        figures = [item for item in inside if item.kind in ("count", "percent")]
        years = [item for item in inside if item.kind == "year"]
        before = [item for item in sentence.items if item.end <= match.start() and item.kind in ("count", "percent")]
        if len(figures) != 1 or len(years) > 1 or not before or not (years or _YEAR_BEFORE.search(match[1])):
            continue
        now, other = before[-1], figures[0]
        is_same = now.kind == other.kind and other.amount and 1 / _FAR < now.amount / other.amount < _FAR
        if is_same and match.start() - now.end <= _GAP and now.amount != other.amount:
            yield _TwoYears(now, other, years[0] if years else None)
