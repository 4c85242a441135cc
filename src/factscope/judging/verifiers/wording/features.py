"""Claim and passage → the features of the model, and the explanation shown to a person.

Each feature is a number that a person can check by hand. They belong to the groups of `GROUPS`; a rationale names the
groups that influence the label's probability most.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens
from factscope.core.records import Span
from factscope.judging.verifiers.wording.alignment import (
    AlignedClaim,
    ItemAlignment,
    MismatchNote,
    align_items,
    excerpt,
    opposed,
    same_word,
)
from factscope.judging.verifiers.wording.analysis import MAX_TOKENS, analyse
from factscope.judging.verifiers.wording.cue_features import degree, negation, opposites
from factscope.judging.verifiers.wording.lexicon import NEGATIONS
from factscope.judging.verifiers.wording.numbers import compare_numbers
from factscope.judging.verifiers.wording.text_items import (
    NUMERIC,
    AnalysedSentence,
    AnalysedText,
    TextItem,
    WordWeights,
    cached_by_text,
)

_GROUPS = {
    "words": (
        "cover_best cover_window cover_all cover_count cover_soft missing_top missing_count missing_word novel "
        "bigrams in_order trigrams longest added"
    ),
    "length": "claim_length sentence_length passage_length sentences",
    "numbers": "number_any number_match number_missing number_conflict number_slot year_conflict month_conflict",
    "names": "name_any name_match name_missing name_slot name_swap",
    "negation": "negation_claim negation_evidence negation_differs",
    "opposites": "opposite_slot opposite_any",
    "replaced": "slot_anchored slot_loose slot_share",
    "degree": "strong_missing strong_weak weak_strong superlative_missing superlative_new",
    "hedges": "hedge_new hedge_missing question",
    "order": "inversions",
}
GROUPS = {group: tuple(names.split()) for group, names in _GROUPS.items()}
SIGNS = ("number_conflict", "year_conflict", "month_conflict", "name_slot", "opposite_any", "negation_differs")
"""Features of which one must be above 0 for a contradiction. Where the trees said contradicted without any of them,
about as many held-out pairs were supported as contradicted, and there would be no reason to show."""
NAMES: tuple[str, ...] = tuple(name for group in GROUPS.values() for name in group)

_POSSESSIVES = frozenset(("his", "her", "its", "their"))
_PRONOUNS = (("he",), ("she",), ("it",), ("they",))
SUBJECT_WORDS = 7
"""Number of words at the beginning of a sentence that may contain its subject."""

_WITHIN_NAME = re.compile(r"[-.\s]*(?:of (?:the )?|(?:de|da|du|la|le|van|von) )*")
"""Text between two words of a name."""

PIECE = 24
"""Tokens of a piece of an overlong sentence of a claim: as many as a claim of the training sets may have, so that a
false detail weighs as much in a piece as in a claim of its own."""


class ClaimComparison(NamedTuple):
    """A claim compared with a passage."""

    values: tuple[float, ...]
    """In the order of `NAMES`."""
    notes: tuple[MismatchNote, ...]
    sentence: Span | None
    """The sentence, or part of an overlong one, that the claim was aligned with."""


@cached_by_text()
def read(text: str, weights: WordWeights) -> AnalysedText:
    """Analyse a passage sentence by sentence."""
    spans = sentences(text)
    return AnalysedText(text, tuple(s for span in spans for s in analyse(text, span.start, span.end, weights)))


def read_claim(text: str, weights: WordWeights) -> tuple[AnalysedText, ...]:
    """Analyse a claim: as one part or, beyond `MAX_TOKENS` tokens, as parts that together hold all of it.

    Each part is one stretch. A long claim is cut at the ends of its sentences, and a sentence that is still too long
    into pieces of `PIECE` tokens, half of which the next one has too, so that few statements are cut in two. Parts that
    hold nothing to compare are left out when others do.
    """
    sentences_read = analyse(text, 0, len(text), weights)
    if len(sentences_read) > 1:
        pieces = [piece for span in sentences(text) for piece in pieces_of(text, span)]
        all_pieces = tuple(sentence for start, end in pieces for sentence in analyse(text, start, end, weights))
        sentences_read = tuple(sentence for sentence in all_pieces if sentence.items) or all_pieces[:1]
    return tuple(AnalysedText(text, (sentence,)) for sentence in sentences_read)


def pieces_of(text: str, span: Span) -> list[tuple[int, int]]:
    """Start and end of a claim's sentence, or of its overlapping pieces; the last is as long as the others."""
    words = tokens(span.of(text))
    if len(words) <= MAX_TOKENS:
        return [(span.start, span.end)]
    starts = [*range(0, len(words) - PIECE, PIECE // 2), len(words) - PIECE]
    return [(span.start + words[at].start, span.start + words[at + PIECE - 1].end) for at in starts]


def compare(claim: AnalysedText, passage: AnalysedText) -> ClaimComparison:
    """Compare one part of a claim with a passage. Features are 0 where there is nothing to compare."""
    claimed = claim.stretches[0]
    if not claimed.items or not any(stretch.items for stretch in passage.stretches):
        return ClaimComparison((0.0,) * len(NAMES), (MismatchNote("words", False, "nothing to compare"),), None)
    at = closest(claimed, passage.stretches)
    aligned = AlignedClaim(claim, passage, at, align_items(claimed, passage.stretches[at]), [])
    values = {
        **compare_numbers(aligned),
        **_names(aligned),
        **negation(aligned),
        **opposites(aligned),
        **degree(aligned),
        **_words(aligned),
    }
    return ClaimComparison(tuple(values[name] for name in NAMES), tuple(aligned.notes), aligned.best.span)


def closest(claim: AnalysedSentence, stretches: tuple[AnalysedSentence, ...]) -> int:
    """Return the number of the stretch that covers most of the claim.

    A quantity of the same kind counts half: a sentence that contradicts must win over one that is silent. A name counts
    half too, because details often follow in a later sentence. A sentence that begins with "he" or "it" counts as
    containing the words that the one before begins with.
    """
    weighted = [(item, item.weight * (0.5 if item.kind == "name" else 1.0)) for item in claim.items]
    total = sum(weight for _, weight in weighted)
    best, most = 0, -1.0
    subject: set[str] = set()
    for at, stretch in enumerate(stretches):
        if stretch.lower[:1] not in _PRONOUNS:
            subject = {item.key for item in stretch.items if item.at < SUBJECT_WORDS and item.kind not in NUMERIC}
        keys = subject.union(stretch.keys)
        kinds = {item.kind for item in stretch.items} & NUMERIC
        starts = {key[:5] for key in keys if len(key) >= 5}
        gain = 0.0
        for item, weight in weighted:
            if item.key in keys:
                gain += weight
            elif item.kind in NUMERIC:
                gain += 0.5 * weight * (item.kind in kinds)
            elif len(item.key) >= 5 and item.key[:5] in starts:
                gain += 0.7 * weight
        score = gain / total - 0.001 * len(stretch.items) / (1 + len(claim.items))
        if score > most:
            best, most = at, score
    return best


def _keys(stretches: tuple[AnalysedSentence, ...]) -> set[str]:
    return {item.key for stretch in stretches for item in stretch.items}


def _words(aligned: AlignedClaim) -> dict[str, float]:
    sentence, best, window, alignment = aligned.sentence, aligned.best, aligned.window, aligned.alignment
    total = sum(item.weight for item in sentence.items)
    in_best, in_window, in_all = best.keys, _keys(window), aligned.passage.keys
    stems = {item.key[:5]: item.key for sentence in window for item in sentence.items}
    missing = [item for item in sentence.items if item.key not in in_window]
    soft = [
        item for item in missing if item.kind in ("word", "name") and same_word(item.key, stems.get(item.key[:5], ""))
    ]
    absent = [item for item in missing if item not in soft]
    _note_words(aligned, [item for item in absent if item.key not in in_all])
    sentence_total = sum(item.weight for item in best.items) or 1.0
    own_keys = sentence.keys
    order, shared = {left.key for left, _ in alignment.matched}, own_keys & in_best
    return {
        "cover_best": sum(item.weight for item in sentence.items if item.key in in_best) / total,
        "cover_window": sum(item.weight for item in sentence.items if item.key in in_window) / total,
        "cover_all": sum(item.weight for item in sentence.items if item.key in in_all) / total,
        "cover_count": sum(item.key in in_window for item in sentence.items) / len(sentence.items),
        "cover_soft": 1.0 - sum(item.weight for item in absent) / total,
        "missing_top": max((item.weight for item in absent), default=0.0),
        "missing_count": float(min(len(absent), 8)),
        "missing_word": sum(item.weight for item in absent if item.kind == "word") / total,
        "novel": sum(item.weight for item in best.items if item.key not in own_keys) / sentence_total,
        "bigrams": _share(_pairs(sentence.words), _pairs(best.words)),
        "in_order": len(order & shared) / len(shared) if shared else 0.0,
        "trigrams": _share(_trigrams(sentence.words), _trigrams(best.words)),
        "longest": _longest(alignment) / len(sentence.items),
        "added": float(min(alignment.added, 6)),
        "claim_length": log(1 + len(sentence.items)),
        "sentence_length": log(1 + len(best.items)),
        "passage_length": log(1 + len(aligned.passage.items)),
        "sentences": log(len(aligned.passage.stretches)),
        "slot_anchored": float(min(3, sum(slot.anchored for slot in alignment.slots))),
        "slot_loose": float(min(3, sum(not slot.anchored for slot in alignment.slots))),
        "slot_share": sum(item.weight for slot in alignment.slots for item in slot.claim) / total,
        "inversions": _inversions(sentence, best),
    }


def _note_words(aligned: AlignedClaim, absent: list[TextItem]) -> None:
    """Note the key words that the passage has, and those that it lacks: of the latter the rarest, and a superlative.

    Numbers, names, negations and opposites have notes of their own.
    """
    sentence, n = aligned.sentence, len(aligned.sentence.items)
    if not absent:
        aligned.note("words", "has all the claim’s key words", agrees=True, of_sentence=False)
    elif 2 * len(absent) <= n:
        share = f"has {n - len(absent)} of the claim’s {n} key words"
        aligned.note("words", share, agrees=True, of_sentence=False)
    has_own_note = {
        at
        for at, word in enumerate(sentence.words)
        if sentence.lower[at] in NEGATIONS or any(opposed(word, other) for other in aligned.best.words)
    }
    silent = [item for item in absent if item.kind == "word" or _is_capital_alone(sentence, item)]
    top = sorted((item for item in silent if item.at not in has_own_note), key=lambda item: -item.weight)[:3]
    words = {item.at: excerpt(aligned.claim.text, item.start, item.end) for item in top}
    for at in sentence.cues.superlatives[:1]:
        is_said = any(sentence.words[at] in stretch.words for stretch in aligned.passage.stretches)
        if at not in words and at not in has_own_note and not is_said:
            words[at] = sentence.lower[at]
    if words:
        named = ", ".join(f"“{words[at]}”" for at in sorted(words))
        aligned.note("words", f"does not mention {named}", of_sentence=False)


def _is_capital_alone(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a word that counts as a name may have its capital only because the sentence begins with it."""
    is_followed = any(other.at == 1 and other.kind == "name" for other in sentence.items)
    return item.kind == "name" and item.at == 0 and not is_followed


def _share(left: set[str], right: set[str]) -> float:
    return len(left & right) / len(left) if left else 0.0


def _pairs(words: tuple[str, ...]) -> set[str]:
    return {f"{left} {right}" for left, right in pairwise(words)}


def _trigrams(words: tuple[str, ...]) -> set[str]:
    joined = " ".join(words)
    return {joined[at : at + 3] for at in range(len(joined) - 2)}


def _longest(alignment: ItemAlignment) -> int:
    """Return the length of the longest run of matched items that follow each other within two tokens in both texts."""
    longest = run = 0
    last: tuple[TextItem, TextItem] | None = None
    for pair in alignment.matched:
        is_near = last is not None and pair[0].at - last[0].at <= 3 and pair[1].at - last[1].at <= 3
        run = run + 1 if is_near else 1
        longest, last = max(longest, run), pair
    return longest


def _inversions(sentence: AnalysedSentence, best: AnalysedSentence) -> float:
    """Return the share of pairs of shared items that are in reverse order in the sentence (Kendall)."""
    offset_of = {item.key: item.at for item in reversed(best.items)}
    offsets = [offset_of[item.key] for item in sentence.items if item.key in offset_of][:20]
    pairs = [(left, right) for at, left in enumerate(offsets) for right in offsets[at + 1 :] if left != right]
    return sum(left > right for left, right in pairs) / len(pairs) if pairs else 0.0


def _names(aligned: AlignedClaim) -> dict[str, float]:
    sentence, best, window, alignment = aligned.sentence, aligned.best, aligned.window, aligned.alignment
    names = sentence.of_kind("name")
    by_key = {item.key: item for sentence in window for item in sentence.items}
    starts = {key[:5] for key in by_key}
    missing = [item for item in names if item.key not in by_key and item.key[:5] not in starts]
    total = sum(item.weight for item in names)
    own_keys, in_best = sentence.keys, best.keys
    slot_strength = 0.0
    for slot in alignment.slots:
        ours = [item for item in slot.claim if item.kind == "name" and item.key not in in_best]
        theirs = [item for item in slot.evidence if item.kind == "name" and item.key not in own_keys]
        comparable = slot.anchored or 2 * len(alignment.matched) >= len(sentence.items)  # else of different things
        if ours and theirs and comparable:
            slot_strength = max(slot_strength, 1.0 + slot.anchored)
            if not _is_owner(sentence, best, ours[0]):
                _note_name(aligned, ours, theirs)
    if not slot_strength:
        _note_names(aligned, names, missing)
    names_matched = [item for item in names if item not in missing]
    return {
        "name_any": float(min(len(names), 5)),
        "name_match": sum(item.weight for item in names_matched) / total if total else 0.0,
        "name_missing": float(min(len(missing), 4)),
        "name_slot": slot_strength,
        "name_swap": _swapped(names_matched, window),
    }


def _is_owner(sentence: AnalysedSentence, best: AnalysedSentence, name: TextItem) -> bool:
    """Tell whether a name owns what the other sentence may call its own: "Ida Kern's father", "her father"."""
    after = sentence.lower[name.at : name.at + 4]
    return any(word.endswith(("'s", "’s")) for word in after) and not _POSSESSIVES.isdisjoint(best.lower)


def _note_name(aligned: AlignedClaim, ours: list[TextItem], theirs: list[TextItem]) -> None:
    """Note that the closest sentence has another name in the place of the claim's."""
    name, other = _first_name(aligned.claim.text, ours), _first_name(aligned.passage.text, theirs)
    is_named_too = ours[0].key in aligned.passage.keys
    words = f"names {other} where the claim says {name}" if is_named_too else f"names {other}, not {name}"
    aligned.note("names", words)


def _note_names(aligned: AlignedClaim, names: list[TextItem], missing: list[TextItem]) -> None:
    """Note that the passage has all the claim's names, or the first that it lacks; "Nobody" is not a name."""
    sentence, present = aligned.sentence, aligned.passage.keys
    names = [item for item in names if not _is_capital_alone(sentence, item)]
    absent = [item for item in names if item in missing and item.key not in present]
    if names and not absent:
        aligned.note("names", "has all the claim’s names", agrees=True, of_sentence=False)
    elif absent:
        aligned.note("names", f"does not name {_first_name(aligned.claim.text, absent)}", of_sentence=False)


def _first_name(text: str, items: list[TextItem]) -> str:
    """Return the first name of the items, whose words follow each other: of "Denby is Ida Kern", "Denby"."""
    last = items[0]
    for item in items[1:]:
        if not _WITHIN_NAME.fullmatch(text, last.end, item.start):
            break
        last = item
    return excerpt(text, items[0].start, last.end)


def _swapped(items: list[TextItem], window: tuple[AnalysedSentence, ...]) -> float:
    """Tell whether the first and the last shared name are in reverse order in a sentence that has both."""
    if len(items) < 2:
        return 0.0
    for sentence in window:
        offset_of = {item.key: item.at for item in sentence.items}
        if items[0].key in offset_of and items[-1].key in offset_of:
            return float(offset_of[items[0].key] > offset_of[items[-1].key])
    return 0.0
