"""Lists of what is common, included, allowed: "Common: headache. Rare: cough, rash", by which a cough is not common.

The network finds both words in neighbouring lists, and takes the claim for supported. Other labels name fields of one
thing ("Date: … Chair: …"): of 14 claims that have words of several, in 105 texts with keys, all are true.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from factscope.claims.text.terms import term
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedText

_LABEL = re.compile(r"[\s*•–-]*(?P<label>(?:[^:;.,\n]|(?<=\d)[.,](?=\d)){2,60}):\**\s+(?=\S)")
_SORTING = frozenset(
    term(word)
    for word in (
        "common uncommon rare frequent infrequent occasional included excluded covered required optional allowed"
        " permitted forbidden prohibited banned available unavailable free"
    ).split()
)
"""Words of labels that sort things of one kind."""
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|will|can|may|must|do|does|did)\b", re.IGNORECASE)
"""Verbs that make a sentence of what follows a colon."""


class _LabelledList(NamedTuple):
    label: frozenset[str]
    """Stems of its label."""
    members: frozenset[str]
    """Stems of what it lists."""


def is_in_other_list(pair: SentencePair) -> bool:
    """Tell whether the claim names one list and something that only another list has, whose label it does not name.

    Words that several labels have tell none of them.
    """
    lists = _lists(pair.passage)
    labels = Counter(word for each in lists for word in each.label)
    mentioned = [each for each in lists if any(labels[word] == 1 for word in pair.claimed.keys & each.label)]
    if not mentioned or len(mentioned) == len(lists):
        return False
    outside = {item.key for item in pair.claimed.items if any(item.key in each.members for each in lists)}
    return any(not any(word in each.members | each.label for each in mentioned) for word in outside)


def _lists(passage: AnalysedText) -> list[_LabelledList]:
    lists = []
    for stretch in passage.stretches:
        text = passage.part(stretch)
        match = _LABEL.match(text)
        if not match or _VERB.search(text):
            continue
        end = stretch.start + match.end()
        label = frozenset(item.key for item in stretch.items if item.start < end)
        if label.isdisjoint(_SORTING):
            continue
        members = frozenset(item.key for item in stretch.items if item.start >= end)
        lists.append(_LabelledList(label, members))
    return lists
