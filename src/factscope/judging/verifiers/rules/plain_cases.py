"""Plain cases: claims of which one clause of the passage has every word, or every word but one that differs."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from factscope.judging.verifiers.rules.derivable import may_hold
from factscope.judging.verifiers.rules.force import (
    denials,
    excluded_by_one,
    is_about_all,
    is_about_share,
    is_about_some,
    is_denied_within,
    is_reported,
    is_turned,
    same_bounds,
)
from factscope.judging.verifiers.rules.number_ranges import lies_in_range, splits_range
from factscope.judging.verifiers.rules.signs import is_conversion, same_measures
from factscope.judging.verifiers.rules.verbatim import is_left_standing
from factscope.judging.verifiers.wording.alignment import excerpt, opposed
from factscope.judging.verifiers.wording.bounds import (
    ROUGH,
    admits,
    compare_quantifiers,
    has_opposite_bound,
    has_other_bound,
)
from factscope.judging.verifiers.wording.clauses import (
    Clause,
    ClauseAlignment,
    align_clause,
    claim_parts,
    holds_as_well,
    lacks_subject,
    marker,
    neighbours,
    same_quantity,
    subject_of,
)
from factscope.judging.verifiers.wording.conditions import omits_condition
from factscope.judging.verifiers.wording.heads import belongs_to_another, hangs
from factscope.judging.verifiers.wording.lexicon import NUMBERED, TITLES
from factscope.judging.verifiers.wording.name_forms import has_another_ending, may_be_one
from factscope.judging.verifiers.wording.ranks import is_ranked_otherwise
from factscope.judging.verifiers.wording.rival_dates import is_of_past_state, is_setting, minutes
from factscope.judging.verifiers.wording.roles import BE, compare_roles, is_exchanged
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.tense import same_tense
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText, TextItem

NEEDED = 2
"""Items that claim and clause must share besides the one that differs."""
NEAREST = 6
"""Number of clauses that are compared: those that share most with the claim."""
_LIMITS = frozenset("more less fewer than least most over under above below up only another other first last".split())
"""Words before a number that do not give the total count."""
_STATES = frozenset("had has have is are there".split())
"""Words for states, which may be true in several years."""
_LETTER = re.compile(r"(?<=\w )[A-Z]\b(?!\.|-\d)|\b[B-HJ-Z]\b(?!\.|-\d)")
"""A letter used as a name: "Grade A", "C was liable"."""
_EXCEPTION = re.compile(r"\b(?:all|every\w*|each|none|nobody|nothing)\b[^,;:]*\b(?:but|except)\b", re.IGNORECASE)
"""An exception, as in "all but one": what is denied of the others may be true of it."""
_ANSWER = re.compile(r"no\b(?=[,.;:\n])", re.IGNORECASE)
"""A "no" that answers a question, or ends the row before, and denies nothing of what follows."""
Outcome = Literal["supported", "contradicted"]
_NEXT = frozenset(("thereafter", "afterwards", "subsequently"))
"""Words after which a clause tells of another time."""
_EXEMPTING = ("except", "exempt", "exclud")
"""How words begin that deny something without a negation: "bus corridors are excepted"."""


def find_plain_case(pair: SentencePair) -> RuleOutcome | None:
    """Decide a claim that one clause states, or contradicts in one item; None where no clause does either.

    A claim of several clauses is contradicted when one of them is, supported when all are.
    """
    if pair.claimed.question or not pair.claimed.items:
        return None
    if whole := _find(pair.claim, pair.claimed, pair.passage, pair.clauses):
        return whole
    parts = claim_parts(pair.claim, pair.weights)
    cases = [_find(part, part.stretches[0], pair.passage, pair.clauses) for part in parts]
    against = next((case for case in cases if case and case.label == "contradicted"), None)
    return against or (cases[0] if cases and all(cases) else None)


def _find(
    claim: AnalysedText, claimed: AnalysedSentence, passage: AnalysedText, all_clauses: Sequence[Clause]
) -> RuleOutcome | None:
    sides = (claim.text, claimed, passage.text)
    alignments = [(clause, align_clause(claimed, clause)) for clause in all_clauses if not clause.words.question]
    nearest = sorted(alignments, key=lambda pair: -_shared(pair[1]))[:NEAREST]
    contradicted: RuleOutcome | None = None
    for clause, aligned in nearest:
        result = _decide(*sides, clause, aligned)
        letters = set(_LETTER.findall(claim.text, claimed.start, claimed.end))
        if result and result[0] == "supported" and not same_measures(*sides, clause.words, aligned):
            continue
        theirs = set(_LETTER.findall(passage.text, clause.words.start, clause.words.end))
        has_another_letter = letters and (len(letters) > 1 or letters != theirs)
        if result is None or has_another_letter or omits_condition(claimed, passage, clause):
            continue
        stretch, *following = passage.stretches[clause.sentence : clause.sentence + 2]
        if result[0] == "contradicted" and (
            holds_as_well(claimed, aligned.missing, all_clauses)
            or may_hold(claimed, aligned.missing, clause, passage)
            or _EXCEPTION.search(passage.text, stretch.start, stretch.end)
        ):
            continue
        next_sentence = passage.text[following[0].start : following[0].end] if following else ""
        begins = min(other.start for _, other in aligned.pairs)
        if result[0] == "supported" and not is_left_standing(passage.text[:begins], next_sentence):
            continue
        case = RuleOutcome(result[0], stretch.span, result[1])
        if case.label == "supported":
            return case
        if not lacks_subject(claimed) or lacks_subject(clause.words):  # "It" of the claim may be anything
            contradicted = contradicted or case
    return contradicted


def _shared(aligned: ClauseAlignment) -> float:
    return sum(item.weight for item, _ in aligned.pairs) + 0.5 * sum(item.weight for item in aligned.carried)


def _decide(
    text: str, claim: AnalysedSentence, passage: str, clause: Clause, aligned: ClauseAlignment
) -> tuple[Outcome, str] | None:
    if len(aligned.pairs) + len(aligned.carried) < NEEDED or not aligned.pairs:
        return None
    if not aligned.missing:
        if splits_range(text, claim, passage, clause.words, aligned) or has_another_ending(text, passage, aligned):
            return None
        is_answer = bool(_ANSWER.match(passage, clause.words.start))
        return _all_found(claim, clause, aligned, denials(clause.words) - is_answer)
    return _one_differs(text, claim, passage, clause, aligned) or _counted_otherwise(
        text, claim, passage, clause, aligned
    )


def _all_found(
    claim: AnalysedSentence, clause: Clause, aligned: ClauseAlignment, denied_there: int
) -> tuple[Outcome, str] | None:
    """Decide a claim all of whose words the clause has; `denied_there` is the number of the clause's negations."""
    words = clause.words
    if is_turned(claim, words) or not same_bounds(claim, words) or not same_tense(claim, words, aligned):
        return None
    found_at = [other.at for _, other in aligned.pairs]
    between = words.lower[min(found_at) : max(found_at)]
    if not _NEXT.difference(claim.lower).isdisjoint(between):
        return None  # "for five years to the parish, thereafter to the diocese"
    roles = compare_roles(claim, words, aligned)
    denied = denials(claim) + denied_there
    if roles == "unclear" and not denied and is_exchanged(claim, aligned):
        return "supported", "the passage says so, with all key words"
    if (
        roles == "unclear"
        or not _pure(aligned, words)
        or belongs_to_another(claim, words, aligned)
        or not _apart(claim, words, aligned)
    ):
        return None
    quantity = compare_quantifiers(claim, words)
    if has_opposite_bound(claim, [words]) or is_ranked_otherwise(claim, words):
        is_plain = roles == quantity == "same" and not denied and not aligned.foreign
        return ("contradicted", "the passage gives the opposite limit") if is_plain else None
    if quantity == "opposed" and roles == "same" and len(aligned.foreign) <= 2 and denied <= 1:
        return "contradicted", "the passage speaks of another share"
    is_said = is_reported(words, aligned) and not is_reported(claim, aligned, own=True)
    if is_said or quantity in ("opposed", "unclear"):
        return None
    if denials(claim) == denied_there:
        if aligned.foreign and (denied or is_about_all(words)):
            return None  # "no big dog barked" does not say that no dog barked
        excluded = excluded_by_one(claim, words, aligned)
        if roles == "swapped" or excluded > 1:
            return "contradicted", "the passage has it the other way round"
        return None if excluded else ("supported", "the passage says so, with all key words")
    first = min(other.at for _, other in aligned.pairs)
    is_part = (
        any(item.at == first - 1 for item in aligned.foreign) and words.lower[max(0, first - 2)] != "the"
    )  # "dead balls"
    if (
        denied == 1
        and roles == quantity == "same"
        and not is_part
        and not is_about_some(claim)
        and not is_about_share(claim)
        and len(aligned.foreign) <= 2
        and not has_other_bound(claim, words)
        and is_denied_within(words, aligned)
        and not any(word.startswith(_EXEMPTING) for word in words.lower)
    ):
        where = "only the claim" if denials(claim) else "only the passage"
        return "contradicted", f"{where} denies it"
    return None


def _one_differs(
    text: str, claim: AnalysedSentence, passage: str, clause: Clause, aligned: ClauseAlignment
) -> tuple[Outcome, str] | None:
    words = clause.words
    if is_turned(claim, words) or denials(claim) or denials(words) or not same_bounds(claim, words):
        return None
    if compare_quantifiers(claim, words) != "same" or is_about_some(claim):
        return None
    if (
        aligned.missing[-1].at - aligned.missing[0].at >= len(aligned.missing)
        or compare_roles(claim, words, aligned) != "same"
    ):
        return None
    is_measure = aligned.missing[0].kind not in NUMERIC and marker(claim, aligned.missing[0]) == "than"
    if _is_another_subject(claim, aligned.missing[0]) or is_measure:
        return None  # "the red line" is not the green one, and one may be older than two others
    rivals = [
        (item, other)
        for item in aligned.missing
        for other in aligned.foreign
        if _rivals(claim, item, words, other) and not is_conversion(text, item, passage, other)
    ]
    if not rivals or any(item.kind != "name" for item in aligned.missing[1:]) or rivals[0][0] is not aligned.missing[0]:
        return None
    if is_setting(claim, rivals[0][0]) or is_setting(words, rivals[0][1]):
        return None
    if not _same_place(claim, words, aligned, rivals) or lies_in_range(text, claim, rivals[0][0], passage, words):
        return None
    if not _pure(aligned, words, but=[other for _, other in rivals]) or _is_listed(words, rivals[0][1]):
        return None
    is_state = not any(
        item.kind == "word" and item.at for item, _ in aligned.pairs
    )  # "was in Rome in 1989", "left Rome in 1972"
    if is_state and rivals[0][0].kind == "year" and any(item.kind == "word" for item in aligned.foreign):
        return None
    ours = excerpt(text, aligned.missing[0].start, aligned.missing[-1].end)
    theirs = excerpt(passage, rivals[0][1].start, rivals[-1][1].end)
    return "contradicted", f"the passage says {theirs}, not {ours}"


def _counted_otherwise(
    text: str, claim: AnalysedSentence, passage: str, clause: Clause, aligned: ClauseAlignment
) -> tuple[Outcome, str] | None:
    """Find another count of the same things in the same year, whatever the claim states before its first clause.

    "At the height of the trade, in 1889, 340 boats were registered here."
    """
    words = clause.words
    counts = [item for item in aligned.missing if item.kind == "count" and item.unit]
    theirs = [item for item in aligned.foreign if item.kind == "count"]
    years = words.years
    if len(counts) != 1 or len(theirs) != 1 or len(years) != 1 or counts[0].unit != theirs[0].unit:
        return None
    if {years[0]} != {other for item, other in aligned.pairs if item.kind == "year"}:
        return None
    is_denied = denials(claim) or denials(words)
    if is_denied or is_turned(claim, words) or any(item.kind == "name" for item in aligned.missing):
        return None
    shared = [item for item, _ in aligned.pairs if item.kind == "word" and item.key != counts[0].unit]
    (ours,), (rival,) = counts, theirs
    opening = text.rfind(",", claim.start, ours.start)
    if any(item.start > opening for item in aligned.missing if item is not ours):
        return None
    if any(item.at > rival.at and not hangs(words, item) for item in aligned.foreign):
        return None
    if not shared or _is_bounded(claim, ours) or _is_bounded(words, rival) or not _pure(aligned, words, but=[rival]):
        return None
    if abs(ours.amount - rival.amount) <= 2 * ROUGH * max(ours.amount, rival.amount):
        return None
    numbers = excerpt(passage, rival.start, rival.end), excerpt(text, ours.start, ours.end)
    return "contradicted", "the passage says {}, not {}".format(*numbers)


def _is_bounded(sentence: AnalysedSentence, item: TextItem) -> bool:
    return not _LIMITS.isdisjoint(sentence.lower[max(0, item.at - 3) : item.at])


def _rivals(claim: AnalysedSentence, item: TextItem, clause: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether two items exclude each other in the same position of a statement."""
    if opposed(item.key, other.key):
        return True
    hangs_alike = marker(claim, item) == marker(clause, other)
    time, their_time = minutes(item.key), minutes(other.key)
    if time is not None and their_time is not None:
        return hangs_alike and time != their_time
    if item.kind != other.kind or item.kind == "word" or _is_number_of_subject(claim, item):
        return False
    if item.key in TITLES or other.key in TITLES or may_be_one(claim, [item], clause, [other]):
        return False
    if item.kind == "name":
        return hangs_alike and (
            bool(marker(claim, item)) or (_is_complement(claim, item) and _is_complement(clause, other))
        )
    if same_quantity(item, other) or item.unit != other.unit:
        return False
    if admits(claim, item, other):
        return False  # what holds within 30 days may hold within 60
    if item.about or other.about:
        return admits(claim, item, other) is False and not other.about
    if item.kind == "year":
        return hangs_alike and not _STATES.intersection(clause.lower) and not is_of_past_state(claim)
    if item.kind == "count" and not item.unit:
        return item.at > 0 and other.at > 0 and claim.words[item.at - 1] == clause.words[other.at - 1]
    return True


def _is_another_subject(claim: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a word, name or ordinal specifies the claim's subject: "the black tapir weighs …"."""
    if item.kind not in ("word", "name", "ordinal") or marker(claim, claim.items[0]):
        return False
    first, *following = claim.items
    return item in subject_of(claim) or (item is first and bool(following) and following[0].at == item.at + 1)


def _is_number_of_subject(claim: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a number is the name of the claim's subject: "Line 5"."""
    return item.kind == "count" and claim.items.index(item) < 2 and claim.lower[max(0, item.at - 1)] in NUMBERED


def _same_place(
    claim: AnalysedSentence,
    clause: AnalysedSentence,
    aligned: ClauseAlignment,
    rivals: Sequence[tuple[TextItem, TextItem]],
) -> bool:
    """Tell whether the clause has only one rival, next to the same item as in the claim.

    A rival at the very beginning may have moved there from the end: "In 1931 it was opened", "It was opened in 1931".
    """
    theirs = sorted({other for _, other in rivals}, key=lambda item: item.at)
    if len(theirs) > len(aligned.missing) or theirs[-1].at - theirs[0].at >= len(theirs):
        return False
    if any(_alike(theirs[0], item) for item in aligned.foreign if item not in theirs):
        return False
    ours = aligned.missing
    left, right = neighbours(claim, ours[0], ours[-1])
    their_left, their_right = neighbours(clause, theirs[0], theirs[-1])
    partners: dict[TextItem | None, TextItem] = dict(aligned.pairs)
    if (left and partners.get(left) == their_left) or (right and partners.get(right) == their_right):
        return True
    matched = {other for _, other in aligned.pairs}
    fronted = (not left and their_left in matched) or (not their_left and left in partners)
    return fronted and marker(claim, ours[0]) == marker(clause, theirs[0]) != ""


def _alike(item: TextItem, other: TextItem) -> bool:
    """Tell whether two numbers could answer the same question."""
    return item.kind in NUMERIC and item.kind == other.kind and (item.unit == other.unit or not other.unit)


def _is_complement(sentence: AnalysedSentence, item: TextItem) -> bool:
    return item.at > 0 and sentence.lower[item.at - 1] in BE


def _is_listed(clause: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether a name or word is one of several: "Vienna and Linz"."""
    return other.kind not in NUMERIC and bool({"and", "or"} & set(clause.lower[max(0, other.at - 1) : other.at + 3]))


def _apart(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether each number or name has the same neighbours as in the claim, where the clause has rivals.

    "31 of those on the drug and 62 of those on the placebo" says 31 of the drug; "and" and commas separate items.
    """
    partners: dict[TextItem | None, TextItem] = dict(aligned.pairs)
    for item, other in aligned.pairs:
        rough = item.kind in NUMERIC and not same_quantity(item, other)
        if not any(_alike(other, foreign) or (rough and foreign.kind in NUMERIC) for foreign in aligned.foreign):
            continue
        left, right = neighbours(claim, item, item)
        their_left, their_right = neighbours(clause, other, other)
        beside_left = left and partners.get(left) == their_left and not _parted(clause, their_left, other)
        beside_right = right and partners.get(right) == their_right and not _parted(clause, other, their_right)
        if not beside_left and not beside_right:
            return False
    return True


def _parted(clause: AnalysedSentence, first: TextItem | None, second: TextItem | None) -> bool:
    if not first or not second:
        return True
    return bool({"and", "or", "but"}.intersection(clause.lower[first.at + 1 : second.at]))


def _pure(aligned: ClauseAlignment, clause: AnalysedSentence, but: Sequence[TextItem] = ()) -> bool:
    """Tell whether no other name or number is among the matched items, and no other name is the subject.

    A name that only specifies the first item, as in "the mayor of Marlow", does not count.
    """
    first, last = (choose(other.at for _, other in aligned.pairs) for choose in (min, max))
    inside = [item for item in aligned.foreign if first < item.at < last and item not in but]
    inside = [item for item in inside if not (item.at == first + 2 and clause.lower[first + 1] == "of")]
    before = [item for item in aligned.foreign if item.at < first and item.kind == "name" and not marker(clause, item)]
    return not before and not any(item.kind == "name" or item.kind in NUMERIC for item in inside) and len(inside) <= 2
