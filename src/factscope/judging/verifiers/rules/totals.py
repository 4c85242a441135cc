"""Totals and differences of numbers of a passage: "48 goats and sheep" of 36 goats and 12 sheep, "12 more than Bern".

The network takes such a number for another one than each of theirs.
"""

from __future__ import annotations

from itertools import combinations, permutations

from factscope.judging.verifiers.rules.derivable import EXCLUSIVE, SMALL
from factscope.judging.verifiers.wording.lexicon import UNITS
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, AnalysedText, TextItem

RECKONED = frozenset(("together", "altogether", "combined", "total", "net", "sum", "difference"))
"""Words of a claim whose number is calculated from several in the passage, so that it differs from each of them."""
_JOINING = RECKONED | {"and", "both", "all", "overall"}
"""Words of a claim that may count things together."""
_KINDS = ("count", "percent", "year")
_MOST = 30
"""Most numbers of a passage that are compared."""
_COMPARING = frozenset(("than", "sooner", "earlier", "later"))
"""Words after a difference: "12 more than Bern", "four weeks sooner"."""
_CLOSEST_THAN = 5
"""Most words between a difference and such a word."""
_EXACT = 1e-6


def is_total(claim: AnalysedSentence, item: TextItem, sentence: AnalysedSentence) -> bool:
    """Tell whether a number of a claim about several things is the sum of two counts of the sentence."""
    if item.kind != "count" or _JOINING.isdisjoint(claim.lower):
        return False
    counts = [other.amount for other in sentence.items if other.kind == "count"]
    return any(left + right == item.amount for left, right in combinations(counts, 2))


def adds_up(pair: SentencePair) -> bool:
    """Tell whether every number that only the claim has is such a sum of the closest sentence."""
    return bool(pair.new_numbers) and all(is_total(pair.claimed, item, pair.nearest) for item in pair.new_numbers)


def is_difference(claim: AnalysedSentence, item: TextItem, passage: AnalysedText) -> bool:
    """Tell whether a number is a difference of two of the passage, of which one may count several times.

    Such a number must not be compared with either of the two. In 52 of our own claims that were contradicted in this
    way, this finds 16 of the 19 wrong contradictions, and gives up 9 of the 33 right ones.
    """
    if _COMPARING.isdisjoint(claim.lower[item.at + 1 : item.at + _CLOSEST_THAN]):
        return False
    unit = next(iter(claim.lower[item.at + 1 : item.at + 2]), "")
    factor = UNITS.get(unit, ("", 1.0))[1]
    numbers = [
        (other.unit, other.amount) if other.unit in EXCLUSIVE else ("", other.amount * factor)
        for other in passage.items
        if other.kind in _KINDS
    ]
    if len(numbers) > _MOST:
        return False
    times = {1.0, *(other.amount for other in claim.items if other.kind == "count" and other.amount <= SMALL)}
    return any(
        abs(abs(many * left - right) - item.amount) <= _EXACT * item.amount
        for (left_unit, left), (right_unit, right) in permutations(numbers, 2)
        for many in times
        if not left_unit or not right_unit or left_unit == right_unit
    )
