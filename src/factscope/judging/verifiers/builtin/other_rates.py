"""Rates of a claim that the passage gives otherwise: "changed every day" beside "changed once a week".

The network finds all other words and takes the claim for supported, since it does not turn one into the other.
"""

from __future__ import annotations

import re

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.analysis import AnalysedSentence
from factscope.judging.verifiers.builtin.claim_sentences import text_of
from factscope.judging.verifiers.builtin.clauses import has, marker
from factscope.judging.verifiers.builtin.features import AnalysedText, closest
from factscope.judging.verifiers.builtin.force import denials
from factscope.judging.verifiers.builtin.rates import are_same, rates
from factscope.judging.verifiers.builtin.replacements import LIMITING

_BOUND = re.compile(r"\b(?:least|most|than|up to|between|almost|nearly|over|under|except)\b", re.IGNORECASE)


def find_other_rate(claim: AnalysedText, passage: AnalysedText) -> tuple[Span, str] | None:
    """Return the closest sentence, with a reason, if it has all words of the claim but one, and another rate."""
    (claimed,) = claim.stretches
    text = text_of(claim)
    sentence = passage.stretches[closest(claimed, passage.stretches)]
    ours, theirs = list(rates(text)), list(rates(passage.text, sentence.start, sentence.end))
    if len(ours) != 1 or len(theirs) != 1 or _is_unclear(claim.text, claimed) or _is_unclear(passage.text, sentence):
        return None
    (own,), (other,) = ours, theirs
    others = [item for item in claimed.items if not own.start <= item.start - claimed.start < own.end]
    missing = [item for item in others if not has(sentence.items, item)]
    is_plain = len(others) >= 2 and len(missing) <= 1 and all(item.kind == "word" for item in missing)
    is_limited = any(marker(sentence, item) in LIMITING and not has(claimed.items, item) for item in sentence.items)
    if are_same(own, other) or is_limited or not is_plain:
        return None
    words = passage.text[other.start : other.end], text[own.start : own.end]
    return Span(start=sentence.start, end=sentence.end), "the passage says {}, not {}".format(*words)


def _is_unclear(text: str, sentence: AnalysedSentence) -> bool:
    return bool(denials(sentence) or sentence.question or _BOUND.search(text, sentence.start, sentence.end))
