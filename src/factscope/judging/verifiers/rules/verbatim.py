"""Claims that are in a passage word for word, or except for one number, which need no model.

Only a sentence that states the claim counts. Where words around it may change its meaning (a report, a negation, a
condition), this rule does not apply and the model decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.claims.text.struck import without_struck
from factscope.claims.text.terms import Token, tokens
from factscope.core import PatternFile
from factscope.core.records import Span
from factscope.judging.verifiers.rules.derivable import follows_nearby, is_limit
from factscope.judging.verifiers.rules.number_ranges import cuts_range
from factscope.judging.verifiers.rules.signs import signs_at
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.clauses import Clause
from factscope.judging.verifiers.wording.conditions import omits_condition
from factscope.judging.verifiers.wording.features import read
from factscope.judging.verifiers.wording.lexicon import word_list
from factscope.judging.verifiers.wording.numbered import is_about_another, is_in_name
from factscope.judging.verifiers.wording.tense import is_of_present
from factscope.judging.verifiers.wording.text_items import (
    NUMERIC,
    AnalysedSentence,
    AnalysedText,
    TextItem,
    WordWeights,
    cached_by_text,
)

MIN_WORDS = 3
"""Least words of a claim: a shorter one ("It rained.") is part of too many sentences with another meaning."""
_WORDINGS = PatternFile(__package__, "verbatim.toml")
TURNING = _WORDINGS["turning"]
"""Words around a statement that may change its meaning: negation, condition, report, doubt, plan."""
MADE_UP = _WORDINGS["made_up"]
"""Words that make a statement one about fiction: "In the film, the bank is robbed"."""
_BOUNDING = frozenset("<>≤≥±~+")
"""Signs that make a number a bound or a rough one."""
_NO_WEIGHTS = WordWeights({}, 1.0)
"""For numbers, which do not need any."""
_ARTICLE = re.compile(r"\b(?:the|an?|all|every|each|his|her|its|their)\s+$", re.IGNORECASE)
_LIST = 600  # characters before an item in which a list of options begins
_SET_OFF = re.compile(r"[,;:—–()](?!\d)")
_MANNER = re.compile(r"\s+without (?:a|an|any) \w+(?=\s*[.,;])")
"""A phrase after something that happened which only says how it did: "She flew to Tarnova without a stop"."""
_NUMBER_WORDS = word_list("number_words")
_SELDOM = frozenset(["few", "hardly", "barely", "scarcely", "rarely", "seldom", "nothing", "can", "must"])
"""Words of a claim that such a phrase restricts: "Few guests left without a gift" does not say that few left."""
_OF_A_KIND = frozenset(("a", "an", "each", "every"))


class VerbatimMatch(NamedTuple):
    """A sentence of the passage that states the claim, or all of it except one number."""

    sentence: Span
    claim_word: str = ""
    """The number, month or weekday of the claim that differs; empty when nothing does."""
    passage_word: str = ""


class WordedSentence(NamedTuple):
    """A sentence of a passage with its words as they are compared."""

    span: Span
    text: str
    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    signed: tuple[str, ...]
    """The words, numbers with the signs beside them."""


@cached_by_text()
def worded_sentences(passage: str) -> tuple[WordedSentence, ...]:
    """Return the sentences of a passage without what is struck out."""
    passage = without_struck(passage)
    texts = ((span, span.of(passage)) for span in sentences(passage))
    return tuple(
        WordedSentence(span, text, tuple(tokens(text)), tuple(map(plain, tokens(text))), tuple(_signed_words(text)))
        for span, text in texts
    )


def find_statement(claim: str, passage: str) -> VerbatimMatch | None:
    """Find the sentence that states the claim word for word."""
    claim_words = _signed_words(claim)
    if len(claim_words) < MIN_WORDS or claim.rstrip().endswith("?"):
        return None
    passage = without_struck(passage)
    worded = worded_sentences(passage)
    is_event = not is_of_present(claim_words) and not TURNING.search(claim) and _SELDOM.isdisjoint(claim_words)
    for number, (span, text, word_tokens, _, words) in enumerate(worded):
        for start in occurrences(claim_words, words):
            first, last = word_tokens[start], word_tokens[start + len(claim_words) - 1]
            before, after = text[: first.start], text[last.end :]
            following = worded[number + 1].text if number + 1 < len(worded) else ""
            if is_event and (manner := _MANNER.match(after)):
                after = after[manner.end() :]
            is_whole = _is_in_one_piece(text, claim, word_tokens[start : start + len(claim_words)])
            if before and (not is_whole or _has_condition(before, claim)):
                continue
            if cuts_range(text, first.start, last.end):
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
    passage = without_struck(passage)
    claim_words = list(map(plain, claim_tokens))
    for span, text, word_tokens, words, _ in worded_sentences(passage):
        if len(word_tokens) != len(claim_tokens) or text.rstrip().endswith("?"):
            continue
        differing = [
            (at, claim_tokens[at], word_tokens[at])
            for at, (ours, theirs) in enumerate(zip(claim_words, words, strict=True))
            if ours != theirs
        ]
        if not differing:
            return None
        at, ours, other = differing[0]
        other = Token(span.start + other.start, span.start + other.end, other.text)
        is_name = is_in_name([token.text for token in claim_tokens[:at]]) or is_about_another(claim, text)
        are_numbers = _is_numeral(ours.text) and _is_numeral(other.text)
        if len(differing) == 1 and are_numbers and not is_name and _excludes(passage, other, claim, ours):
            changes.append(VerbatimMatch(span, ours.text, other.text))
    return changes[0] if changes else None


def _excludes(passage: str, theirs: Token, claim: str, ours: Token) -> bool:
    """Tell whether a number of the passage excludes that of the claim.

    Not where either is a bound, both may be the same, or the passage states or yields that of the claim elsewhere.
    """
    signs = _signs(claim, ours)
    if signs != _signs(passage, theirs) or not _BOUNDING.isdisjoint("".join(signs)):
        return False
    if _may_be_same(ours.text, theirs.text):
        return False
    read_passage = read(passage, _NO_WEIGHTS)
    at_ours, at_theirs = _item_at(read(claim, _NO_WEIGHTS), ours), _item_at(read_passage, theirs)
    if not at_ours or not at_theirs or _is_bound(*at_ours) or _is_bound(*at_theirs):
        return False
    (claimed, item), (sentence, rival) = at_ours, at_theirs
    if (item.kind == "name" and ours.text[0].isdigit()) or (item.kind == "ordinal" and item.at <= 1):
        return False  # "A380" and "the second edition" are other things than "A320" and the first
    others = tuple(
        stretch
        for stretch in read_passage.stretches
        if stretch is not sentence and not _is_of_another_thing(claimed, stretch)
    )
    elsewhere = [other for stretch in others for other in stretch.items]
    if item.key == rival.key or any(other.key == item.key for other in elsewhere):
        return False
    if item.kind not in NUMERIC or not others:
        return True
    gap = abs(item.amount - rival.amount)
    if item.kind == "year" and any(other.amount == gap for other in elsewhere):
        return False  # "… in 1910. It was put off by two years."
    # Without the sentence itself: rounded, its "62" may be the claim's "60", and many years lie between it and another.
    return not follows_nearby(item, sentence, replace(read_passage, stretches=others))


def _is_of_another_thing(claimed: AnalysedSentence, stretch: AnalysedSentence) -> bool:
    """Tell whether a sentence is as the claim, but about something else, to which its number belongs.

    It has a name of its own, or is about another kind in the same words: "A family ticket costs 22 crowns." With "the"
    it may be about the same thing: an inn that was a mill.
    """
    if len(stretch.lower) != len(claimed.lower):
        return False
    keys = claimed.keys
    if any(item.kind == "name" and item.key not in keys for item in stretch.items):
        return True
    if claimed.lower[0] not in _OF_A_KIND:
        return False
    nouns = [{item.at for item in each.items if item.kind == "word"} for each in (claimed, stretch)]
    differing = {at for at, pair in enumerate(zip(claimed.lower, stretch.lower, strict=True)) if len(set(pair)) > 1}
    return len(differing) == 1 and differing <= nouns[0] & nouns[1]


def _item_at(text: AnalysedText, token: Token) -> tuple[AnalysedSentence, TextItem] | None:
    pairs = ((stretch, item) for stretch in text.stretches for item in stretch.items)
    return next((pair for pair in pairs if pair[1].start <= token.start < pair[1].end), None)


def _is_bound(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a number is a limit, which another number may keep; "since 2001" is exact."""
    return is_limit(sentence, item) and sentence.lower[item.at - 1 : item.at] != ("since",)


def _signed_words(text: str) -> list[str]:
    """Return the words of a text as they are compared, numbers with the signs beside them."""
    signed = ((token, *_signs(text, token)) for token in tokens(text))
    return [f"{before}{plain(token)}{after}" for token, before, after in signed]


def plain(token: Token) -> str:
    """Return a word in lower case, a number without separators: "9:30" for "09:30", "2019/20" for "2019/2020"."""
    word = token.text.casefold().replace("’", "'")
    if word.isalpha():  # most words, for which the patterns would cost most of the time
        return word
    word = re.sub(r"(?<![\d:.,])0(?=\d[:/])", "", word)
    word = re.sub(r"\b(\d\d)(\d\d)/\1(\d\d)$", r"\1\2/\3", word)
    return re.sub(r",(?=\d{3}(?!\d))", "", word)


def _signs(text: str, token: Token) -> tuple[str, str]:
    """Return the signs beside a number; none for a word."""
    return signs_at(text, token.start, token.end) if token.text[0].isdigit() else ("", "")


def _may_be_same(ours: str, theirs: str) -> bool:
    """Tell whether two numbers may be the same in other notation: "4:30" and "4.30", "1918" and "18"."""
    is_shortened = {len(ours), len(theirs)} == {2, 4} and ours[-2:] == theirs[-2:]
    return is_shortened or not _readings(ours).isdisjoint(_readings(theirs))


def _readings(number: str) -> set[str]:
    """Return how a number may be meant: a separator may be of thousands, of decimals or of a time."""
    joined = re.sub(r"[.,](?=\d{3}(?!\d))", "", number)
    forms = (re.sub(r"[.,:/]", ".", form) for form in (number, joined))
    return {re.sub(r"(\.\d*?)0+$", r"\1", form).rstrip(".") for form in forms}


def _is_numeral(word: str) -> bool:
    return word[0].isdigit() or word.casefold() in _NUMBER_WORDS


def occurrences(target: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return where the words of a claim begin in those of a sentence."""
    width, wanted_words = len(target), tuple(target)
    starts = (start for start in range(len(words) - width + 1) if words[start] == wanted_words[0])
    return [start for start in starts if tuple(words[start : start + width]) == wanted_words]


def _is_in_one_piece(text: str, claim: str, word_tokens: Sequence[Token]) -> bool:
    """Tell whether no more is set off by commas than in the claim, unlike in "his aunt, Ann Holt, was born"."""
    return _SET_OFF.findall(text[word_tokens[0].start : word_tokens[-1].end]) == _SET_OFF.findall(claim.rstrip(" .!"))


def _has_condition(before: str, claim: str) -> bool:
    """Tell whether a claim depends on a phrase before it in its sentence."""
    text = before.rpartition(";")[2] + claim
    (claimed, *_), (sentence, *_) = (analyse(words, 0, len(words), _NO_WEIGHTS) for words in (claim, text))
    return omits_condition(claimed, AnalysedText(text, (sentence,)), Clause(sentence, 0, ()))


def _is_stated(before: str, after: str) -> bool:
    """Tell whether the words around the statement in its sentence leave its meaning unchanged."""
    if TURNING.search(before) or TURNING.search(after) or MADE_UP.search(before):
        return False
    if _WORDINGS["occasion"].search(before) or "?" in after:
        return False
    begins = not before.strip(" \t\n\"“‘'([*_#>-•") or bool(re.search(r"[,;—–(]\s*$", before))
    ends = not after.strip(" \t\n\"”’').!]*_") or bool(re.match(r"\s*[,;:—–(]", after))
    return begins and ends


def is_left_standing(before: str, following: str) -> bool:
    """Tell whether the text before does not attribute the statement to others, nor the next sentence deny it."""
    before = _ARTICLE.sub("", before)
    last = before.rstrip().rsplit("\n\n", 1)[-1][-120:]
    is_quoted = _WORDINGS["quoted"].search(last) or is_option(before)
    return not is_quoted and not _WORDINGS["announced"].search(last) and not _WORDINGS["denial"].search(following)


def is_option(before: str) -> bool:
    """Tell whether the text before a statement makes it one of several that may be chosen."""
    return bool(_WORDINGS["option"].search(before[-_LIST:]))
