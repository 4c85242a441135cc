"""Roles of matched items in a claim and in a clause: who does what to whom."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, pairwise
from typing import Literal

from factscope.judging.verifiers.wording.clauses import ClauseAlignment, has, marker, same_item
from factscope.judging.verifiers.wording.heads import specifies_another
from factscope.judging.verifiers.wording.lexicon import word_list
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.tense import is_past_form
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

ItemPair = tuple[TextItem, TextItem]
RoleComparison = Literal["same", "inverse", "swapped", "unclear"]
"""`inverse`: the same fact from the other side, "lies below the spring" for "the chapel lies above"."""

_MUTUAL = word_list("mutual")
"""Stems of words for symmetric relations."""
_PARTICIPLES = tuple("ed en built made sold sent held won lost bought found led cut put".split())
BE = frozenset("is are was were".split())
_DIRECTIONS = frozenset(
    "from to into towards against before after until till since by over under above below without beyond within".split()
)
_WHERE = frozenset("at in on".split())
"""Prepositions that depend on the word: "at Leeds", "in Leeds"."""
_OPPOSITE = frozenset(
    (left, right)
    for pair in "before after;above below;over under;with without;until since;inside outside;to from;for against".split(
        ";"
    )
    for left, right in (pair.split(), pair.split()[::-1])
)
"""Prepositions that exclude each other before the same word."""
_SYMMETRIC = frozenset("and or with between".split())
_ORDERING = frozenset("before after above below over under".split())
"""Prepositions that order two things."""
_LISTING = frozenset("and or both".split())
_NEAR = 3
"""Words before a verb among which its auxiliary is looked for."""
_PHRASE = 5
"""Words before and after a verb among which its subject and object are looked for."""
_MUTUAL_MARKERS = frozenset("with near between against as".split())
"""Prepositions that may apply in both directions: "Norvale shares a border with Estrand"."""


def compare_roles(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> RoleComparison:
    """Compare the words that govern the items, and their order, which only items with a preposition may change.

    They are swapped only if exactly two trade places and the others stay: a reordered sentence moves most of its items.
    """
    if not aligned.missing and specifies_another(claim, clause, aligned):
        return "unclear"
    result = _compare(claim, clause, aligned)
    return "unclear" if result == "swapped" and not _change_places(claim, clause, aligned) else result


def is_turned_round(pair: SentencePair) -> bool:
    """Tell whether claim or closest sentence has in the passive voice what the other has in the active.

    Subject and object are the same: "Ann was taught by Ben" beside "Ann taught Ben".
    """
    return any(
        _acts_on(active, verb, around)
        for passive, active in ((pair.claimed, pair.nearest), (pair.nearest, pair.claimed))
        for verb in passive.items
        if passive.lower[verb.at + 1 : verb.at + 2] == ("by",) and verb.key not in _MUTUAL
        for around in (_around(passive, verb),)
        if _is_passive(passive, verb)
    )


def _acts_on(active: AnalysedSentence, verb: TextItem, around: tuple[Sequence[TextItem], Sequence[TextItem]]) -> bool:
    """Tell whether in an active sentence the same verb has items of the same side before it, and after it."""
    for item in active.items:
        if not same_item(item, verb) or not _is_active(active, item):
            continue
        sides = _around(active, item)
        if all(_shares(ours, theirs) for ours, theirs in zip(sides, around, strict=True)) and not any(
            _shares(ours, theirs) for ours, theirs in zip(sides, around[::-1], strict=True)
        ):
            return True
    return False


def is_exchanged(claim: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether a claim has the words of a clause in another order, with a relation that holds in both directions.

    "Norvale shares a border with Estrand"; but who lost against whom matters.
    """
    words = {item.key for item, _ in aligned.pairs if item.kind != "name" and item.at} - {"share"}
    return not (aligned.missing or aligned.carried or aligned.foreign) and len(words) == 1 and words <= _MUTUAL


def _around(sentence: AnalysedSentence, verb: TextItem) -> tuple[list[TextItem], list[TextItem]]:
    """Return the items shortly before and after a verb, those of a phrase with a preposition other than "by" aside.

    A date ends such a phrase: "In May Anna met Bert".
    """
    dates = {item.at + 1 for item in sentence.items if item.kind in NUMERIC}
    close = [
        item
        for item in sentence.items
        if abs(item.at - verb.at) in range(1, _PHRASE + 1) and item.kind not in NUMERIC
        if marker(sentence, item) in ("", "by") or not dates.isdisjoint((item.at, item.at - 1))
    ]
    return [item for item in close if item.at < verb.at], [item for item in close if item.at > verb.at]


def _is_passive(sentence: AnalysedSentence, verb: TextItem) -> bool:
    return not BE.isdisjoint(sentence.lower[max(0, verb.at - _NEAR) : verb.at])


def _is_active(sentence: AnalysedSentence, verb: TextItem) -> bool:
    """Tell whether a word is a verb in the active voice, with "-ed" or "-s": "their captain Ben" is a noun."""
    word, after = sentence.lower[verb.at], sentence.lower[verb.at + 1 : verb.at + 1 + _PHRASE]
    return (is_past_form(word) or word.endswith("s")) and "by" not in after and not _is_passive(sentence, verb)


def _shares(items: Sequence[TextItem], others: Sequence[TextItem]) -> bool:
    return any(has(others, item) for item in items)


def _compare(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> RoleComparison:
    ours = {item: marker(claim, item) for item, _ in aligned.pairs}
    theirs = {other: marker(clause, other) for _, other in aligned.pairs}
    differing = [(item, (ours[item], theirs[other])) for item, other in aligned.pairs if ours[item] != theirs[other]]
    changed = [markers for _, markers in differing]
    names = {(ours[item], theirs[other]) for item, other in aligned.pairs if item.kind == "name"}
    if exchange := _compare_exchanged(set(changed), names):
        is_fronted = claim.lower[0] in _ORDERING or clause.lower[0] in _ORDERING  # "Before it is sold, it is tested"
        is_mutual = exchange == "swapped" and _is_mutual(claim, aligned, changed)
        return "unclear" if is_fronted or is_mutual else exchange
    if len(changed) == 1 and changed[0] in _OPPOSITE:
        return "swapped"
    if any(_leads_elsewhere(item, *markers) for item, markers in differing if "by" not in markers):
        return "unclear"
    if ("by" in ours.values()) != ("by" in theirs.values()):  # one of the two is passive
        return _compare_agents(claim, clause, aligned)
    return _compare_order(claim, clause, aligned, ours, theirs)


def _leads_elsewhere(item: TextItem, left: str, right: str) -> bool:
    """Tell whether of two unequal prepositions before an item one gives a direction, or they are of place or manner."""
    if left and right and "of" not in (left, right) and item.kind not in NUMERIC:
        return not _WHERE.issuperset((left, right))
    return not _DIRECTIONS.isdisjoint((left, right))


def _change_places(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> bool:
    """Tell whether two items, or runs of items, trade places while the others stay, or all items stay in place.

    The two must also trade prepositions, and must not be members of one list.
    """
    pairs = sorted(aligned.pairs, key=lambda pair: pair[0].at)
    order = [other.at for _, other in pairs]
    rising = sorted(order)
    if order == rising:
        return True
    moved = [at for at, (place, own) in enumerate(zip(order, rising, strict=True)) if place != own]
    low, high = moved[0], moved[-1] + 1
    for middle, end in combinations_with_replacement(range(low + 1, high), 2):
        if [*order[end:high], *order[middle:end], *order[low:middle]] == rising[low:high]:
            first, second = pairs[low:middle], pairs[end:high]
            between = set(claim.lower[first[-1][0].at + 1 : second[0][0].at])
            between_theirs = set(clause.lower[second[-1][1].at + 1 : first[0][1].at])
            is_apart = middle < end or bool(_ORDERING & between & between_theirs)
            return _LISTING.isdisjoint(between) and _exchanged(claim, clause, first[0], second[0], is_apart=is_apart)
    return False


def _exchanged(
    claim: AnalysedSentence, clause: AnalysedSentence, first: ItemPair, second: ItemPair, *, is_apart: bool
) -> bool:
    """Tell whether two items of one kind trade prepositions; if adjacent (not `is_apart`), these must differ."""
    (item, other), (later, their_later) = first, second
    before, after = marker(claim, item), marker(claim, later)
    if item.kind != later.kind or (before, after) != (marker(clause, their_later), marker(clause, other)):
        return False
    return is_apart or bool(before and after and before != after)


def _compare_order(
    claim: AnalysedSentence,
    clause: AnalysedSentence,
    aligned: ClauseAlignment,
    ours: Mapping[TextItem, str],
    theirs: Mapping[TextItem, str],
) -> RoleComparison:
    """Compare the order of the items; `ours` and `theirs` are the prepositions that govern them."""
    pairs = _as_active(claim, clause, sorted(aligned.pairs, key=lambda pair: pair[0].at))
    order = [other.at for _, other in pairs]
    kinds = Counter(item.kind for item, _ in pairs if item.kind in NUMERIC)
    movable = [
        bool(ours[item] and theirs[other]) and ours[item] != "than" and kinds[item.kind] < 2 for item, other in pairs
    ]
    after_foreign = {item.at for before, item in pairwise(clause.items) if before in aligned.foreign}
    if _in_order(order, movable, after_foreign):
        return "same"
    if _is_mutual(claim, aligned, ()):
        return "unclear"
    is_symmetric = bool((_SYMMETRIC | BE).intersection(clause.lower))
    is_reversed = len(order) > 2 and order == sorted(order, reverse=True) and not is_symmetric
    without_preposition = [(item, other) for item, other in pairs if not (ours[item] and theirs[other])]
    is_comparison = not aligned.foreign and all(
        "than" in sentence.lower and "rather" not in sentence.lower for sentence in (claim, clause)
    )
    return "swapped" if is_reversed or is_comparison or _names_swapped(without_preposition) else "unclear"


def _compare_exchanged(changed: set[tuple[str, str]], names: set[tuple[str, str]]) -> RoleComparison | None:
    """Compare two items that swap their governing words: "lies above the chapel", "the chapel lies above"."""
    mirrored = [
        (left, right)
        for left, right in changed
        if (right, left) in changed and ((left and right) or (left, right) in names or left in _ORDERING)
    ]
    if mirrored:
        return "swapped" if len(changed) == 2 else "unclear"
    hung = [(left, right) for left in _ORDERING for right in _ORDERING if changed == {(left, ""), ("", right)}]
    return "inverse" if hung and hung[0] in _OPPOSITE else None


def _is_mutual(claim: AnalysedSentence, aligned: ClauseAlignment, changed: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a claim is true in both directions: "is a cousin of", "plays against", "is two miles from"."""
    if any(_MUTUAL_MARKERS.intersection(pair) for pair in changed):
        return True
    if any(item.key in _MUTUAL for item, _ in aligned.pairs):
        return True
    return any("from" in pair for pair in changed) and any(item.unit == "m" for item in claim.items)


def _names_swapped(pairs: Sequence[tuple[TextItem, TextItem]]) -> bool:
    """Tell whether the items before and after the verb are swapped, and nothing else is."""
    names = [at for at, (item, _) in enumerate(pairs) if item.kind == "name"]
    if len(names) < 2 or names[-1] - names[0] < 2:
        return False
    first = [at for at in names if all(step in names for step in range(names[0], at + 1))]
    second = [at for at in names if at not in first]
    verbs = [at for at in range(len(pairs)) if first[-1] < at < (second[0] if second else 0)]
    offsets = [other.at for _, other in pairs]
    if not second or len(verbs) != 1:
        return False
    return max(offsets[at] for at in second) < offsets[verbs[0]] < min(offsets[at] for at in first)


def _in_order(order: list[int], movable: list[bool], after_foreign: set[int]) -> bool:
    """Tell whether positions are ascending, except for one phrase with a preposition: "in 1931", "on the hill".

    It is at one end of the claim, and in the clause not after another item that it could belong to. One of two months
    or years does not move: "in December we peel, in October we weave".
    """
    if order == sorted(order):
        return True
    for low in range(len(order)):
        for high in range(low + 1, min(low + 5, len(order)) + 1):
            others = order[:low] + order[high:]
            moved = order[low:high]
            together = not any(min(moved) < at < max(moved) for at in others)
            if (low and high < len(order)) or min(moved) in after_foreign:
                continue
            if movable[low] and together and moved == sorted(moved) and others == sorted(others):
                return True
    return False


def _as_active(
    claim: AnalysedSentence, clause: AnalysedSentence, pairs: list[tuple[TextItem, TextItem]]
) -> list[tuple[TextItem, TextItem]]:
    """Return the pairs of a passive claim in the order of an active clause: "the crane was built", "they built it"."""
    for at, (verb, other) in enumerate(pairs):
        passive = verb.at > 0 and claim.lower[verb.at - 1] in BE and claim.lower[verb.at].endswith(_PARTICIPLES)
        if passive and at and not BE.intersection(clause.lower[max(0, other.at - 3) : other.at]):
            return [pairs[at], *pairs[:at], *pairs[at + 1 :]]
    return pairs


def _compare_agents(claim: AnalysedSentence, clause: AnalysedSentence, aligned: ClauseAlignment) -> RoleComparison:
    """Compare who acts in an active and in a passive sentence.

    The subject of the active one follows "by", right after the verb, in the passive one. If the object of the active
    one is there instead, the two are swapped.
    """
    active, passive = (claim, clause) if "by" in clause.lower else (clause, claim)
    pairs = [pair if active is claim else pair[::-1] for pair in aligned.pairs]
    pairs = sorted((pair for pair in pairs if not marker(active, pair[0])), key=lambda pair: pair[0].at)
    if len(pairs) < 2:
        return "unclear"
    (actor, agent), *others = pairs
    after = [other.at for _, other in others]
    by = next((at for at in range(agent.at - 1, max(-1, agent.at - 4), -1) if passive.lower[at] == "by"), 0)
    if by:  # the object is before the verb
        return "same" if by - 1 in after and max(after) == by - 1 else "unclear"
    verb, passive_verb = next((pair for pair in others if pair[1].at == passive.lower.index("by") - 1), (None, agent))
    if verb is None or not _is_active(active, verb) or not _is_passive(passive, passive_verb):
        return "unclear"
    if agent.at > passive_verb.at or marker(passive, agent):
        return "unclear"
    acted_on = [item for item, other in others if item.kind not in NUMERIC and marker(passive, other) == "by"]
    is_swapped = any(actor.at < verb.at < item.at for item in acted_on)
    return "swapped" if is_swapped and not _is_mutual(claim, aligned, ()) else "unclear"
