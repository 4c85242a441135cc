"""Subjects that a passage names before "it": "Lercadine is old. It was withdrawn" says nothing about Amlodipine.

The network reads the claim's name anywhere in the passage, and the rest in the sentence that has no name.
"""

from __future__ import annotations

from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence

_ONE = frozenset(("he", "she", "it", "its"))
_PRONOUNS = _ONE | {"they"}
_ANYBODY = frozenset(("nobody", "everybody", "somebody", "anybody", "everyone", "someone", "anyone", "none"))
_ARTICLES = frozenset(("a", "an", "the"))


def is_about_other_subject(pair: SentencePair) -> bool:
    """Tell whether the closest sentence begins with a pronoun that stands for another name than the claim's subject.

    Unknown words in the plural count only where the passage has both: "ferries" may be "boats".
    """
    subject, pronoun = _subject(pair.claimed), _PRONOUNS.intersection(pair.nearest.lower[:1])
    if not subject or not pronoun:
        return False
    stretches = pair.passage.stretches
    before = [stretch for stretch in stretches[: pair.nearest_at] if not _PRONOUNS.intersection(stretch.lower[:1])]
    close_by = [*before[-1:], pair.nearest]
    if not before or any(subject & stretch.keys for stretch in close_by):
        return False
    mentioned = {item.key for stretch in stretches for item in stretch.items}
    is_another = bool(_subject(before[-1]) - pair.claimed.keys)
    return is_another and (subject <= mentioned or pronoun <= _ONE)


def _subject(sentence: AnalysedSentence) -> set[str]:
    first = len(_ARTICLES.intersection(sentence.lower[:1]))
    if _ANYBODY.intersection(sentence.lower[first : first + 1]):
        return set()
    return {item.key for item in sentence.items if item.kind == "name" and item.at == first}
