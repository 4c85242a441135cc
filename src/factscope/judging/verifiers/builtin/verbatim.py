"""Claims that are in a passage word for word, or except for one number, which need no model.

Only a sentence that states the claim counts. Where words around it may change its meaning (a report, a negation, a
condition), this rule does not apply and the model decides.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import Token, tokens
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.numbered import is_about_another, is_in_name

MIN_WORDS = 3
"""Least words of a claim: a shorter one ("It rained.") is part of too many sentences with another meaning."""
TURNING = re.compile(
    r"\b(?:not|no|never|\w*n['’]t|nobody|none|neither|nor|without|unless|except|excluding|if|whether|only|until|although|though|"
    r"(?-i:may)|might|could|would|should|plan(?:s|n\w*)?|propos\w*|expect\w*|hop(?:e|es|ed|ing)|intend\w*|want\w*|"
    r"say|says|said|saying|claim\w*|alleg\w*|report\w*|rumou?r\w*|believ\w*|think\w*|thought|suggest\w*|argu\w*|"
    r"den(?:y|ies|ied|ying)|doubt\w*|disput\w*|according|supposed\w*|wrong\w*|false\w*|untrue|myth\w*|legend\w*|misconception\w*|hoax\w*|"
    r"mistak\w*|incorrect\w*|fiction\w*|imagin\w*|pretend\w*|asked?|wonder\w*|reject\w*|refut\w*|stor(?:y|ies)|tale|"
    r"insist\w*|boast\w*|declar\w*|(?<!united )states|stated|stating|maintain(?:s|ed)|fear(?:s|ed)|predict\w*|repeats?|"
    r"promis\w*|complain\w*|reads?|tells?|told|writ(?:es|ing)|wrote|convinced|sw(?:ears?|ore)|has it|on paper)\b",
    re.IGNORECASE,
)
"""Words around a statement that may change its meaning: negation, condition, report, doubt, plan."""
_DENIAL = re.compile(
    r"^\W*(?:(?:not (?:true|so)|wrong|untrue|nonsense|far from it|on the contrary|or (?:was|is|did) (?:it|he|she|they)|"
    r"so (?:runs?|ran|goes|went)|at least,? (?:that|this) is)\b|(?:this|that|it|these|those|both|"
    r"he|she|they|the (?:claim|story|statement|report|rumou?r|opposite)\b[^.]{0,40})\W+"
    r"(?:\w+\W+){0,3}?(?:not (?:true|so|correct|the case)|false|untrue|wrong|incorrect|a myth|a mistake|mistaken|"
    r"denied|\w*n['’]t true|withdrawn|retracted|disputed|a legend|a lie|invented(?! by| in)|lying|"
    r"no longer (?:true|so|the case|accepted|believed))\b(?! (?:to|that|of)\b)|"
    r"[^.;!?]{1,60}\b(?:disprov\w+|refut\w+|debunk\w+|discredit\w+) "
    r"(?:this|that|it|the (?:story|claim|tale|account|report|legend))\b|"
    r"[^.;!?]{1,60}\b(?:shown|proved|proven) (?:that )?(?:this|it) (?:never|to be (?:false|untrue|wrong))\b|"
    r"[^.;!?]{1,40}\b(?:forgery|never happened)\b)",
    re.IGNORECASE,
)
"""A next sentence that retracts the statement."""
MADE_UP = re.compile(
    r"\bin (?:\w+ ){0,2}(?:novel|film|movie|play|opera|poem|tale|dreams?|theory|principle|game)\b|"
    r"\bon (?:stage|screen|paper),",
    re.IGNORECASE,
)
"""Words that make a statement one about fiction: "In the film, the bank is robbed"."""
_ANNOUNCED = re.compile(
    r"\b(?:claim\w*|rumou?r\w*|myth\w*|false\w*|untrue|wrong\w*|legend\w*|error\w*|mistak\w*|correction\w*|"
    r"alleg\w*|said|says|wrote|question\w*|true or)\b[^.!?]*[:?]\s*[\"“‘']?$",
    re.IGNORECASE,
)
"""The end of a text that presents the next statement as somebody's words or as an error."""
_SET_OFF = re.compile(r"[,;:—–()](?!\d)")
_NUMBER_WORDS = frozenset(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
    million billion first second third fourth fifth sixth seventh eighth ninth tenth january february march
    april june july august september october november december""".split()
)


class VerbatimMatch(NamedTuple):
    """A sentence of the passage that states the claim, or all of it except one number."""

    sentence: Span
    claim_word: str = ""
    """The number, month or weekday of the claim that differs; empty when nothing does."""
    passage_word: str = ""


def find_statement(claim: str, passage: str) -> VerbatimMatch | None:
    """Find the sentence that states the claim word for word."""
    claim_words = _words(claim)
    if len(claim_words) < MIN_WORDS or claim.rstrip().endswith("?"):
        return None
    spans = sentences(passage)
    for number, span in enumerate(spans):
        text = span.of(passage)
        word_tokens = tokens(text)
        words = [plain(token) for token in word_tokens]
        for start in occurrences(claim_words, words):
            before = text[: word_tokens[start].start]
            after = text[word_tokens[start + len(claim_words) - 1].end :]
            following = spans[number + 1].of(passage) if number + 1 < len(spans) else ""
            if before and not _is_in_one_piece(text, claim, word_tokens[start : start + len(claim_words)]):
                continue
            if _is_stated(before, after) and is_left_standing(passage[: span.start] + before, following):
                return VerbatimMatch(span)
    return None


def find_number_change(claim: str, passage: str) -> VerbatimMatch | None:
    """Find a sentence that equals the claim except for one number, month or weekday, where no sentence equals it."""
    claim_tokens = tokens(claim)
    if len(claim_tokens) < MIN_WORDS + 1 or claim.rstrip().endswith("?"):
        return None
    changes: list[VerbatimMatch] = []
    for span in sentences(passage):
        text = span.of(passage)
        word_tokens = tokens(text)
        if len(word_tokens) != len(claim_tokens) or text.rstrip().endswith("?"):
            continue
        differing = [
            (at, claim_token.text, theirs.text)
            for at, (claim_token, theirs) in enumerate(zip(claim_tokens, word_tokens, strict=True))
            if plain(claim_token) != plain(theirs)
        ]
        if not differing:
            return None
        at, ours, other = differing[0]
        is_name = is_in_name([token.text for token in claim_tokens[:at]]) or is_about_another(claim, text)
        if len(differing) == 1 and _is_numeral(ours) and _is_numeral(other) and not is_name:
            changes.append(VerbatimMatch(span, ours, other))
    return changes[0] if changes else None


def _words(text: str) -> list[str]:
    return [plain(token) for token in tokens(text)]


def plain(token: Token) -> str:
    """Return a word in the form that is compared: in lower case, a number without its separators."""
    word = token.text.casefold().replace("’", "'")
    return re.sub(r",(?=\d{3}(?!\d))", "", word)


def _is_numeral(word: str) -> bool:
    return word[0].isdigit() or word.casefold() in _NUMBER_WORDS


def occurrences(target: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return where the words of a claim begin in those of a sentence."""
    width = len(target)
    return [start for start in range(len(words) - width + 1) if list(words[start : start + width]) == list(target)]


def _is_in_one_piece(text: str, claim: str, word_tokens: Sequence[Token]) -> bool:
    """Tell whether no more is set off by commas than in the claim, unlike in "his aunt, Ann Holt, was born"."""
    return _SET_OFF.findall(text[word_tokens[0].start : word_tokens[-1].end]) == _SET_OFF.findall(claim.rstrip(" .!"))


def _is_stated(before: str, after: str) -> bool:
    """Tell whether the words around the statement in its sentence leave its meaning unchanged."""
    if TURNING.search(before) or TURNING.search(after) or MADE_UP.search(before):
        return False
    begins = not before.strip(" \t\n\"“‘'([*_#>-•") or bool(re.search(r"[,;:—–(]\s*$", before))
    ends = not after.strip(" \t\n\"”’').!]*_") or bool(re.match(r"\s*[,;:—–(]", after))
    return begins and ends


def is_left_standing(before: str, following: str) -> bool:
    """Tell whether the text before does not attribute the statement to others, nor the next sentence deny it."""
    last = before.rstrip().rsplit("\n\n", 1)[-1][-120:]
    return not _ANNOUNCED.search(last) and not _DENIAL.search(following)
