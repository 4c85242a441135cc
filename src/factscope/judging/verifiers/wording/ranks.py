"""Ranks of superlatives: "the largest" beside "the second largest" or "one of the largest".

Every word of the first is in the others, so they look like support.
"""

from __future__ import annotations

from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_SEVERAL = (("one", "of", "the"), ("some", "of", "the"), ("among", "the"))
"""Words before a superlative that several things share."""
_SHARED = 0


def has_other_rank(pair: SentencePair) -> bool:
    """Tell whether a passage has a superlative of the claim only with another rank."""
    ranks = _ranks(pair.claimed)
    theirs = [_ranks(stretch) for stretch in pair.passage.stretches]
    return any(
        (others := {their_rank for each in theirs for their_word, their_rank in each if their_word == word})
        and rank not in (*others, _SHARED)
        for word, rank in ranks
    )


def is_ranked_otherwise(claim: AnalysedSentence, sentence: AnalysedSentence) -> bool:
    """Tell whether a sentence gives another place to what a claim gives the first or another: "the second largest"."""
    theirs = dict(_ranks(sentence))
    return any(
        word in theirs and rank != theirs[word] and _SHARED not in (rank, theirs[word]) for word, rank in _ranks(claim)
    )


def _ranks(sentence: AnalysedSentence) -> list[tuple[str, int]]:
    """Return the superlatives of a sentence, as stems, each with its rank."""
    return [(sentence.words[at], _rank(sentence, at)) for at in sentence.cues.superlatives]


def _rank(sentence: AnalysedSentence, at: int) -> int:
    if any(sentence.lower[max(0, at - len(words)) : at] == words for words in _SEVERAL):
        return _SHARED
    return next((int(item.amount) for item in sentence.items if item.kind == "ordinal" and item.at == at - 1), 1)
