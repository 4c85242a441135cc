"""Claims that a passage has word for word, but only as an error that it names, or as somebody's doubtful words.

"It is not true that the mill was sold" contradicts "The mill was sold", and "The miller insists that it was sold"
leaves it open. A network sees that all words are there and takes both for support. Only fixed phrases count, with the
claim up to the end of its clause: "It is not true that it was closed *only at night*" says something else.
"""

from __future__ import annotations

import re
from typing import Literal

from factscope.claims.text.terms import tokens
from factscope.core import PatternFile
from factscope.core.records import Span
from factscope.judging.verifiers.rules.verbatim import MIN_WORDS, is_option, occurrences, plain, worded_sentences

_WORDINGS = PatternFile(__package__, "denied.toml")
_CLAUSE_END = re.compile(r"[;:—–]\s")
_NOTE = re.compile(r"\([^()]*\)")
Frame = Literal["denied", "doubtful", "offered"]


def find_frame(claim: str, passage: str) -> tuple[Frame, Span] | None:
    """Return how a passage has a claim that it does not state itself, with the sentence; None where it may state it."""
    words = [plain(token) for token in tokens(claim)]
    if len(words) < MIN_WORDS or claim.rstrip().endswith("?"):
        return None
    result: tuple[Frame, Span] | None = None
    worded = worded_sentences(passage)
    for (span, text, word_tokens, their_words, _), following in zip(
        worded, [*(sentence.text for sentence in worded[1:]), ""], strict=True
    ):
        for start in occurrences(words, their_words):
            before, after = text[: word_tokens[start].start], text[word_tokens[start + len(words) - 1].end :]
            frame = _frame(before, after, following)
            if frame is None and is_option(passage[: span.start] + before):
                frame = "offered"
            if frame is None:
                return None
            if result is None or frame == "denied":
                result = frame, span
    return result


def _frame(before: str, after: str, following: str) -> Frame | None:
    ends = not _NOTE.sub("", _CLAUSE_END.split(after, maxsplit=1)[0]).strip(' .!"”’')
    if _WORDINGS["not_false"].search(before) or _WORDINGS["not_false"].search(following):
        return None
    if ends and _WORDINGS["denied_before"].search(before):
        return "denied"
    if _WORDINGS["noun_before"].search(before) and _WORDINGS["denied_after"].match(after):
        return "denied"
    is_alone = not before.strip(' "“‘')
    is_reported = (ends and _WORDINGS["report_before"].search(before)) or (
        is_alone and _WORDINGS["report_after"].match(after)
    )
    if (is_reported and _WORDINGS["denied_next"].match(following)) or (
        is_alone and ends and _WORDINGS["untrue_next"].match(following)
    ):
        return "denied"
    if (ends and _WORDINGS["doubtful_before"].search(before)) or (
        is_alone and _WORDINGS["doubtful_after"].match(after)
    ):
        return "doubtful"
    return None
