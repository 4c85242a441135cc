"""Clauses of a passage, and the claim's items aligned with one of them: matched, carried over, or missing."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.bounds import admits, is_bounded
from factscope.judging.verifiers.wording.features import SUBJECT_WORDS
from factscope.judging.verifiers.wording.lexicon import SYNONYMS
from factscope.judging.verifiers.wording.text_items import (
    NUMERIC,
    AnalysedSentence,
    AnalysedText,
    TextItem,
    WordWeights,
    cached_by_text,
    same_year,
)
from factscope.judging.verifiers.wording.word_forms import are_forms

_BREAK = re.compile(
    r"[;:—–]\s|(?<!anything)(?<!nothing)(?<!\ball)(?<!none)(?<!nobody)(?<!everyone),?\s+(?=(?:but|while|whereas|although|though)\s)|,\s+(?=(?:and|which)\s)"
    r"|\s+(?=and\s+(?:is|are|was|were|has|have|had|can|will|does|did|\w{3,}ed)\b)"
)
"""Where a clause ends; a list with a comma before "and" is cut too, and then its last part is a clause of its own."""
PRONOUNS = frozenset("he she it they his her its their this these".split())
_POSSESSIVES = frozenset("his her its their".split())
_PERSONAL = frozenset("he she his her".split())
_ARTICLES = (("a",), ("an",), ("the",))
_FIRST_PRONOUN = re.compile(r"(?:He|She|It|They)\b")
_AUXILIARIES = frozenset("is are was were has have had can could will would does did do may must".split())
_JOINTS = frozenset("and but which who".split())
ADDING = frozenset("too also again another so both likewise second other well".split())
"""Words with which a clause adds another thing or time to the one before."""
_MARKERS = frozenset(
    """from to before after until till since by over under above below between without with for against into towards
    at on in near behind of than as during inside outside beyond within beside around through across""".split()
)
_PLACES = frozenset("at in near on from to of since until".split())
"""Prepositions before names that are usually not people: "in Rome", "on Monday"."""
_CONTEXT = 4
"""Clauses before one in which the subject of a pronoun is looked for."""


_COORDINATED = re.compile(
    r"[;—–]\s+|,\s+(?:and|but|while|whereas)\s+|\s+(?:and|but)\s+(?=(?:is|are|was|were|has|have|had|can|will|does|did|\w{3,}ed)\b)"
)
"""Joints between the clauses of a claim."""
_GOES_ON = re.compile(r"(?:is|are|was|were|has|have|had|can|will|does|did|\w{3,}ed|he|she|it|they)\b")
"""Beginning of a clause whose subject is in the clause before."""


class Clause(NamedTuple):
    """A sentence of a passage or a part of it, with the clauses before it that may contain its subject."""

    words: AnalysedSentence
    sentence: int
    """Number of the sentence in the passage."""
    before: tuple[AnalysedSentence, ...]


class ClauseAlignment(NamedTuple):
    """The claim aligned with a clause."""

    pairs: tuple[tuple[TextItem, TextItem], ...]
    """Items of the claim, each with the matching item of the clause."""
    carried: tuple[TextItem, ...]
    """Items of the claim's subject from before the clause, which refers to it as "it" or "the bridge"."""
    missing: tuple[TextItem, ...]
    foreign: tuple[TextItem, ...]
    """Items of the clause without a counterpart in the claim."""


@cached_by_text()
def clauses(passage: AnalysedText, weights: WordWeights) -> tuple[Clause, ...]:
    """Split each sentence into clauses."""
    cut_clauses: list[Clause] = []
    context: list[AnalysedSentence] = []
    for number, stretch in enumerate(passage.stretches):
        text = passage.part(stretch)
        cuts = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
        for low, high in pairwise(cuts):
            piece = stretch
            if len(cuts) > 2:
                piece = analyse(passage.text, stretch.start + low, stretch.start + high, weights)[0]
            if piece.items:
                cut_clauses.append(Clause(piece, number, tuple(context[-_CONTEXT:])))
                context.append(piece)
    return tuple(cut_clauses)


def claim_parts(claim: AnalysedText, weights: WordWeights) -> list[AnalysedText]:
    """Split a claim into its clauses, adding its subject where they lack one; empty for a single clause."""
    (claimed,) = claim.stretches
    text = claim.text[claimed.start : claimed.end]
    pieces = [piece.strip(" .,") for piece in _COORDINATED.split(text)]
    if len(pieces) < 2 or any(len(piece.split()) < 2 for piece in pieces):
        return []
    items, pronoun = subject_of(claimed), _FIRST_PRONOUN.match(text)
    subject = text[: items[-1].end - claimed.start if items else pronoun.end() if pronoun else 0]
    parts = []
    for piece in pieces:
        goes_on = _GOES_ON.match(piece)
        if goes_on and not subject:
            return []
        predicate = piece[goes_on.end() :] if goes_on and goes_on[0] in ("he", "she", "it", "they") else f" {piece}"
        sentence = f"{subject}{predicate}" if goes_on else piece
        stretches = analyse(sentence, 0, len(sentence), weights)
        if not stretches[0].items:
            return []
        parts.append(AnalysedText(sentence, (stretches[0],)))
    return parts


def align_clause(claim: AnalysedSentence, clause: Clause) -> ClauseAlignment:
    """Align the claim's items with those of a clause, at most one each."""
    free = list(clause.words.items)
    matched: list[tuple[TextItem, TextItem]] = []
    unmatched: list[TextItem] = []
    for item in claim.items:
        other = _best_match(claim, item, clause.words, free)
        if other is None:
            unmatched.append(item)
            continue
        free.remove(other)
        matched.append((item, other))
    carried = _carried(claim, clause, unmatched, free)
    return ClauseAlignment(
        tuple(matched), carried, tuple(item for item in unmatched if item not in carried), tuple(free)
    )


def holds_as_well(claim: AnalysedSentence, differing: Sequence[TextItem], all_clauses: Sequence[Clause]) -> bool:
    """Tell whether another clause also states the differing item of the same subject: "He won again in 1992"."""
    subject = subject_of(claim)
    for clause in all_clauses if differing else ():
        aligned = align_clause(claim, clause)
        if not {item for item, _ in aligned.pairs}.issuperset(differing) or any(
            item.kind == "name" for item in aligned.foreign
        ):
            continue
        if ADDING.intersection(clause.words.lower):
            return True
        if lacks_subject(clause.words) and not aligned.carried and not lacks_subject(claim):
            continue
        last = max(other.at for _, other in aligned.pairs)
        more = [item for item, _ in aligned.pairs if item not in differing and item not in subject]
        if more and not any(item.at < last for item in aligned.foreign):
            return True
    return False


def with_subject(claim: AnalysedText, passage: AnalysedText, sentence: Span, weights: WordWeights) -> str:
    """Return the text of a sentence, with the claim's subject in place of the initial pronoun that refers to it."""
    text = sentence.of(passage.text)
    pronoun = _FIRST_PRONOUN.match(text)
    clause = next((clause for clause in clauses(passage, weights) if clause.words.start == sentence.start), None)
    if pronoun is None or clause is None:
        return text
    (claimed,) = claim.stretches
    carried = align_clause(claimed, clause).carried
    return claim.text[claimed.start : carried[-1].end] + text[pronoun.end() :] if carried else text


def _best_match(
    claim: AnalysedSentence, item: TextItem, clause: AnalysedSentence, free: list[TextItem]
) -> TextItem | None:
    fitting = [other for other in free if same_item(item, other) or _fits_bound(claim, item, clause, other)]
    return min(fitting, key=lambda other: (other.unit != item.unit, other.key != item.key), default=None)


def _fits_bound(claim: AnalysedSentence, item: TextItem, clause: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether a number satisfies the claim's bound; another bound does not: "within 30 days", "within 60 days"."""
    comparable = item.kind == other.kind and item.kind in ("count", "percent") and item.unit == other.unit
    return comparable and not is_bounded(clause, other) and bool(admits(claim, item, other))


def has(items: Iterable[TextItem], word: TextItem) -> bool:
    """Tell whether one of the items means the same as a word."""
    return any(same_item(word, item) for item in items)


def same_item(left: TextItem, right: TextItem) -> bool:
    """Tell whether two items mean the same: equal stems, forms of one word, listed synonyms, equal quantities."""
    if left.kind in NUMERIC or right.kind in NUMERIC:
        return same_quantity(left, right)
    if left.key == right.key or right.key in SYNONYMS.get(left.key, ()):
        return True
    return are_forms(left, right)


def same_quantity(left: TextItem, right: TextItem) -> bool:
    """Tell whether two quantities are equal, possibly in different units; a year may have been read as a count."""
    if left.kind == right.kind == "year":
        return same_year(left, right)
    if {left.kind, right.kind} <= {"count", "year"}:
        if left.kind == right.kind == "count" and left.unit != right.unit and left.unit and right.unit:
            return False
    elif left.kind != right.kind:
        return False
    return abs(left.amount - right.amount) <= 1e-9 * max(abs(left.amount), abs(right.amount))


def _carried(
    claim: AnalysedSentence, clause: Clause, unmatched: list[TextItem], free: list[TextItem]
) -> tuple[TextItem, ...]:
    """Return missing items of the claim's subject, where the clause calls it "it" or leaves it out.

    The nearest earlier clause that names anything must name exactly this subject.
    """
    subject = subject_of(claim)
    absent = [item for item in unmatched if item in subject]
    if not absent or any(item.kind == "name" and item.at < SUBJECT_WORDS for item in free):
        return ()
    if len(absent) < len(subject):
        if _tells_apart(clause.words, free):
            return ()
    elif not _leaves_subject_out(clause.words):
        return ()
    for earlier in reversed(clause.before):
        start = [item for item in earlier.items if item.at < SUBJECT_WORDS]
        if all(has(start, item) for item in absent):
            return () if _names_another(earlier, claim, clause.words) else tuple(absent)
        if name_phrases(earlier) or not _leaves_subject_out(earlier):
            return ()
    return ()


def _leaves_subject_out(clause: AnalysedSentence) -> bool:
    """Tell whether the subject of a clause is that of the one before; "and the one at the top", "her cousin" are not.

    Only a lone "this" or "these" stands for a subject.
    """
    joined = clause.lower[0] in _JOINTS
    start = clause.lower[joined : joined + 4]
    if (start[:1] in _ARTICLES and joined) or _POSSESSIVES.intersection(start[:1]):
        return False
    items = {item.at - joined for item in clause.items}
    return joined or any(
        word in PRONOUNS - _POSSESSIVES and not (word in ("this", "these") and at + 1 in items)
        for at, word in enumerate(start)
    )


def _names_another(earlier: AnalysedSentence, claim: AnalysedSentence, clause: AnalysedSentence) -> bool:
    """Tell whether an earlier clause has a name that is not in the claim and may be the subject of the later one."""
    others = [
        phrase
        for phrase in name_phrases(earlier)
        if not any(same_item(item, name) for item in claim.items for name in phrase)
    ]
    if any(len(phrase) > 1 for phrase in others):
        return True
    is_about_person = bool(_PERSONAL.intersection(clause.lower[:4]))
    return is_about_person and any(marker(earlier, phrase[0]) not in _PLACES for phrase in others)


def _tells_apart(clause: AnalysedSentence, free: Sequence[TextItem]) -> bool:
    """Tell whether a clause specifies one of several things, as in "the fifth window", "the door on the right"."""
    first = next((item.at for item in clause.items if item not in free), 0)
    end = next((at for at, word in enumerate(clause.lower[:SUBJECT_WORDS]) if word in _AUXILIARIES), first)
    return any(item.at < end for item in free)


def subject_of(claim: AnalysedSentence) -> list[TextItem]:
    """Return the items of a claim's subject: its first names, or the items before its first auxiliary verb."""
    first = claim.items[0]
    if set(claim.lower[:1]) & PRONOUNS:
        return []
    if first.kind == "name" and first.at < 2:
        return name_phrases(claim)[0]
    at = next((at for at, word in enumerate(claim.lower[:SUBJECT_WORDS]) if word in _AUXILIARIES), 0)
    return [item for item in claim.items if item.at < at and item.kind not in NUMERIC]


def name_phrases(sentence: AnalysedSentence) -> list[list[TextItem]]:
    """Return the names of a sentence, with adjacent ones as one phrase."""
    phrases: list[list[TextItem]] = []
    for item in sentence.items:
        if item.kind != "name":
            continue
        if phrases and item.at - phrases[-1][-1].at == 1:
            phrases[-1].append(item)
        else:
            phrases.append([item])
    return phrases


def lacks_subject(sentence: AnalysedSentence) -> bool:
    """Tell whether a clause begins with a pronoun, or continues the one before."""
    return bool(PRONOUNS.intersection(sentence.lower[:4])) or sentence.lower[0] in _JOINTS


def marker(sentence: AnalysedSentence, item: TextItem) -> str:
    """Return the preposition that governs an item, or an empty text: of "to 512 million (431)", only the first."""
    kinds = {other.at: other.kind for other in sentence.items}
    for at in range(item.at - 1, max(-1, item.at - 5), -1):
        word = sentence.lower[at]
        if word in _MARKERS:
            return word
        if at in kinds and (at < item.at - 2 or (kinds[at] == item.kind and item.kind in ("count", "percent"))):
            return ""
    return ""


def neighbours(sentence: AnalysedSentence, first: TextItem, last: TextItem) -> tuple[TextItem | None, TextItem | None]:
    """Return the items before `first` and after `last`, which may be one item."""
    low, high = sentence.items.index(first), sentence.items.index(last)
    return (
        sentence.items[low - 1] if low else None,
        sentence.items[high + 1] if high + 1 < len(sentence.items) else None,
    )
