"""Rates of a claim that the passage gives otherwise: "changed every day" beside "changed once a week".

The network finds all other words and takes the claim for supported, since it does not turn one into the other.
"""

from __future__ import annotations

import re

from factscope.judging.verifiers.notations.rates import LIMITING, may_both_hold, rates
from factscope.judging.verifiers.rules.force import denials
from factscope.judging.verifiers.wording.clauses import has, marker
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_BOUND = re.compile(r"\b(?:least|most|than|up to|between|almost|nearly|over|under|except)\b", re.IGNORECASE)


def find_other_rate(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by the closest sentence if that has all words of the claim but one, and another rate."""
    claimed, sentence = pair.claimed, pair.nearest
    ours, theirs = list(rates(pair.text)), list(rates(pair.nearest_text))
    is_unclear = _is_unclear(pair.text, claimed) or _is_unclear(pair.nearest_text, sentence)
    if len(ours) != 1 or len(theirs) != 1 or is_unclear:
        return None
    (rate,), (other,) = ours, theirs
    others = [item for item in claimed.items if not rate.start <= item.start - claimed.start < rate.end]
    missing = [item for item in others if not has(sentence.items, item)]
    is_plain = len(others) >= 2 and len(missing) <= 1 and all(item.kind == "word" for item in missing)
    is_limited = any(marker(sentence, item) in LIMITING and not has(claimed.items, item) for item in sentence.items)
    if may_both_hold(rate, other) or is_limited or not is_plain:
        return None
    words = pair.nearest_text[other.start : other.end], pair.text[rate.start : rate.end]
    return pair.contradicted(sentence, "the passage says {}, not {}".format(*words))


def _is_unclear(text: str, sentence: AnalysedSentence) -> bool:
    return bool(denials(sentence) or sentence.question or _BOUND.search(text))
