"""Changes and ways that a claim turns round: "rose to 40 million" beside "40 million, down from 55 million".

The network finds the number, or both names, and takes the claim for supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from factscope.claims.text.comparing_words import FALLING, RISING
from factscope.judging.verifiers.rules.derivable import fit
from factscope.judging.verifiers.rules.signs import signs_at
from factscope.judging.verifiers.wording.alignment import opposed
from factscope.judging.verifiers.wording.clauses import marker, same_quantity
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_COMPARING = frozenset(("with", "to", "against", "after", "than"))
_BEFORE = frozenset(("earlier", "ago", "before", "previous", "prior", "last"))
"""Words beside an earlier number: "against 55 million a year ago"."""
_COMPARATIVES = stems_of(
    "more less fewer higher lower larger smaller longer shorter older newer earlier later better worse"
)
_NEAR = 4
"""Most words between "more" and "than", and between "than" and what is compared with."""
_FAR = 10
"""Largest factor between two numbers of which one is the other at an earlier time."""
_NAME = r"(?:[Tt]he )?[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"
_WAY = re.compile(rf"\b[Ff]rom (?P<start>{_NAME})(?: [a-z]+)? (?:to|into|towards) (?P<end>{_NAME})")
_BOTH_WAYS = re.compile(r"\b(?:back|return\w*|other way|opposite|vice versa|both directions)\b", re.IGNORECASE)


def turns_way(pair: SentencePair) -> bool:
    """Tell whether a claim goes "from A to B" where the passage only goes "from B to A"."""
    ways = {(match["start"], match["end"]) for match in _WAY.finditer(pair.passage.text)}
    return not _BOTH_WAYS.search(pair.passage.text) and any(
        (match["end"], match["start"]) in ways and (match["start"], match["end"]) not in ways
        for match in _WAY.finditer(pair.text)
    )


def turns_change(pair: SentencePair) -> bool:
    """Tell whether a claim calls a rise what by its own numbers or the passage's is a fall, or the reverse."""
    claimed, passage = pair.claimed, pair.passage
    rises, falls = (not stems.isdisjoint(claimed.words) for stems in (RISING, FALLING))
    if rises == falls or claimed.cues.negations:
        return False
    stem = RISING if rises else FALLING
    ends = [item for item in claimed.amounts if marker(claimed, item) == "to"]
    others = [(passage.text, stretch) for stretch in passage.stretches if stem.isdisjoint(stretch.words)]
    return any(
        (now.amount > earlier.amount) != rises
        for text, sentence in ((pair.claim.text, claimed), *others)
        for now in sentence.items
        if marker(sentence, now) != "from" and any(same_quantity(item, now) for item in ends)
        for earlier in sentence.items
        if _is_earlier(text, sentence, now, earlier)
    )


def turns_comparison(pair: SentencePair) -> bool:
    """Tell whether a claim says "fewer than in 2022" where the passage says "12% more than in 2022"."""
    sentences = [stretch for stretch in pair.passage.stretches if not stretch.cues.negations]
    theirs = [comparison for sentence in sentences for comparison in _comparisons(sentence)]
    if pair.claimed.cues.negations:
        return False
    for word, with_what in _comparisons(pair.claimed):
        words = {other for other, same in theirs if same == with_what}
        if words and all(opposed(word, other) for other in words):
            return True
    return False


def _comparisons(sentence: AnalysedSentence) -> Iterator[tuple[str, str]]:
    """Yield the stem of each word that compares, with the key of what it compares with: "more … than in 2022"."""
    for at, word in enumerate(sentence.lower):
        with_what = next((item for item in sentence.items if at < item.at <= at + _NEAR), None)
        if word != "than" or not with_what:
            continue
        before = sentence.words[max(0, at - _NEAR) : at]
        if comparing := next((stem for stem in reversed(before) if stem in _COMPARATIVES), None):
            yield comparing, with_what.key


def _is_earlier(text: str, sentence: AnalysedSentence, now: TextItem, other: TextItem) -> bool:
    """Tell whether a number is that of an earlier time: "from 55", "against 55 a year ago", "40 (55)"."""
    low, high = sorted((now.amount, other.amount))
    if other.kind != now.kind or not fit(now, other) or low == high or high > _FAR * low:
        return False
    if any("-" in signs_at(text, item.start, item.end)[0] for item in (now, other)):
        return False
    before, after = sentence.lower[max(0, other.at - 4) : other.at], sentence.lower[other.at + 1 : other.at + 7]
    if "from" in before[-2:] or text[now.end : other.start] == " (":
        return True
    is_compared = not _COMPARING.isdisjoint(before[-2:]) and not _BEFORE.isdisjoint(after)
    return is_compared or ("last", "year") in pairwise(before)
