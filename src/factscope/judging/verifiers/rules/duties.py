"""Duties and permissions that a claim makes of something else: "must" for "may", "allowed" for "forbidden".

All other words are the same, so the network takes the claim for supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.judging.verifiers.rules.force import denials
from factscope.judging.verifiers.wording.clauses import has, same_item
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import TextItem

_DUTY = re.compile(
    r"\b(?:must|shall|obliged|obligatory|required?|requires|mandatory|compulsory|ha(?:ve|s|d) to|needs? to|obligation"
    r"|duty)\b",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\b(?:may|(?i:recommend\w*|advis(?:ed|able)|encourag\w+|optional\w*|voluntar\w+|suggest\w*|invited|urged?))\b"
)
_BINDING = re.compile(
    r"\b(?:must|oblig\w+|requir\w+|mandat\w+|compulsor\w+|ha(?:ve|s|d|ving) to|need\w*|necessar\w*|only|shall|duty"
    r"|laws?|rules?|order\w*|forc\w+|forb[ai]d\w*|prohibit\w*|bann?(?:ed)?|not|no|unless|until|essential|binding|demand\w*"
    r"|insist\w*|impos\w+|bound|made)\b",
    re.IGNORECASE,
)
"""Words by which a sentence with an option may contain a duty as well."""
_ALLOWED = re.compile(
    r"\b(?:possible|allowed|permitted|permissible|welcome|can|may|free to|able to|accepted|legal|lawful)\b",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:(?:is|are|was|were) not (?:allowed|permitted|possible|welcome|accepted)|(?:may|must|can|shall) not|cannot"
    r"|can['’]t|prohibited|forbidden|banned|barred|illegal)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:if|unless|except|save|without|until|before|after|only|but|no longer)\b", re.IGNORECASE)
_JOINT = re.compile(r"[;,:]|\b(?:and|but)\b")


def changes_duty(pair: SentencePair) -> bool:
    """Tell whether a claim makes a duty of what the closest sentence leaves open, or allows what it forbids."""
    if denials(pair.claimed) or _FORBIDDEN.search(pair.text):
        return False
    items = [item._replace(start=item.start - pair.nearest.start) for item in pair.nearest.items]
    return _is_optional(pair, items) or _is_forbidden(pair, items)


def _is_optional(pair: SentencePair, items: Sequence[TextItem]) -> bool:
    claimed, sentence = pair.claimed, pair.nearest_text
    duty, option = _DUTY.search(pair.text), _OPTION.search(sentence)
    if not duty or not option or _BINDING.search(sentence):
        return False
    if option[0] != "may":
        return sum(has(items, item) for item in claimed.items) * 2 >= len(claimed.items) - 1
    done = next((item for item in claimed.items if item.start >= claimed.start + duty.end()), None)
    may_do = next((item for item in items if item.start >= option.end()), None)
    return bool(done and may_do and same_item(done, may_do)) and _missing(claimed.items, items) <= 1


def _is_forbidden(pair: SentencePair, items: Sequence[TextItem]) -> bool:
    text, sentence = pair.text, pair.nearest_text
    forbidden = _FORBIDDEN.search(sentence)
    if not forbidden or not _ALLOWED.search(text) or _LIMITED.search(text) or _LIMITED.search(sentence):
        return False
    if _ALLOWED.search(_FORBIDDEN.sub("", sentence)):
        return False
    joints = [match.start() for match in _JOINT.finditer(sentence)]
    low = max((at for at in joints if at < forbidden.start()), default=0)
    high = min((at for at in joints if at >= forbidden.end()), default=len(sentence))
    return _missing(pair.claimed.items, [item for item in items if low <= item.start < high]) <= 1


def _missing(claimed: Sequence[TextItem], items: Sequence[TextItem]) -> int:
    return sum(not has(items, item) for item in claimed)
