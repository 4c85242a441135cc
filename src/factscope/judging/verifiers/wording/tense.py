"""Tense of the verbs that a claim shares with a clause: "The mill was a hotel" does not say that it is one."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.judging.verifiers.wording.clauses import ClauseAlignment
from factscope.judging.verifiers.wording.lexicon import BASE_FORMS, word_list
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_PRESENT_BE = frozenset(("am", "is", "are", "it's", "he's", "she's", "that's", "there's"))
_PAST_BE = frozenset(("was", "were", "wasn't", "weren't"))
_BE = _PRESENT_BE | _PAST_BE | {"be", "been", "isn't", "aren't"}
_PRESENT = _PRESENT_BE | {"has", "have", "do", "does", "isn't", "aren't", "hasn't", "haven't", "don't", "doesn't"}
_PAST = _PAST_BE | {"had", "did", "hadn't", "didn't"}
_BEFORE_PARTICIPLE = _PRESENT_BE | {"be", "can", "stays", "remains"}
"""Words of the present that a participle may follow, unlike "has"."""
_OTHER_PAST = word_list("other_past")
"""Forms that may be past, of verbs whose base is not listed."""
_PLURALS = frozenset(("men", "women", "children", "feet", "teeth", "people", "mice", "geese"))
_NEAR = 3
"""Words before a verb among which its auxiliary is looked for."""


def same_tense(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether the verbs that claim and clause share are of one tense; without any, their auxiliaries count.

    A verb in -ing is finite only after a form of "be": "avoided selling" does not say "sold".
    """
    shared = [(item.at, other.at) for item, other in aligned.pairs if item.kind == other.kind == "word"]
    if any(_is_gerund(claim, at) != _is_gerund(clause, other) for at, other in shared):
        return False
    verbs = [(at, other) for at, other in shared if is_past_form(claim.lower[at]) or is_past_form(clause.lower[other])]
    if verbs:
        return all(_is_past(claim, at) == _is_past(clause, other) for at, other in verbs)
    last = max(other.at for _, other in aligned.pairs)
    ours, theirs = (
        {word in _PAST for word in words if word in _PRESENT | _PAST} for words in (claim.lower, clause.lower[:last])
    )
    return not ours or not theirs or bool(ours & theirs)


def is_past_form(word: str) -> bool:
    """Tell whether a word looks like a past tense or participle."""
    return word.endswith("ed") or (word in BASE_FORMS and not word.endswith("s") and word not in _PLURALS)


def is_of_present(words: Sequence[str]) -> bool:
    """Tell whether a statement of these words is about the present: what is so, rather than what has happened."""
    if not _PAST.isdisjoint(words):
        return False
    return not _BEFORE_PARTICIPLE.isdisjoint(words) or not any(
        word in _OTHER_PAST or is_past_form(word) for word in words
    )


def _is_gerund(sentence: AnalysedSentence, at: int) -> bool:
    return sentence.lower[at].endswith("ing") and _BE.isdisjoint(sentence.lower[max(0, at - 1) : at])


def _is_past(sentence: AnalysedSentence, at: int) -> bool:
    """Tell whether a verb is in a past tense; so is "has sold", but not "is sold"."""
    before = sentence.lower[max(0, at - _NEAR) : at]
    if not _PAST.isdisjoint(before):
        return True
    return is_past_form(sentence.lower[at]) and _PRESENT_BE.isdisjoint(before)
