"""Majorities that a percentage denies: "Most posts are held by women" beside "Women held 38% of posts".

The network finds all words and takes the claim for supported, since it seldom compares a percentage with a half.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.alignment import excerpt
from factscope.judging.verifiers.builtin.analysis import AnalysedSentence, TextItem
from factscope.judging.verifiers.builtin.claim_sentences import text_of
from factscope.judging.verifiers.builtin.clauses import has, same_item
from factscope.judging.verifiers.builtin.features import AnalysedText, closest
from factscope.judging.verifiers.builtin.force import denials

_HALF = r"(?:half|50 ?(?:%|per ?cent))"
_OF = r"(?: of)?(?: (?:the|its|all|these|those|their))* "
_MAJORITY = re.compile(
    rf"\b(?:most(?! of (?:his|her|their) (?:life|time)\b)|(?:the|a) (?:\w+ )?majority|(?:more than|over) {_HALF}){_OF}",
    re.IGNORECASE,
)
_MINORITY = re.compile(rf"\b(?:(?:a|the) (?:\w+ )?minority|(?:less than|fewer than|under) {_HALF}){_OF}", re.IGNORECASE)
_SHARE_OF = re.compile(r"\s*(?:%|per ?cent)?\s*of\b")
_REST = re.compile(r"\b(?:rest|others?|remain\w+|remainder)\b", re.IGNORECASE)
"""Words for the larger part: "38% of managers are women, the rest men"."""


class _Share(NamedTuple):
    sentence: AnalysedSentence
    percentage: TextItem
    others: list[TextItem]
    """The claim's words besides "most of the"."""


def denies_majority(claim: AnalysedText, passage: AnalysedText) -> bool:
    """Tell whether the closest sentence has less than half of what the claim calls most, or more of a minority."""
    return _other_share(claim, passage) is not None


def find_denied_majority(claim: AnalysedText, passage: AnalysedText) -> tuple[Span, str] | None:
    """Return the sentence with such a percentage that has all of the claim's words, with the reason."""
    share = _other_share(claim, passage)
    if share is None or not all(has(share.sentence.items, item) for item in share.others):
        return None
    percentage = excerpt(passage.text, share.percentage.start, share.percentage.end)
    return Span(start=share.sentence.start, end=share.sentence.end), f"the passage says {percentage}"


def _other_share(claim: AnalysedText, passage: AnalysedText) -> _Share | None:
    (claimed,) = claim.stretches
    most, least = (pattern.search(text_of(claim)) for pattern in (_MAJORITY, _MINORITY))
    phrase = most or least
    if phrase is None or (most and least) or denials(claimed):
        return None
    start, end = (claimed.start + at for at in phrase.span())
    others = [item for item in claimed.items if not start <= item.start < end]
    sentence = passage.stretches[closest(claimed, passage.stretches)]
    shares = [item for item in sentence.items if item.kind == "percent"]
    if len(shares) != 1 or _REST.search(passage.text, sentence.start, sentence.end) or denials(sentence):
        return None
    if any(item.kind in ("count", "percent") for item in others):
        return None
    (percentage,) = shares
    is_other = percentage.amount < 50 if most else percentage.amount > 50
    whole = next((item for item in others if item.start >= end), None)
    theirs = next((item for item in sentence.items if item.start > percentage.start), None)
    if not is_other or not whole or not theirs or not _SHARE_OF.match(passage.text, percentage.end):
        return None
    return _Share(sentence, percentage, others) if same_item(whole, theirs) else None
