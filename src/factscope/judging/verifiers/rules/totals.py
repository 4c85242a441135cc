"""Totals of things that a passage counts apart: "48 goats and sheep" of 36 goats and 12 sheep.

The network takes such a number for another one than each of theirs.
"""

from __future__ import annotations

from itertools import combinations

from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

RECKONED = frozenset(("together", "altogether", "combined", "total", "net", "sum", "difference"))
"""Words of a claim whose number is calculated from several in the passage, so that it differs from each of them."""
_JOINING = RECKONED | {"and", "both", "all", "overall"}
"""Words of a claim that may count things together."""


def is_total(claim: AnalysedSentence, item: TextItem, sentence: AnalysedSentence) -> bool:
    """Tell whether a number of a claim about several things is the sum of two counts of the sentence."""
    if item.kind != "count" or _JOINING.isdisjoint(claim.lower):
        return False
    counts = [other.amount for other in sentence.items if other.kind == "count"]
    return any(left + right == item.amount for left, right in combinations(counts, 2))


def adds_up(pair: SentencePair) -> bool:
    """Tell whether every number that only the claim has is such a sum of the closest sentence."""
    return bool(pair.new_numbers) and all(is_total(pair.claimed, item, pair.nearest) for item in pair.new_numbers)
