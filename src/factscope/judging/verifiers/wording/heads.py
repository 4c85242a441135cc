"""Matched nouns that only specify another noun of the clause: "the bank manager", "the roof of the church"."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from factscope.judging.verifiers.wording.clauses import ClauseAlignment, marker
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_LESSENING = frozenset(
    """deputy vice assistant acting interim ex mock toy model fake replica aspiring honorary pretend sham
    dummy""".split()
)
"""Words before a noun that make it another thing: a deputy mayor is not the mayor."""
_RELATIVE = frozenset("who that which whose whom".split())
_BE = frozenset("is are was were be been being".split())
_ADVERBS = frozenset("now then later soon today".split())
_DETERMINERS = frozenset("a an the his her its their our my your this that these those".split())


def specifies_another(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether a matched noun belongs, in the clause only, to a noun that the claim lacks."""
    foreign = {item.at: item for item in aligned.foreign}
    return any(
        _is_owner(claim, item, clause, other)
        or _is_before_head(clause, other, foreign)
        or _is_after_head(claim, item, clause, other, foreign)
        or _is_lessened(claim, clause, other, foreign)
        for item, other in aligned.pairs
        if other.kind not in NUMERIC
    ) or _is_in_relative_clause(clause, aligned)


def _is_owner(claim: AnalysedSentence, item: TextItem, clause: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether only the clause has "'s" there; "the son of the miller" is "the miller's son", too."""
    owns, is_owner = (sentence.lower[word.at].endswith("'s") for sentence, word in ((claim, item), (clause, other)))
    return is_owner and not owns and marker(claim, item) != "of"


def _is_before_head(clause: AnalysedSentence, other: TextItem, foreign: dict[int, TextItem]) -> bool:
    """Tell whether a noun that the claim lacks follows: "the church roof"; "the painter Rolf Weir" is the painter."""
    head = foreign.get(other.at + 1)
    if head is None or head.kind in NUMERIC:
        return False
    gap = 1 + clause.lower[other.at].endswith("s")  # "the miners' wives" has an apostrophe there
    if head.start - other.end > gap:
        return False  # a comma
    start = _start(clause, other)
    is_noun = other.kind == "name" or start == 0 or clause.lower[start - 1] in _DETERMINERS
    is_adverb = clause.lower[head.at] in _ADVERBS or clause.lower[head.at].endswith("ly")
    is_named = head.kind == "name" and other.kind == "word" and other.at > 0
    return is_noun and not is_adverb and not is_named


def _start(clause: AnalysedSentence, other: TextItem) -> int:
    """Return the position of the first of the content words that end with `other`, with nothing between them."""
    starts = {item.at for item in clause.items}
    return next(at for at in range(other.at, -1, -1) if at - 1 not in starts)


def _is_after_head(
    claim: AnalysedSentence, item: TextItem, clause: AnalysedSentence, other: TextItem, foreign: dict[int, TextItem]
) -> bool:
    """Tell whether a noun that the claim lacks governs it: "the roof of the church"."""
    ours, theirs = marker(claim, item), marker(clause, other)
    if theirs in ("", "as") or (ours and (ours, theirs) != ("of", "of")):
        return False
    at = _start(clause, other) - 1
    at -= clause.lower[at] in _DETERMINERS
    if theirs == "by" and not _BE.isdisjoint(clause.lower[:at]):
        return False  # the agent of a passive verb
    head = foreign.get(at - 1)
    return clause.lower[at] == theirs and head is not None and head.key[0].isalpha()


def _is_lessened(
    claim: AnalysedSentence, clause: AnalysedSentence, other: TextItem, foreign: dict[int, TextItem]
) -> bool:
    """Tell whether only the clause has a word like "deputy" before it."""
    before = range(_start(clause, other), other.at)
    return any(at in foreign and clause.lower[at] in _LESSENING - set(claim.lower) for at in before)


def _is_in_relative_clause(clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether the claim's first item is in a relative clause about another: "the man who shot the mayor"."""
    _, other = min(aligned.pairs, key=lambda pair: pair[0].at)
    foreign = {item.at for item in aligned.foreign}
    return any(
        clause.lower[at] in _RELATIVE and {at - 1, at + 1} <= foreign for at in range(max(0, other.at - 5), other.at)
    )


def belongs_to_another(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether the claim's first item only specifies another: "the son of the miller was hanged"."""
    item, other = min(aligned.pairs, key=lambda pair: pair[0].at)
    before = [foreign for foreign in aligned.foreign if foreign.at < other.at]
    is_owner = marker(clause, other) == "of" and marker(claim, item) != "of"
    return is_owner and bool(before) and not any(matched.at < other.at for _, matched in aligned.pairs)


def hangs(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether an item follows a preposition, at most with an article between them."""
    return bool(marker(sentence, item)) and not any(item.at - 3 < other.at < item.at for other in sentence.items)
