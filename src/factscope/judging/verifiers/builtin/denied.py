"""Claims that a passage has word for word, but only as an error that it names, or as somebody's doubtful words.

"It is not true that the mill was sold" contradicts "The mill was sold", and "The miller insists that it was sold"
leaves it open. A network sees that all words are there and takes both for support. Only fixed phrases count, with the
claim up to the end of its clause: "It is not true that it was closed *only at night*" says something else.
"""

from __future__ import annotations

import re
from typing import Literal

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.verbatim import MIN_WORDS, occurrences, plain

_FALSE = (
    r"(?:false|untrue|incorrect|mistaken|baseless|unfounded|groundless|an? (?:\w+ )?(?:myth|lie|hoax|fallacy|"
    r"misconception|fabrication|invention)|not (?:true|correct|the case)|no longer (?:true|the case)|"
    r"(?:not|no longer) so(?=\W*$|[.,;!])|disproved|refuted|debunked|discredited|(?:pure )?fiction)"
)
"""Words for something untrue. "Wrong" and "a mistake" are not among them: what was a mistake was done."""
_WRONG_TO_SAY = (
    r"(?:wrong|an? (?:\w+ )?(?:mistake|error)) (?:to|if you) (?:say|think|believe|claim|assume|suppose|suggest)"
)
_ACT = r"(?: (?:to|if you) (?:say|think|believe|claim|assume|suppose|suggest))?"
_DENIED_BEFORE = re.compile(
    rf"(?:\b(?:it|that)(?: is| was|['’]s) (?:\w+ly |just )?(?:{_FALSE}{_ACT}|{_WRONG_TO_SAY})"
    r"(?:(?:, [^,.;]{1,60},)? that)?|"
    r"\bthere (?:is|was) no truth in the \w+ that|"
    r"\b(?:falsely|wrongly|mistakenly|incorrectly|erroneously) (?:\w+ ){0,2}that|"
    r"^\W*(?:\w+ )?(?:myth|misconception|falsehood)(?: (?:no\. ?|#)?\d+)?:)\s*$",
    re.IGNORECASE,
)
"""Words before a claim that is called false: "It is a mistake to think that", "Myth:"."""
_REPORT_NOUN = (
    r"(?:rumou?rs?|stor(?:y|ies)|tales?|claims?|reports?|beliefs?|statements?|ideas?|allegations?|suggestions?|"
    r"notions?)"
)
_NOUN_BEFORE = re.compile(rf"\b{_REPORT_NOUN}\b[^,.;]{{0,30}}\bthat\s*$", re.IGNORECASE)
_NOT_PARTLY = r"(?! (?:to|that|of|by|in|at|on|for|until|till|before|when|then|only)\b)"
"""Not before words that limit it: "not true of the tower", "not so in 1950"."""
_DENIED_AFTER = re.compile(
    r"^,?\s*(?:(?:is|was|are|were|has been|have been|(?:has |have )?(?:since )?(?:proved|proven|turned out)(?: to be)?)"
    rf"\s+(?:\w+ly |simply |since |now )?{_FALSE}|has no basis)\b(?!,? but){_NOT_PARTLY}",
    re.IGNORECASE,
)
"""The rest of "The rumour that [claim] is false"."""
_DOUBTFUL = (
    r"(?:insist(?:s|ed)?|boast(?:s|ed)?|claim(?:s|ed)|allege[sd]?|maintain(?:s|ed)|swears?|swore|complain(?:s|ed)?|"
    r"fear(?:s|ed))"
)
_REPORT_VERB = rf"(?:said|says|say|wrote|writes|told|tells?|believed?|thought|stated?|reported?|argued?|{_DOUBTFUL})"
_REPORT_BEFORE = re.compile(rf"\b{_REPORT_VERB}\b[^.;:]{{0,40}}$", re.IGNORECASE)
_DOUBTFUL_BEFORE = re.compile(rf"\b{_DOUBTFUL}(?: that)?\s*$", re.IGNORECASE)
_REPORT_AFTER = re.compile(rf"^\s*[\"”’]?,?\s*[\"”’]?\s*(?:[\w’'-]+ ){{0,5}}{_REPORT_VERB}\b", re.IGNORECASE)
_DOUBTFUL_AFTER = re.compile(
    rf"^\s*[\"”’]?,\s*[\"”’]?\s*(?:{_DOUBTFUL}\b|(?:or )?(?:so )?(?:[\w’'-]+ ){{1,5}}{_DOUBTFUL}\s*[.!]?$|"
    r"as [^.,]* has it\b)",
    re.IGNORECASE,
)
_DENIED_NEXT = re.compile(
    rf"^\W*(?:(?:but |however, |yet |in fact, )?(?:this|that|it|the {_REPORT_NOUN})\W+"
    r"(?:is|was|has been|turned out to be|proved(?: to be)?)"
    rf"\W+(?:\w+ly |since )?{_FALSE}\b{_NOT_PARTLY}|there (?:is|was) no truth in (?:this|that|it)\b|"
    rf"[^.;]{{1,60}}\b(?:disproved|refuted|debunked)(?: this| that| it| the {_REPORT_NOUN})\b|"
    rf"[^.;]{{1,60}}\bshown that (?:this|it) (?:never happened|(?:is|was) {_FALSE}))",
    re.IGNORECASE,
)
"""A next sentence that calls what a report says false."""
_UNTRUE_NEXT = re.compile(
    rf"^\W*(?:but |however, |yet |in fact, )?(?:this|that|the {_REPORT_NOUN})\W+(?:is|was|has been|turned out to be)"
    rf"\W+(?:\w+ly |since )?(?:false|untrue|not true|disproved|refuted|debunked|"
    rf"an? (?:\w+ )?(?:myth|hoax|lie|fallacy))\b{_NOT_PARTLY}",
    re.IGNORECASE,
)
"""A following sentence that calls the passage's own statement false; "no longer so" is not enough, since it was so."""
_NOT_FALSE = re.compile(r"\bnot (?:\w+ )?(?:wrong|false|untrue|mistaken|a mistake)\b", re.IGNORECASE)
Frame = Literal["denied", "doubtful"]


def find_frame(claim: str, passage: str) -> tuple[Frame, Span] | None:
    """Return how a passage has a claim that it does not state itself, with the sentence; None where it may state it."""
    words = [plain(token) for token in tokens(claim)]
    if len(words) < MIN_WORDS or claim.rstrip().endswith("?"):
        return None
    result: tuple[Frame, Span] | None = None
    spans = sentences(passage)
    for span, following in zip(spans, [*(span.of(passage) for span in spans[1:]), ""], strict=True):
        text = span.of(passage)
        found_tokens = tokens(text)
        for start in occurrences(words, [plain(token) for token in found_tokens]):
            before, after = text[: found_tokens[start].start], text[found_tokens[start + len(words) - 1].end :]
            frame = _frame(before, after, following)
            if frame is None:
                return None
            if result is None or frame == "denied":
                result = frame, span
    return result


def _frame(before: str, after: str, following: str) -> Frame | None:
    ends = not after.strip(' .!"”’')
    if _NOT_FALSE.search(before) or _NOT_FALSE.search(following):
        return None
    if ends and _DENIED_BEFORE.search(before):
        return "denied"
    if _NOUN_BEFORE.search(before) and _DENIED_AFTER.match(after):
        return "denied"
    is_alone = not before.strip(' "“‘')
    is_reported = (ends and _REPORT_BEFORE.search(before)) or (is_alone and _REPORT_AFTER.match(after))
    if (is_reported and _DENIED_NEXT.match(following)) or (is_alone and ends and _UNTRUE_NEXT.match(following)):
        return "denied"
    if (ends and _DOUBTFUL_BEFORE.search(before)) or (is_alone and _DOUBTFUL_AFTER.match(after)):
        return "doubtful"
    return None
