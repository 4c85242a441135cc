"""Numbers and letters that are part of a name: a statement about Line 3 or Team A is not about Line 5 or Team B."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.judging.verifiers.wording.lexicon import NUMBERED, word_list
from factscope.judging.verifiers.wording.sentence_pair import SentencePair

_LISTING = frozenset(("and", "or", "to"))
_LEADING_WORDS = 3
"""Words at the beginning of a claim in which a number may be part of its subject's name."""
_BEFORE_AMOUNTS = word_list("before_amounts")
"""Words that may begin a sentence and come before an amount or a date."""
_SUBJECT = re.compile(
    r"(?:(?:The|An?) )?(?:[^\W\d_][\w'’-]* )?(?P<word>[^\W\d_][\w'’-]*)\.? (?P<sign>#?)(?P<number>\d[\w.,]*\b)"
)
"""A number at the beginning of a claim: "Line 5", "The order number 4411", "Invoice no. 12", "The item #12"."""
_LETTERED = re.compile(r"\b([^\W\d_]{3,}) ([B-HJ-Z]|A(?! [A-Z]))(?![\w&/-])")
"""A name that ends in a letter: "Team A", "hepatitis B"."""
_EDITION = re.compile(r"\b[Tt]he (?P<year>[12]\d{3}) (?P<noun>[a-z]+)")
"""Something that is known by its year: "the 1978 final", "the 2006 edition"."""

_MODEL = re.compile(r"(?<![\w.,/-])(?!Q[1-4]\b|CO2|H2O|FY\d|ISO)[A-Z]{1,4}-?\d{1,4}\b(?![.,:/]\d)")
"""A name of letters and a number, "B12" or "LH452", but not a quarter of a year, a gas or a norm."""


def is_in_name(words: Sequence[str]) -> bool:
    """Tell whether a number after these words is part of the name of the sentence's subject: "Line 5 …"."""
    return 0 < len(words) < _LEADING_WORDS and _is_name(words[-1])


def is_label(words: Sequence[str], at: int) -> bool:
    """Tell whether a number among words in lower case only tells things of a kind apart: "stations 7 and 8"."""
    while at and (words[at - 1].isdecimal() or words[at - 1] in _LISTING):
        at -= 1
    return at > 0 and words[at - 1].removesuffix("s") in NUMBERED


def is_about_another(claim: str, sentence: str) -> bool:
    """Tell whether a sentence names only things of the claim's kind with other numbers or years in their names."""
    return (
        _has_another_number(claim, sentence)
        or _is_another_edition(claim, sentence)
        or _has_another_letter(claim, sentence)
    )


def names_other_model(pair: SentencePair) -> bool:
    """Tell whether a passage names models like those of the claim, and none of them: the A8, where it is the B12."""
    ours, theirs = ({name.replace("-", "") for name in _MODEL.findall(text)} for text in (pair.text, pair.passage.text))
    lengths = [{len(name.rstrip("0123456789")) for name in names} for names in (ours, theirs)]
    return ours.isdisjoint(theirs) and not lengths[0].isdisjoint(lengths[1])


def _has_another_letter(claim: str, sentence: str) -> bool:
    ours, theirs = ([match.groups() for match in _LETTERED.finditer(text)] for text in (claim, sentence))
    return any(
        (word, letter) not in theirs and any(word.lower() == other.lower() for other, _ in theirs)
        for word, letter in ours
    )


def _is_another_edition(claim: str, sentence: str) -> bool:
    return any(
        edition["year"] not in sentence
        and bool(re.search(rf"\bthe [12]\d{{3}} {re.escape(edition['noun'])}\b", sentence, re.IGNORECASE))
        for edition in _EDITION.finditer(claim)
    )


def _has_another_number(claim: str, sentence: str) -> bool:
    subject = _SUBJECT.match(claim)
    if not subject or not (subject["sign"] or _is_name(subject["word"])):
        return False
    alike = re.findall(rf"\b{re.escape(subject['word'])}\.? #?(\d[\w.,]*\b)", sentence, re.IGNORECASE)
    return bool(alike) and subject["number"] not in alike


def _is_name(word: str) -> bool:
    lower = word.casefold()
    return lower in NUMBERED or (word[0].isupper() and lower not in _BEFORE_AMOUNTS and not lower.endswith("ly"))
