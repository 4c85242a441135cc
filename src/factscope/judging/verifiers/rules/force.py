"""Words that change the force of a statement: negations, reports, plans, bounds, shares of a group."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from factscope.judging.verifiers.rules.verbatim import MADE_UP
from factscope.judging.verifiers.wording.bounds import QUANTIFIERS, is_cap
from factscope.judging.verifiers.wording.clauses import ClauseAlignment, marker
from factscope.judging.verifiers.wording.lexicon import NEGATIONS, word_list
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_DENYING = NEGATIONS - frozenset("prevent prevents prevented stop stops stopped cease ceased".split())
_TURNS = word_list("turning")
"""Words that modify a statement; claim and clause must have the same ones."""
_BOUNDS = frozenset(
    """more less fewer least than most always often usually normally sometimes occasionally rarely seldom ever other
    another same also even too up exactly together total altogether or still yet again once twice just""".split()
)
_EVERY = frozenset("all every each".split())
_PARTICLES = frozenset("off out up down away".split())
"""Words that change the verb before them: "switched on" and "switched off"."""


def is_about_some(claim: AnalysedSentence) -> bool:
    """Tell whether a claim is about some of a group; others of it may be otherwise."""
    return not {"some", "several", "many", "few"}.isdisjoint(claim.lower)


def is_about_all(clause: AnalysedSentence) -> bool:
    """Tell whether a clause speaks of all of something; "every five years" does not."""
    numbers = {item.at for item in clause.items if item.kind in NUMERIC}
    return any(word in _EVERY and at + 1 not in numbers for at, word in enumerate(clause.lower))


def is_turned(claim: AnalysedSentence, clause: AnalysedSentence) -> bool:
    """Tell whether claim and clause differ in a word that modifies a statement."""
    if "because" in claim.lower and "because" not in clause.lower:
        return True
    if _is_capped(claim) != _is_capped(clause):
        return True
    if bool(MADE_UP.search(" ".join(claim.lower))) != bool(MADE_UP.search(" ".join(clause.lower))):
        return True
    ours, theirs = _words(claim), _words(clause)
    return any(words & ours != words & theirs for words in (_TURNS, _PARTICLES))


def _words(sentence: AnalysedSentence) -> set[str]:
    """Return the words of a sentence, months aside: "May" is not a verb there."""
    months = {item.at for item in sentence.items if item.kind == "month"}
    return {word for at, word in enumerate(sentence.lower) if at not in months}


def _is_capped(sentence: AnalysedSentence) -> bool:
    return any(is_cap(sentence.lower, at) for at in range(len(sentence.lower)))


def denials(sentence: AnalysedSentence) -> int:
    """Return the number of negations."""
    return sum(_denies(word) for word in sentence.lower)


def _denies(word: str) -> bool:
    return word in _DENYING or word.endswith("n't")


def same_bounds(claim: AnalysedSentence, clause: AnalysedSentence) -> bool:
    """Tell whether claim and clause have the same words that compare or limit."""
    return _bounds(claim) == _bounds(clause)


def _bounds(sentence: AnalysedSentence) -> set[str]:
    """Return the words that compare or limit, except those before numbers."""
    of_numbers = {at for item in sentence.items if item.kind in NUMERIC for at in range(item.at - 2, item.at)}
    return {word for at, word in enumerate(sentence.lower) if word in _BOUNDS and at not in of_numbers} - QUANTIFIERS


def is_denied_within(clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether a negation, if there is one, applies to the matched words: the next content word is among them.

    Not if it is limited by a phrase that is not: "does not carry lorries on Sundays".
    """
    matched = {other.at for _, other in aligned.pairs}
    following = [
        next((item.at for item in clause.items if item.at >= at), -1)
        for at, word in enumerate(clause.lower)
        if _denies(word)
    ]
    is_limited = any(item.at > max(matched) and marker(clause, item) for item in aligned.foreign)
    return matched.issuperset(following) and not (following and is_limited)


def is_reported(sentence: AnalysedSentence, aligned: ClauseAlignment, own: bool = False) -> bool:
    """Tell whether the matched words are in a clause with "that": somebody says, estimates or swears it."""
    first = min(pair[0 if own else 1].at for pair in aligned.pairs)
    return "that" in sentence.lower[max(0, first - 3) : first]


def is_about_share(claim: AnalysedSentence) -> bool:
    """Tell whether a claim is about most, half or a number of a group; the others of it may be otherwise."""
    numbers = claim.amounts
    return not {"most", "half"}.isdisjoint(claim.lower) or any(
        "of" in claim.lower[item.at + 1 : item.at + 4] for item in numbers
    )


def excluded_by_one(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> int:
    """Count the names before which only one side says "not": two where "from Drennan, not Loughmore" is reversed."""
    names = [(item, other) for item, other in aligned.pairs if item.kind == "name"]
    return sum(_follows_not(claim, item) != _follows_not(clause, other) for item, other in names)


def _follows_not(sentence: AnalysedSentence, item: TextItem) -> bool:
    return item.at > 0 and sentence.lower[item.at - 1] == "not"
