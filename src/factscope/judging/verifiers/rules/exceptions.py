"""Exceptions that a claim counts in: "covers defects, but not normal wear" beside "covers normal wear".

All of the claim's words are in the passage, so the network takes it for supported.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.judging.verifiers.rules.force import denials, is_about_all
from factscope.judging.verifiers.wording.alignment import excerpt
from factscope.judging.verifiers.wording.clauses import has
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_VERB = r"(?:is|are|was|were|has|have|had|can|may|must|will|does|do|did)"
_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for| from)?(?! (?:that|if|when|where)\b)|excluding|with the exception of"
    r"|not including|exclusive of"
    r"|but not(?! (?:as|if|when|until|before|because|so|yet|always|only|all|every)\b)"
    rf"|but {_VERB} not|(?P<more>apart from|other than|save for))\b",
    re.IGNORECASE,
)
"""`more` may also add something, unless the sentence is about all: "apart from the tower, it has a hall"."""
_END = re.compile(rf"[,;:()—–]|\b(?:who|which|and the|(?:and )?(?P<verb>{_VERB}))\b|$")
_DENIAL = re.compile(
    r"\b(?:no|not|none|never|nobody|nothing|neither|nor|without|hardly|few|cannot|\w+n['’]t)\b", re.IGNORECASE
)
_LIMITED = re.compile(
    r"\b(?:except|excluding|exception|apart|other than|unlike|rather|instead|besides|only|just|including)\b",
    re.IGNORECASE,
)
"""Words of a claim that may make the exception itself."""


class _Exception(NamedTuple):
    start: int
    end: int
    inside: list[TextItem]
    before: list[TextItem]
    after: list[TextItem]
    """Words of the same statement behind the exception: "All rooms except the attic *are heated*"."""


def find_exception(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a claim by a sentence that makes an exception of something the claim counts in."""
    claimed, passage = pair.claimed, pair.passage
    if claimed.question or denials(claimed) or _LIMITED.search(pair.text):
        return None
    for sentence in passage.stretches:
        for made in _exceptions(passage.text, sentence):
            outside = [*made.before, *made.after]
            excepted = [item for item in claimed.items if has(made.inside, item) and not has(outside, item)]
            others = [item for item in claimed.items if item not in excepted]
            says_it = any(has(made.after, item) for item in others) if made.after else len(others) > 1
            if excepted and says_it and all(has(outside, item) for item in others):
                reason = f"the passage makes an exception: “{excerpt(passage.text, made.start, made.end)}”"
                return pair.contradicted(sentence, reason)
    return None


def _exceptions(text: str, sentence: AnalysedSentence) -> list[_Exception]:
    exceptions = []
    for match in _EXCEPTION.finditer(text, sentence.start, sentence.end):
        end = _END.search(text, match.end(), sentence.end)
        if end is None or (match["more"] and not is_about_all(sentence)):
            continue
        goes_on = end["verb"] is not None and not match[0].lower().startswith("but")
        if _DENIAL.search(text, sentence.start, match.start()) or (
            goes_on and _DENIAL.search(text, end.start(), sentence.end)
        ):
            continue
        inside = [item for item in sentence.items if match.end() <= item.start < end.start()]
        before = [item for item in sentence.items if item.start < match.start()]
        after = [item for item in sentence.items if goes_on and item.start >= end.start()]
        exceptions.append(_Exception(match.start(), end.start(), inside, before, after))
    return exceptions
