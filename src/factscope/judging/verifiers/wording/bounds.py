"""Bounds and quantifiers of a claim against those of a clause: "more than 100 metres", "all of the rooms"."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

Comparison = Literal["same", "weaker", "opposed", "unclear"]

Bound = Literal["above", "from", "below", "to"]
"""The amounts that a bound admits: "from" and "to" include the number itself."""

_BOUNDS: dict[tuple[str, ...], Bound] = {
    ("more", "than"): "above", ("over",): "above", ("above",): "above", ("at", "least"): "from",
    ("less", "than"): "below", ("fewer", "than"): "below", ("under",): "below", ("below",): "below",
    ("at", "most"): "to", ("up", "to"): "to", ("within",): "to",
}  # fmt: skip
_DENIED: dict[Bound, Bound] = {"above": "to", "below": "from"}
"""Bound → its meaning after "no" or "not"."""
_EXCLUSIVE = frozenset(("above below", "below above", "above to", "to above", "from below", "below from"))
_COMPARED = frozenset("more less fewer later earlier".split())
_ROUGHLY = frozenset("about around approximately roughly nearly almost some".split())
ROUGH = 0.05
"""Share by which a rough number may differ; 29,870 is about 30,000, and 5.2 about 5."""
_ALL = frozenset("all every each".split())
_NONE = frozenset("none no".split())
_SOME = frozenset("some several many most few half both".split())
QUANTIFIERS = _ALL | _NONE | _SOME | frozenset("any either neither".split())


def admits(claim: AnalysedSentence, item: TextItem, other: TextItem) -> bool | None:
    """Tell whether a quantity satisfies the claim's bound or rough number; None if neither side or both have one."""
    if other.about:
        return None
    bound = _bound(claim, item)
    if bound in ("above", "from"):
        return other.amount > item.amount or (bound == "from" and other.amount == item.amount)
    if bound in ("below", "to"):
        return other.amount < item.amount or (bound == "to" and other.amount == item.amount)
    if item.at and claim.lower[item.at - 1] in _ROUGHLY:
        return abs(other.amount - item.amount) <= ROUGH * max(abs(item.amount), abs(other.amount))
    return None


def is_bounded(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a quantity is itself a bound, as in "within 30 days"."""
    return _bound(sentence, item) is not None


def is_capped(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a quantity is an upper limit: "up to 30 days"."""
    return _bound(sentence, item) == "to"


def has_opposite_bound(claim: AnalysedSentence, sentences: Iterable[AnalysedSentence]) -> bool:
    """Tell whether sentences have a number of the claim only with bounds that exclude its own: fewer than 40, more.

    Those with a negation may mean any bound.
    """
    if _denies(claim):
        return False
    bounds = [
        (
            _bound(claim, item),
            [None if _denies(each) else _bound(each, other) for each, other in _equal_numbers(item, sentences)],
        )
        for item in claim.items
        if item.kind in ("count", "percent")
    ]
    return any(theirs and all(f"{ours} {other}" in _EXCLUSIVE for other in theirs) for ours, theirs in bounds)


def has_other_bound(claim: AnalysedSentence, sentence: AnalysedSentence) -> bool:
    """Tell whether a number of both is another bound, or none, on one side: "not more than 40" may be less than 40."""
    return any(
        _bound(claim, item) != _bound(sentence, other)
        for item in claim.items
        if item.kind in NUMERIC
        for _, other in _equal_numbers(item, [sentence])
    )


def _denies(sentence: AnalysedSentence) -> bool:
    """Tell whether a sentence has a negation besides "no more than": "does not fall below 100" is "at least 100"."""
    return any(not is_cap(sentence.lower, at) for at in sentence.cues.negations)


def _equal_numbers(item: TextItem, sentences: Iterable[AnalysedSentence]) -> list[tuple[AnalysedSentence, TextItem]]:
    amount = (item.kind, item.unit, item.amount)
    return [
        (sentence, other)
        for sentence in sentences
        for other in sentence.items
        if (other.kind, other.unit, other.amount) == amount
    ]


def _bound(sentence: AnalysedSentence, item: TextItem) -> Bound | None:
    """Return the bound that a quantity is; "no more than" is "at most"."""
    for width in (2, 1):
        first = item.at - width
        if first >= 0 and (bound := _BOUNDS.get(sentence.lower[first : item.at])):
            is_denied = first > 0 and sentence.lower[first - 1] in ("no", "not")
            return _DENIED.get(bound) if is_denied else bound
    return None


def keeps_bound(claim: AnalysedSentence, sentence: AnalysedSentence) -> bool:
    """Tell whether every quantity that only the claim has keeps a bound of the sentence, or is a bound that is kept.

    "Within two weeks" and "after nine days"; not where another number differs as well.
    """
    theirs = [item for item in sentence.items if item.kind in NUMERIC]
    stated = {(item.kind, item.unit, item.amount) for item in theirs}
    differing = [
        item for item in claim.items if item.kind in NUMERIC and (item.kind, item.unit, item.amount) not in stated
    ]
    return bool(differing) and all(
        not _is_other_limit(claim, item, sentence)
        and any(
            (item.kind, item.unit) == (other.kind, other.unit)
            and (admits(claim, item, other) or admits(sentence, other, item))
            for other in theirs
        )
        for item in differing
    )


def is_just_below(claim: AnalysedSentence, sentence: AnalysedSentence) -> bool:
    """Tell whether a sentence has nearly the number that the claim's is below: "almost five years"."""
    below = {
        (item.kind, item.unit, item.amount)
        for item in claim.items
        if item.kind in NUMERIC and _bound(claim, item) == "below"
    }
    return any(
        (other.kind, other.unit, other.amount) in below and sentence.lower[other.at - 1] in ("almost", "nearly")
        for other in sentence.items
        if other.at
    )


def _is_other_limit(claim: AnalysedSentence, item: TextItem, sentence: AnalysedSentence) -> bool:
    """Tell whether a limit differs from one of the sentence, whatever else keeps it: "up to 26, of which 14 paid"."""
    alike = [other for other in sentence.items if (item.kind, item.unit) == (other.kind, other.unit)]
    return _bound(claim, item) == "to" and any(_bound(sentence, other) == "to" for other in alike)


def compare_quantifiers(claim: AnalysedSentence, clause: AnalysedSentence) -> Comparison:
    """Compare the shares of a group that claim and clause are about; `weaker` means that the claim follows."""
    ours, theirs = _quantifiers(claim), _quantifiers(clause)
    if ours == theirs:
        return "same"
    if not ours or not theirs:  # "no" alone is a negation, and negations are compared separately
        return "same" if _NONE.issuperset(ours + theirs) else "unclear"
    if len(ours) != 1 or len(theirs) != 1:
        return "unclear"
    (our, their) = (ours[0], theirs[0])
    if our in ("some", "several", "many", "most") and their in _ALL:
        return "weaker"
    if our == "some" and their in _SOME:
        return "weaker"
    if our in _ALL and their in _ALL:
        return "same"
    if (our in _NONE) != (their in _NONE):
        return "opposed"
    if our in _ALL and their in ("most", "few", "half"):
        return "opposed"
    return "unclear"


def _quantifiers(sentence: AnalysedSentence) -> list[str]:
    lower = sentence.lower
    return [
        word
        for at, word in enumerate(lower)
        if word in QUANTIFIERS and (*lower[max(0, at - 1) : at], word) != ("at", "most") and not is_cap(lower, at)
    ]


def is_cap(words: Sequence[str], at: int) -> bool:
    """Tell whether "no more than" or "no later than" begins at a word, which is a bound and not a negation."""
    return words[at] == "no" and any(word in _COMPARED for word in words[at + 1 : at + 2])
