"""Narrower things that alone are meant: "Only assistance dogs are allowed" beside "Dogs are allowed".

All of the claim's words are in the passage, so the network takes it for supported.
"""

from __future__ import annotations

from factscope.judging.verifiers.rules.force import denials
from factscope.judging.verifiers.wording.clauses import has, same_item
from factscope.judging.verifiers.wording.lexicon import JOINING
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_LIMITED = frozenset(("only", "just", "some", "sole", "certain", "few", "solely", "exclusively", "limited"))
_NOT_LIMITING = frozenset(("the", "an", "a", "not", "if", "his", "her", "its", "their"))
"""Words before "only" by which it limits nothing, or a condition: "the only copy", "not only", "if only"."""
_BETWEEN = frozenset(("the", "those", "for", "by", "to", "in", "on", "with", "a", "an", "at", "during"))
_TIMES = frozenset(("afterwards", "later", "then", "once", "twice"))


def leaves_only_out(pair: SentencePair) -> bool:
    """Tell whether a claim names a thing as such of which the closest sentence means only some: "dogs"."""
    claim, nearest = pair.claimed, pair.nearest
    if not _LIMITED.isdisjoint(claim.lower) or denials(claim):
        return False
    if sum(not has(nearest.items, item) for item in claim.items) > 1:
        return False
    modified = {item.at + 1 for item in claim.items}
    return any(
        same_item(item, thing) and item.at not in modified
        for thing in _narrowed(claim, pair.passage.text, nearest)
        for item in claim.items
    )


def _narrowed(claim: AnalysedSentence, text: str, sentence: AnalysedSentence) -> list[TextItem]:
    """Return the nouns after "only" and one word that the claim lacks, but no objects: "sells only local cheese"."""
    items = {item.at: item for item in sentence.items if item.kind == "word"}
    nouns = []
    for at, word in enumerate(sentence.lower):
        if word != "only" or not _NOT_LIMITING.isdisjoint(sentence.lower[at - 1 : at]):
            continue
        first = next((n for n in range(at + 1, len(sentence.lower)) if sentence.lower[n] not in _BETWEEN), -1)
        narrower, thing = items.get(first), items.get(first + 1)
        if at and first == at + 1 and sentence.lower[at - 1] not in JOINING:
            continue
        if not narrower or not thing or text[narrower.end : thing.start].strip(" -") or has(claim.items, narrower):
            continue
        if not sentence.lower[first].endswith("ly") and sentence.lower[first] not in _TIMES:
            nouns.append(thing)
    return nouns
