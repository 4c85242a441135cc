"""Ranges such as "3 to 10 days", which are one quantity: neither end states it, and no value inside denies it.

Years from one to another are left alone, and so are scores, whose first number is often the larger.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.clauses import ClauseAlignment
from factscope.judging.verifiers.wording.lexicon import SCALES, UNITS
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem, WordWeights

_JOINT = re.compile(
    r"\s?[%€$£¥]?(?P<noun>\s[^\W\d_]+)?(?:\s(?:to|(?P<and>and))\s|\s?[-\u2010-\u2014]\s?)[€$£¥]?", re.IGNORECASE
)
"""Text between the ends of a range; in "3 floors to 10 floors" with the thing that both count."""
_PERIOD = re.compile(r"\s?[-\u2010-\u2014]\s?|\s(?:to|until|till|and)\s")
"""Text between the years of a period; "in 1908 and 1914" is not one, but denies no year between them either."""
_BETWEEN = re.compile(r"\bbetween\s(?:[^\W\d_]+\s)?[€$£¥]?\Z", re.IGNORECASE)
"""End of the text before a range with "and"."""
_CHANGES = ("from", "to")
"""Words before a number that is where something began or ended: "the price rose to 10 euros"."""
_NO_WEIGHTS = WordWeights({}, 1.0)
"""For numbers, which do not need any."""


class NumberRange(NamedTuple):
    """Two numbers that are the ends of one quantity, in the order of the text."""

    first: TextItem
    last: TextItem
    low: float
    """Amount of the first, which has the unit of the last where it has none: "3 to 10 million"."""

    def holds(self, item: TextItem) -> bool:
        """Tell whether a number is one of the ends or between them."""
        is_comparable = item.kind == self.last.kind and item.unit in ("", self.last.unit)
        return is_comparable and self.low <= item.amount <= self.last.amount


def number_ranges(text: str, sentence: AnalysedSentence) -> list[NumberRange]:
    """Return the ranges of a sentence of a text."""
    numbers = sentence.of_kind("count", "percent", "year")
    pairs = [(first, last) for first, last in pairwise(numbers) if last.kind != "year"]
    ranges = [_range(text, sentence, first, last) for first, last in pairs]
    return [each for each in ranges if each and each.low < each.last.amount]


def lies_in_period(claim: AnalysedSentence, text: str, sentence: AnalysedSentence) -> bool:
    """Tell whether the only year of a claim is within a period of a sentence: "in 1910" and "from 1908 to 1914"."""
    ours = claim.years
    return len(ours) == 1 and any(
        first.amount < ours[0].amount < last.amount and _PERIOD.fullmatch(text, first.end, last.start)
        for first, last in pairwise(sentence.years)
    )


def _range(text: str, sentence: AnalysedSentence, first: TextItem, last: TextItem) -> NumberRange | None:
    joint = _JOINT.fullmatch(text, first.end, last.start)
    if not joint or (joint["and"] and not _BETWEEN.search(text, max(0, first.start - 40), first.start)):
        return None
    if (first.kind, first.unit) == (last.kind, last.unit):
        has_unit = bool(first.unit) or first.kind == "percent"
        return NumberRange(first, last, first.amount if has_unit else _scaled(sentence, first, last))
    # Its "unit" may be the number after a dash: "3–10 days".
    is_bare = first.kind != "percent" and not joint["noun"] and first.unit in ("", sentence.words[last.at])
    return NumberRange(first, last, _scaled(sentence, first, last)) if is_bare else None


def _scaled(sentence: AnalysedSentence, first: TextItem, last: TextItem) -> float:
    """Return the amount of a bare number in the unit and scale of the last: "3 to 10 million", "5 to 7 hours"."""
    amount = first.amount
    if last.at - first.at > 2:
        return amount  # "3 million to 10 million"
    for word in sentence.lower[last.at + 1 : last.at + 4]:
        unit, factor = UNITS.get(word, ("", 0.0))
        if word in SCALES:
            amount *= SCALES[word]
        elif unit == last.unit and factor:
            amount *= factor
            break
    return amount if amount < last.amount else first.amount


def splits_range(
    text: str, claim: AnalysedSentence, passage: str, clause: AnalysedSentence, aligned: ClauseAlignment
) -> bool:
    """Tell whether a number matches one that is an end of a range, without being the same end of one."""
    ours, theirs = _ends(text, claim), _ends(passage, clause)
    return any(
        ours.get(item) != theirs.get(other) and not _is_end_of_change(claim, item) for item, other in aligned.pairs
    )


def lies_in_range(text: str, claim: AnalysedSentence, item: TextItem, passage: str, sentence: AnalysedSentence) -> bool:
    """Tell whether a number of a claim is an end of a range of the sentence or between its ends."""
    is_single = item not in _ends(text, claim) and not _is_end_of_change(claim, item)
    return is_single and any(each.holds(item) for each in number_ranges(passage, sentence))


def keeps_range(pair: SentencePair) -> bool:
    """Tell whether every number that only the claim has is within a range of the closest sentence."""
    claim, passage = (pair.claim.text, pair.claimed), (pair.passage.text, pair.nearest)
    return bool(pair.new_numbers) and all(lies_in_range(*claim, item, *passage) for item in pair.new_numbers)


def cuts_range(text: str, start: int, end: int) -> bool:
    """Tell whether `text[start:end]` has only one end of a range: "10 days are needed" of "3–10 days are needed"."""
    return any(
        (start <= each.first.start < end) != (start <= each.last.start < end)
        for sentence in analyse(text, 0, len(text), _NO_WEIGHTS)
        for each in number_ranges(text, sentence)
    )


def _ends(text: str, sentence: AnalysedSentence) -> dict[TextItem, str]:
    return {getattr(each, end): end for each in number_ranges(text, sentence) for end in ("first", "last")}


def _is_end_of_change(claim: AnalysedSentence, item: TextItem) -> bool:
    return item.at > 0 and claim.lower[item.at - 1] in _CHANGES
