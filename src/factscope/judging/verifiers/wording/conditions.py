"""Phrases that a statement depends on: "In the dry season, …", "In his view, …", "When the wind is strong, …".

A claim that leaves such a phrase out says more than the passage, though all of its own words are there. Of something
that happened, such a phrase may just tell when or where; of what is so in general it tells when it is so.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.core import PatternFile
from factscope.judging.verifiers.wording.alignment import opposed
from factscope.judging.verifiers.wording.clauses import Clause, has
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.tense import is_of_present
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText, TextItem

_PHRASES = PatternFile(__package__, "conditions.toml")
_SETTINGS = frozenset(
    "in at on during under for to among with without after before outside by within throughout".split()
)
"""Prepositions of a phrase that limits what is so in general."""
_FOR_SOME = frozenset(("for", "to"))
_ITS_OWN = frozenset("its their his her".split())
"""Words of a phrase about the subject: "with its two towers"."""
_JOINING = frozenset(
    "addition fact total particular contrast comparison example instance reason practice present moment end".split()
)
"""Nouns of a phrase that joins a sentence to the one before, or says no more than "now"."""
_WITHIN_PHRASE = re.compile(
    r"[\s'’-]*(?:\b(?:of|at|in|by|from|on|for|with|to|and|or) (?:(?:the|a|an|its|his|her|their) )?)?"
)
"""Text between two content words of one phrase; a phrase without a comma ends before an article."""


def omits_condition(claim: AnalysedSentence, passage: AnalysedText, clause: Clause) -> bool:
    """Tell whether a claim leaves out a phrase that a clause depends on, in it or before it, up to a semicolon."""
    sentence = passage.stretches[clause.sentence]
    if ";" in passage.text[sentence.start : clause.words.start]:
        sentence = clause.words
    text = passage.text[sentence.start : clause.words.end]
    is_general = is_of_present(claim.lower)
    names = ("case", "when") if is_general else ("case",)
    for start in (match.end() for name in names for match in _PHRASES[name].finditer(text)):
        if any(not has(claim.items, item) for item in _items(sentence, text, start, text.find(",", start))):
            return True
    reported = _PHRASES["words_of_others"].search(text)
    phrases = [_items(sentence, text, *reported.span())] if reported else []
    if is_general:
        phrases.append(_setting(sentence, text))
    return any(phrase and _omits(claim, phrase) for phrase in phrases)


def lifts_condition(pair: SentencePair) -> bool:
    """Tell whether a claim is about all cases and the closest sentence about some: "whether or not", "if it rains"."""
    is_lifted = _PHRASES["lifted"].search(pair.text) and not _PHRASES["lifted"].search(pair.nearest_text)
    return bool(is_lifted and _PHRASES["condition"].search(pair.nearest_text))


def _items(sentence: AnalysedSentence, text: str, start: int, end: int) -> list[TextItem]:
    """Return the content words of `text[start:end]`, which begins where the sentence does; to its end without one."""
    low, high = sentence.start + start, sentence.start + (end if end >= 0 else len(text))
    return [item for item in sentence.items if low <= item.start < high]


def _omits(claim: AnalysedSentence, phrase: Sequence[TextItem]) -> bool:
    """Tell whether a claim lacks the noun of a phrase, or has an opposite: "in the wet season" for the dry one."""
    return not has(claim.items, phrase[-1]) or any(
        opposed(item.key, ours.key) for item in phrase for ours in claim.items
    )


def _setting(sentence: AnalysedSentence, text: str) -> list[TextItem]:
    """Return the noun of the phrase with which a sentence begins, and words before it, if it is so only then or there.

    A date, a number or a name in it tells of one time or place: "In May 1931, …", "In the market of Marlow, …".
    """
    first = sentence.items[0]
    opening = sentence.lower[: first.at]
    if not opening or opening[0] not in _SETTINGS or len(opening) > 3:
        return []
    phrase = _first_phrase(sentence, text)
    if any(sentence.lower[item.at] in _JOINING or (item.kind in NUMERIC and item.kind != "month") for item in phrase):
        return []
    is_named = any(item.kind == "name" and not sentence.lower[item.at].endswith("days") for item in phrase)
    if opening[0] not in _FOR_SOME and (is_named or not _ITS_OWN.isdisjoint(opening)):
        return []
    return [item for number, item in enumerate(phrase) if item.at == first.at + number]


def _first_phrase(sentence: AnalysedSentence, text: str) -> list[TextItem]:
    """Return the content words up to a comma, an article without a preposition, or a name that begins a subject."""
    phrase = [sentence.items[0]]
    for item in sentence.items[1:]:
        between = text[phrase[-1].end - sentence.start : item.start - sentence.start]
        is_new_name = item.kind == "name" != phrase[-1].kind and not between.strip()
        if is_new_name or not _WITHIN_PHRASE.fullmatch(between):
            break
        phrase.append(item)
    return phrase
