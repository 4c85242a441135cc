"""Detection of sentences without checkable content: questions, opinions, advice, greetings, remarks.

The rules err on the side of checking: a statement that is wrongly skipped is lost, one that is wrongly checked merely
stays undecided. So they look only at the beginning of a sentence (a title in quotation marks or capitals matches none
of them) and at short praise as a whole, never at later words, which may be a quotation. Advice that also states
something ("Visit the tower, which was built in 1712") is checked. The wordings (`checkability.toml`) are English; in
other languages only the form of a question counts.
"""

from __future__ import annotations

import re

from factscope.claims.imperatives import is_advice
from factscope.core.labels import ClaimKind
from factscope.core.pattern_file import PatternFile

Reason = tuple[ClaimKind, str]
"""Unit type of a sentence, and the reason why it is not checked."""

QUESTION: Reason = ("question", "a question")
META: Reason = ("meta", "a remark about the answer")
OPINION_REASON: Reason = ("claim", "an opinion")
ADVICE: Reason = ("instruction", "a request or advice")
GREETING: Reason = ("other", "a greeting or thanks")

LONGEST = 400
"""Characters. A longer sentence is checked unless it is a question; the limit also bounds the cost of the patterns."""

# A quoted question makes a sentence a question only if there is nothing else: 'He asked "Why?"' states something.
_QUESTION = re.compile(r"[?？؟՞;][!?)\]*_\s]*$|^[(\[*_\s]*['\"“‘«„].*[?？؟՞;]['\"”’“»)\]*_\s]*$", re.DOTALL)
_CLOSING = " '\"”’“»)]*_!?"
_GREEK = re.compile(r"[\u0370-\u03ff]")

_WORDINGS = PatternFile(__package__, "checkability.toml")


def unstated(text: str) -> Reason | None:
    """Return the type and reason of a sentence that is not checked; None when it states something."""
    if _QUESTION.search(text) and (text.rstrip(_CLOSING)[-1:] != ";" or _GREEK.search(text)):
        return QUESTION
    if len(text) > LONGEST:
        return None
    if _WORDINGS["remark"].match(text):
        return META
    if _WORDINGS["greeting"].match(text):
        return GREETING
    if (
        _WORDINGS["opinion"].match(text)
        or _WORDINGS["praise"].fullmatch(text)
        or _WORDINGS["exclamation"].fullmatch(text)
    ):
        return OPINION_REASON
    return ADVICE if _WORDINGS["recommendation"].match(text) or is_advice(text) else None
