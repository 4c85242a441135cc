"""Subjects that a passage names before "it": "Lercadine is old. It was withdrawn" says nothing about Amlodipine.

The network reads the claim's name anywhere in the passage, and the rest in the sentence that has no name.
"""

from __future__ import annotations

from factscope.judging.verifiers.builtin.analysis import AnalysedSentence
from factscope.judging.verifiers.builtin.features import AnalysedText, closest

_ONE = frozenset(("he", "she", "it", "its"))
_PRONOUNS = _ONE | {"they"}
_ANYBODY = frozenset(("nobody", "everybody", "somebody", "anybody", "everyone", "someone", "anyone", "none"))
_ARTICLES = frozenset(("a", "an", "the"))


def is_about_other_subject(claim: AnalysedSentence, passage: AnalysedText) -> bool:
    """Tell whether the closest sentence begins with a pronoun that stands for another name than the claim's subject.

    Unknown words in the plural count only where the passage has both: "ferries" may be "boats".
    """
    nearest = closest(claim, passage.stretches)
    subject, pronoun = _subject(claim), _PRONOUNS.intersection(passage.stretches[nearest].lower[:1])
    if not subject or not pronoun:
        return False
    before = [stretch for stretch in passage.stretches[:nearest] if not _PRONOUNS.intersection(stretch.lower[:1])]
    close_by = [*before[-1:], passage.stretches[nearest]]
    if not before or any(subject & {item.key for item in stretch.items} for stretch in close_by):
        return False
    mentioned = {item.key for stretch in passage.stretches for item in stretch.items}
    is_another = bool(_subject(before[-1]) - {item.key for item in claim.items})
    return is_another and (subject <= mentioned or pronoun <= _ONE)


def _subject(sentence: AnalysedSentence) -> set[str]:
    first = len(_ARTICLES.intersection(sentence.lower[:1]))
    if _ANYBODY.intersection(sentence.lower[first : first + 1]):
        return set()
    return {item.key for item in sentence.items if item.kind == "name" and item.at == first}
