"""Quantities of a claim against those of the evidence: equal, missing, or different where the same thing is counted."""

from __future__ import annotations

import re
from functools import partial
from math import isclose

from factscope.judging.verifiers.wording.alignment import AlignedClaim, excerpt
from factscope.judging.verifiers.wording.analysis import CURRENCY_SIGNS
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem, same_year

_ENDS = frozenset(("to", "until", "till"))
"""Words before the end of a period."""


def compare_numbers(aligned: AlignedClaim) -> dict[str, float]:
    """Return the features of group `numbers`; explanations for a person go to the notes.

    A quantity of the claim conflicts with one of the window that is of the same kind, differs, and is closer to the
    same words than any equal one.
    """
    sentence, best, alignment = aligned.sentence, aligned.best, aligned.alignment
    quantities = sentence.of_kind(*NUMERIC)
    present = [(item, sentence) for sentence in aligned.window for item in sentence.items if item.kind in NUMERIC]
    matched, missing = 0, 0
    conflict = {"year": 0.0, "month": 0.0, "other": 0.0}
    for item in quantities:
        equal = [pair for pair in present if _equal(item, pair[0])]
        matched += bool(equal)
        missing += not equal
        rivals = [pair for pair in present if not _equal(item, pair[0]) and _comparable(item, pair[0])]
        if not rivals:
            _note_number(aligned, item, None)
            continue
        closeness = [_affinity(item, sentence, other, piece) for other, piece in rivals]
        # On a tie, or nearly one, the sentence that the claim is aligned with wins.
        at = max(range(len(rivals)), key=lambda at: closeness[at] + 0.3 * (rivals[at][1] is best))
        strength = closeness[at]
        strength -= max((_affinity(item, sentence, other, piece) for other, piece in equal), default=0.0)
        if equal and strength <= 0:
            _note_number(aligned, item, None)
            continue
        kind = item.kind if item.kind in conflict else "other"
        conflict[kind] = max(conflict[kind], strength)
        is_near = strength > 0 and rivals[at][1] is best
        alike = [
            other
            for (other, piece), near in zip(rivals, closeness, strict=True)
            if piece is best and near == closeness[at]
        ]
        _note_number(aligned, item, min(alike, key=partial(_unlikeness, aligned, item)) if is_near else None)
    slots = [s for s in alignment.slots if any(_rivals(a, b) for a in s.claim for b in s.evidence)]
    return {
        "number_any": float(min(len(quantities), 4)),
        "number_match": matched / len(quantities) if quantities else 0.0,
        "number_missing": float(min(missing, 4)),
        "number_conflict": conflict["other"],
        "number_slot": max((1.0 + slot.anchored for slot in slots), default=0.0),
        "year_conflict": conflict["year"],
        "month_conflict": conflict["month"],
    }


def _unlikeness(aligned: AlignedClaim, item: TextItem, rival: TextItem) -> tuple[bool, int]:
    """Return whether only one of two numbers ends a period, and how far the second is from the words beside the first.

    These are the words that the claim and its closest sentence share.
    """
    differs = _ends_period(aligned.sentence, item) != _ends_period(aligned.best, rival)
    beside = {other.key for other in aligned.sentence.items if other is not item and abs(other.at - item.at) <= 5}
    distance = sum(abs(other.at - rival.at) for other in aligned.best.items if other.key in beside)
    return differs, distance


def _ends_period(sentence: AnalysedSentence, item: TextItem) -> bool:
    return not _ENDS.isdisjoint(sentence.lower[max(0, item.at - 1) : item.at])


def _note_number(aligned: AlignedClaim, item: TextItem, rival: TextItem | None) -> None:
    """Add the note on a number of the claim; `rival` is what the closest sentence has in its place."""
    ours = words_of(aligned.claim.text, item)
    equal = [other for other in aligned.passage.items if other.kind in NUMERIC and _equal(item, other)]
    is_same = bool(re.search(rf"(?<![\w.,]){re.escape(ours)}(?!\w|[.,]\d)", aligned.passage.text, re.IGNORECASE))
    if rival:
        link = " where the claim says" if equal or is_same else ", not"
        aligned.note("numbers", f"has {words_of(aligned.passage.text, rival)}{link} {ours}")
    elif is_same or equal:
        words = f"also has {ours}" if is_same else _in_other_words(aligned.passage.text, item, equal, ours)
        aligned.note("numbers", words, agrees=True, of_sentence=False)
    else:
        aligned.note("numbers", f"does not have {ours}", of_sentence=False)


def _in_other_words(text: str, item: TextItem, equal: list[TextItem], ours: str) -> str:
    """Return how a text has a number of the claim, from its equal ones."""
    nearest = min(equal, key=lambda other: (other.unit != item.unit, abs(other.amount - item.amount)))
    theirs = f"has {words_of(text, nearest)}"
    if not isclose(nearest.amount, item.amount):
        return f"{theirs}, {'of the' if item.kind == 'year' else 'about'} {ours}"
    return f"{theirs}, that is {ours}" if nearest.unit == item.unit else theirs


def words_of(text: str, item: TextItem) -> str:
    """Return a number as the text writes it, with the sign of its currency."""
    start = item.start - (text[item.start - 1 : item.start] in CURRENCY_SIGNS)
    return excerpt(text, start, item.end)


def _rivals(left: TextItem, right: TextItem) -> bool:
    return left.kind in NUMERIC and _comparable(left, right) and not _equal(left, right)


def _comparable(left: TextItem, right: TextItem) -> bool:
    return left.kind == right.kind and (left.kind != "count" or left.unit == right.unit)


def _equal(left: TextItem, right: TextItem) -> bool:
    """Tell whether two quantities are equal; an approximate one within a tenth."""
    if left.kind == right.kind == "year":
        return same_year(left, right)
    if {left.kind, right.kind} <= {"count", "year"} or left.kind == right.kind:
        difference = abs(left.amount - right.amount)
        slack = 0.1 if left.about or right.about else 0.005 if left.unit and left.unit == right.unit else 1e-9
        return difference <= slack * max(abs(left.amount), abs(right.amount))
    return False


def _affinity(
    item: TextItem, sentence: AnalysedSentence, other: TextItem, analysed_sentence: AnalysedSentence
) -> float:
    """Measure how much of a quantity's context in the claim is also near one in the evidence, 0 to 1."""
    context_weights = {
        i.key: i.weight for i in sentence.items if i is not item and abs(i.at - item.at) <= 5 and i.kind not in NUMERIC
    }
    around = {i.key for i in analysed_sentence.items if i is not other and abs(i.at - other.at) <= 7}
    total = sum(context_weights.values())
    shared = sum(weight for key, weight in context_weights.items() if key in around) / total if total else 0.0
    unit = bool(item.unit) and item.unit == other.unit
    return min(1.0, shared + 0.3 * unit)
