"""Claims that mix up the two halves of a sentence, stating of one thing what the other half states of its counterpart.

"The bridge was designed by Weir and built by Ortega" rules out "The bridge was built by Weir". All words of the claim
are there, so a network that compares words is easily misled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations, product
from typing import NamedTuple

from factscope.judging.verifiers.rules.verbatim import TURNING
from factscope.judging.verifiers.wording.alignment import excerpt, opposed
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.clauses import (
    Clause,
    ClauseAlignment,
    align_clause,
    has,
    holds_as_well,
    lacks_subject,
    marker,
    same_item,
)
from factscope.judging.verifiers.wording.conditions import omits_condition
from factscope.judging.verifiers.wording.lexicon import STOP
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem, WordWeights

_HALVES = re.compile(r"[,;:—–]\s(?:(?:and|but|while|whereas)\s)?|\s(?:and|but|while|whereas)\s")

_PLACES = frozenset(("at", "in", "on", "during"))
"""Prepositions of time and place, which depend on the word: "on weekdays", "at weekends"."""


class _Half(NamedTuple):
    """A part of a sentence between two conjunctions."""

    words: AnalysedSentence
    matched: tuple[TextItem, ...]
    """Items that the claim has, too."""
    foreign: tuple[TextItem, ...]


class CrossedPair(NamedTuple):
    """Two things of a claim that are in different halves of a sentence."""

    first: TextItem
    second: TextItem
    with_first: TextItem
    """Counterpart of the second thing in the half of the first."""
    with_second: TextItem


def find_crossed(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence that rules it out in this way."""
    claimed, passage = pair.claimed, pair.passage
    if TURNING.search(pair.text) or "than" in claimed.lower:
        return None
    for number, stretch in enumerate(passage.stretches):
        whole = Clause(stretch, number, ())
        aligned = align_clause(claimed, whole)
        is_plain = not stretch.question and not TURNING.search(passage.text, stretch.start, stretch.end)
        if not is_plain or aligned.missing or aligned.carried or len(aligned.pairs) < 3:
            continue
        crossed = _find_pair(_halves(stretch, passage.text, aligned, pair.weights))
        if crossed is None or omits_condition(claimed, passage, whole):
            continue
        differing = [
            item for item, other in aligned.pairs if other.start in (crossed.first.start, crossed.second.start)
        ]
        if not holds_as_well(claimed, differing, pair.clauses):
            words = (excerpt(passage.text, item.start, item.end) for item in crossed)
            reason = "the passage has {0} with {2}, and {1} with {3}".format(*words)
            return pair.contradicted(stretch, reason)
    return None


def _halves(sentence: AnalysedSentence, text: str, aligned: ClauseAlignment, weights: WordWeights) -> list[_Half]:
    """Split a sentence into halves."""
    theirs = {other.start for _, other in aligned.pairs}
    kinds = {item.start: item.kind for item in sentence.items}
    joints = list(_HALVES.finditer(text, sentence.start, sentence.end))
    starts = [sentence.start, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), sentence.end]
    halves = []
    for start, end in zip(starts, ends, strict=True):
        words = analyse(text, start, end, weights)[0]
        if not words.items:
            continue
        items = tuple(item._replace(kind=kinds.get(item.start, item.kind)) for item in words.items)
        matched = tuple(item for item in items if item.start in theirs)
        foreign = tuple(item for item in items if not any(same_item(item, other) for _, other in aligned.pairs))
        halves.append(_Half(words._replace(items=items), matched, foreign))
    return halves


def _find_pair(halves: Sequence[_Half]) -> CrossedPair | None:
    for left, right in permutations(halves, 2):
        if lacks_subject(max(left, right, key=lambda half: half.words.start).words):
            continue  # "and their son" does not start another couple
        for first, second in product(left.matched, right.matched):
            with_first, with_second = _counterpart(second, right, left), _counterpart(first, left, right)
            if with_first and with_second and (_is_plain(first, with_second) or _is_plain(second, with_first)):
                return CrossedPair(first, second, with_first, with_second)
    return None


def _is_plain(item: TextItem, counterpart: TextItem) -> bool:
    """Tell whether two counterparts are certainly of the same kind: numbers, names or opposites."""
    return item.kind == "name" or item.kind in NUMERIC or opposed(item.key, counterpart.key)


def _counterpart(item: TextItem, half: _Half, opposite: _Half) -> TextItem | None:
    """Return the item in the other half that corresponds to `item`; None where the other half has `item` itself.

    Part of a name in the claim does not count as a counterpart: "Saul" of "Saul Prentis".
    """
    if has(opposite.words.items, item):
        return None
    own_names = {other.at for other in opposite.matched if other.kind == "name"}
    free = [
        other
        for other in opposite.foreign
        if other.kind != "name" or own_names.isdisjoint((other.at - 1, other.at + 1))
    ]
    return next((other for other in free if _is_alike(item, half, other, opposite)), None)


def _is_alike(item: TextItem, half: _Half, other: TextItem, opposite: _Half) -> bool:
    if opposed(item.key, other.key):
        return True
    if item.kind != other.kind or len({item.unit, other.unit} - {""}) > 1:
        return False
    markers = marker(half.words, item), marker(opposite.words, other)
    if item.kind != "word":
        return markers[0] == markers[1]
    if not (_hangs(half.words, item) and _hangs(opposite.words, other)):
        later, word = max((half, item), (opposite, other), key=lambda side: side[1].start)
        if any(matched.at < word.at for matched in later.matched):
            return False  # its verb may stand for the other: "The mill closed in 1958 and the brewery followed in 1963"
    is_place = _PLACES.issuperset(markers)
    return is_place or markers[0] == markers[1] != "" or _next(half, item) == _next(opposite, other) != ""


def _hangs(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether an item follows a preposition, at most with an article between them."""
    at = item.at - (item.at > 0 and sentence.lower[item.at - 1] in ("a", "an", "the"))
    return at > 0 and sentence.lower[at - 1] == marker(sentence, item)


def _next(half: _Half, item: TextItem) -> str:
    """Return the function word after an item: "by" of "built by"."""
    following = half.words.lower[item.at + 1 : item.at + 2]
    return following[0] if following and following[0] in STOP else ""
