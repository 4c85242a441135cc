"""Denials that leave out what they deny: "Admission is free, parking is not" beside "Parking is free".

All of the claim's words are in one sentence, so the network may take it for supported.
"""

from __future__ import annotations

import re

from factscope.judging.verifiers.rules.force import denials
from factscope.judging.verifiers.wording.alignment import excerpt
from factscope.judging.verifiers.wording.clauses import has
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair

_JOINT = r"(?:[,;:—–]|\b(?:but|and|while|whereas)\b)"
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|must|should)"
_DENIAL = re.compile(
    rf"{_JOINT}(?P<subject>(?: (?!but\b|and\b|that\b)[^\s,;:—–.]+){{1,7}}?) (?P<verb>{_VERB})(?:n['’]t| ?not)"
    r"(?=\s*(?:$|[.,;:()—–!\"”]))",
    re.IGNORECASE,
)
_DOING = frozenset(("do", "does", "did"))


def find_elliptical_denial(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence that says of its subject that it "is not" or "does not".

    The claim's other words must be in the part before it, and its verb too unless that is a form of "do".
    """
    claimed, passage = pair.claimed, pair.passage
    if claimed.question or denials(claimed):
        return None
    for sentence in passage.stretches:
        for match in _DENIAL.finditer(passage.text, sentence.start, sentence.end):
            verb = match["verb"].lower()
            start, end = match.span("subject")
            subject = [item for item in sentence.items if start <= item.start < end]
            before = [item for item in sentence.items if item.start < start]
            others = [item for item in claimed.items if not has(subject, item)]
            is_said = verb in claimed.lower or verb in _DOING
            if not subject or not others or not is_said or not all(has(claimed.items, item) for item in subject):
                continue
            if all(has(before, item) for item in others):
                words = excerpt(passage.text, start, match.end()).strip()
                return pair.contradicted(sentence, f"the passage says “{words}”")
    return None
