"""Plain cases: a claim whose every word stands in one clause of the passage, or all but one that differs there."""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.alignment import excerpt, opposed
from factscope.judging.verifiers.builtin.analysis import NUMERIC, AnalysedSentence, TextItem, WordWeights
from factscope.judging.verifiers.builtin.bounds import QUANTIFIERS, admits, compare_quantifiers
from factscope.judging.verifiers.builtin.clauses import (
    Clause,
    Laid,
    claim_parts,
    clauses,
    lacks_subject,
    lay,
    marker,
    same_quantity,
)
from factscope.judging.verifiers.builtin.features import AnalysedText
from factscope.judging.verifiers.builtin.lexicon import NEGATIONS

NEEDED = 2
"""Things that claim and clause must share beside the one that differs."""
NEAREST = 6
"""Clauses that are compared: those that share most with the claim."""
_DENYING = NEGATIONS - frozenset("prevent prevents prevented stop stops stopped cease ceased".split())
_TURNS = frozenset(
    """may might could would should can must plan plans planned planning propose proposes proposed proposal expect
    expects expected hope hopes hoped hoping intend intends intended want wants wanted say says said claim
    claims claimed allege alleged allegedly report reported reportedly rumour rumoured rumor rumored believe
    believed believes think thinks thought suggest suggested suggests argue argued argues deny denied denies
    doubt doubted dispute disputed according supposed supposedly wrongly falsely false untrue myth legend
    mistaken mistakenly incorrect if unless whether except excluding likely probably possibly perhaps apparently
    nearly almost only until originally formerly once initially used without instead rather due failed tried
    attempted seem seems seemed will shall promise promised forecast predicted dream dreamed dreamt imagine
    imagined pretended convinced wrote tell told suspect suspected suspects feared advertise advertises
    advertised estimate estimated estimates teach teaches taught talk anything""".split()
)
"""Words that bend a statement; claim and clause must have the same ones."""
_BOUNDS = frozenset(
    """more less fewer least than most always often usually sometimes rarely seldom ever other another same also even
    too up exactly together total altogether or still yet again once twice just""".split()
)
_EVERY = frozenset("all every each".split())
_STATES = frozenset("had has have is are there".split())
"""Words of a state, which may hold in several years."""
_MUTUAL = frozenset("marri meet met border equal resembl join face divorc".split())
"""Stems of verbs that say the same of both sides."""
_PARTICIPLES = (
    "ed",
    "en",
    "built",
    "made",
    "sold",
    "sent",
    "held",
    "won",
    "lost",
    "bought",
    "found",
    "led",
    "cut",
    "put",
)
_BE = frozenset("is are was were".split())
_DIRECTIONS = frozenset(
    "from to into towards before after until till since by over under above below without beyond within".split()
)
_TURNED = frozenset(
    (left, right)
    for pair in (
        "before after",
        "above below",
        "over under",
        "with without",
        "until since",
        "inside outside",
        "to from",
    )
    for left, right in (pair.split(), pair.split()[::-1])
)
"""Prepositions that rule each other out on the same word."""
_SYMMETRIC = frozenset("and or with between".split())

Outcome = Literal["supported", "contradicted"]


class PlainCase(NamedTuple):
    """An outcome that the words alone decide."""

    label: Outcome
    sentence: Span
    reason: str


def find_plain_case(claim: AnalysedText, passage: AnalysedText, weights: WordWeights) -> PlainCase | None:
    """Decide a claim that the words of one clause state, or contradict in one thing; None where they do neither.

    A claim of several clauses is contradicted when one of them is, supported when all are.
    """
    (claimed,) = claim.stretches
    if claimed.question or not claimed.items:
        return None
    laid_out = clauses(passage, weights)
    if whole := _find(claim, claimed, passage, laid_out):
        return whole
    parts = claim_parts(claim, weights)
    cases = [_find(part, part.stretches[0], passage, laid_out) for part in parts]
    against = next((case for case in cases if case and case.label == "contradicted"), None)
    return against or (cases[0] if cases and all(cases) else None)


def _find(
    claim: AnalysedText, claimed: AnalysedSentence, passage: AnalysedText, laid_out: Sequence[Clause]
) -> PlainCase | None:
    laid = [(clause, lay(claimed, clause)) for clause in laid_out if not clause.words.question]
    nearest = sorted(laid, key=lambda pair: -_shared(pair[1]))[:NEAREST]
    contradicted: PlainCase | None = None
    for clause, on in nearest:
        result = _decide(claim.text, claimed, passage.text, clause, on)
        if result is None:
            continue
        stretch = passage.stretches[clause.sentence]
        case = PlainCase(result[0], Span(start=stretch.start, end=stretch.end), result[2])
        if case.label == "supported":
            return case
        if not lacks_subject(claimed) or lacks_subject(clause.words):  # "It" of the claim may be anything
            contradicted = contradicted or case
    return contradicted


def _shared(on: Laid) -> float:
    return sum(item.weight for item, _ in on.matched) + 0.5 * sum(item.weight for item in on.carried)


def _decide(
    text: str, claim: AnalysedSentence, passage: str, clause: Clause, on: Laid
) -> tuple[Outcome, str, str] | None:
    if len(on.matched) + len(on.carried) < NEEDED or not on.matched:
        return None
    if not on.missing:
        return _all_found(claim, clause, on)
    return _one_differs(text, claim, passage, clause, on)


def _all_found(claim: AnalysedSentence, clause: Clause, on: Laid) -> tuple[Outcome, str, str] | None:
    there = clause.words
    if _turned(claim, there) or not _same_bounds(claim, there):
        return None
    roles = _roles(claim, there, on)
    denied = _denials(claim) + _denials(there)
    if roles == "unclear" or not _pure(on, there):
        return None
    quantity = compare_quantifiers(claim, there)
    if quantity == "opposed" and roles == "same" and len(on.foreign) <= 2 and denied <= 1:
        return "contradicted", "quantifier", "the passage speaks of another share"
    if quantity in ("opposed", "unclear"):
        return None
    if _is_reported(there, on) and not _is_reported(claim, on, own=True):
        return None
    if _denials(claim) == _denials(there):
        if on.foreign and (denied or _EVERY.intersection(there.lower)):
            return None  # "no big dog barked" does not say that no dog barked
        if roles == "swapped":
            return "contradicted", "roles", "the passage has it the other way round"
        return "supported", "all", "the passage says so, with all key words"
    if denied == 1 and roles == quantity == "same" and len(on.foreign) <= 2 and _is_denied_within(there, on):
        where = "only the claim" if _denials(claim) else "only the passage"
        return "contradicted", "negation", f"{where} denies it"
    return None


def _one_differs(
    text: str, claim: AnalysedSentence, passage: str, clause: Clause, on: Laid
) -> tuple[Outcome, str, str] | None:
    there = clause.words
    if _turned(claim, there) or _denials(claim) or _denials(there) or not _same_bounds(claim, there):
        return None
    if compare_quantifiers(claim, there) != "same":
        return None
    if on.missing[-1].at - on.missing[0].at >= len(on.missing) or _roles(claim, there, on) != "same":
        return None
    rivals = [(item, other) for item in on.missing for other in on.foreign if _rivals(claim, item, there, other)]
    if not rivals or any(item.kind != "name" for item in on.missing[1:]) or rivals[0][0] is not on.missing[0]:
        return None
    if not _pure(on, there, but=[other for _, other in rivals]) or _is_listed(there, rivals[0][1]):
        return None
    ours = excerpt(text, on.missing[0].start, on.missing[-1].end)
    theirs = excerpt(passage, rivals[0][1].start, rivals[-1][1].end)
    return "contradicted", rivals[0][0].kind, f"the passage says {theirs}, not {ours}"


def _rivals(claim: AnalysedSentence, item: TextItem, there: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether two items can't stand in the same place of one statement."""
    if opposed(item.key, other.key):
        return True
    if item.kind != other.kind or item.kind == "word":
        return False
    hangs_alike = marker(claim, item) == marker(there, other)
    if item.kind == "name":
        return hangs_alike and (
            bool(marker(claim, item)) or (_is_complement(claim, item) and _is_complement(there, other))
        )
    if same_quantity(item, other) or item.unit != other.unit:
        return False
    if item.about or other.about:
        return admits(claim, item, other) is False and not other.about
    if item.kind == "year":
        return hangs_alike and not _STATES.intersection(there.lower)
    if item.kind == "count" and not item.unit:
        return item.at > 0 and other.at > 0 and claim.words[item.at - 1] == there.words[other.at - 1]
    return True


def _is_complement(sentence: AnalysedSentence, item: TextItem) -> bool:
    return item.at > 0 and sentence.lower[item.at - 1] in _BE


def _is_listed(there: AnalysedSentence, other: TextItem) -> bool:
    """Tell whether a name or word is one of several: "Vienna and Linz"."""
    return other.kind not in NUMERIC and bool({"and", "or"} & set(there.lower[max(0, other.at - 1) : other.at + 3]))


def _turned(claim: AnalysedSentence, there: AnalysedSentence) -> bool:
    if "because" in claim.lower and "because" not in there.lower:
        return True
    return _TURNS.intersection(claim.lower) != _TURNS.intersection(there.lower)


def _denials(sentence: AnalysedSentence) -> int:
    return sum(_denies(word) for word in sentence.lower)


def _denies(word: str) -> bool:
    return word in _DENYING or word.endswith("n't")


def _same_bounds(claim: AnalysedSentence, there: AnalysedSentence) -> bool:
    return _bounds(claim) == _bounds(there)


def _bounds(sentence: AnalysedSentence) -> set[str]:
    """Return the words that compare or limit, those before numbers aside."""
    of_numbers = {at for item in sentence.items if item.kind in NUMERIC for at in range(item.at - 2, item.at)}
    return {word for at, word in enumerate(sentence.lower) if word in _BOUNDS and at not in of_numbers} - QUANTIFIERS


def _roles(claim: AnalysedSentence, there: AnalysedSentence, on: Laid) -> Literal["same", "swapped", "unclear"]:
    """Compare what the items hang on, and their order, which only those with a preposition may change."""
    ours = {item: marker(claim, item) for item, _ in on.matched}
    theirs = {other: marker(there, other) for _, other in on.matched}
    turned = [(ours[item], theirs[other]) for item, other in on.matched if ours[item] != theirs[other]]
    names = {(ours[item], theirs[other]) for item, other in on.matched if item.kind == "name"}
    if any((right, left) in turned and ((left and right) or (left, right) in names) for left, right in turned):
        return "swapped" if len(set(turned)) == 2 else "unclear"
    if len(turned) == 1 and turned[0] in _TURNED:
        return "swapped"
    passive = ("by" in ours.values()) != ("by" in theirs.values())
    if any(left in _DIRECTIONS or right in _DIRECTIONS for left, right in turned if "by" not in (left, right)):
        return "unclear"
    if passive:
        return "same" if _same_agent(claim, there, on) else "unclear"
    pairs = _as_active(claim, there, sorted(on.matched, key=lambda pair: pair[0].at))
    order = [other.at for _, other in pairs]
    if _in_order(order, [bool(ours[item] and theirs[other]) and ours[item] != "than" for item, other in pairs]):
        return "same"
    if len(order) > 2 and order == sorted(order, reverse=True) and not (_SYMMETRIC | _BE).intersection(there.lower):
        return "swapped"
    if _names_swapped([pair for pair in pairs if not (ours[pair[0]] and theirs[pair[1]])]):
        return "swapped"
    return "swapped" if "than" in claim.lower and "than" in there.lower and not on.foreign else "unclear"


def _names_swapped(pairs: Sequence[tuple[TextItem, TextItem]]) -> bool:
    """Tell whether the one before the verb and the one after it change places, and nothing else does."""
    names = [at for at, (item, _) in enumerate(pairs) if item.kind == "name"]
    if len(names) < 2 or names[-1] - names[0] < 2:
        return False
    first = [at for at in names if all(step in names for step in range(names[0], at + 1))]
    second = [at for at in names if at not in first]
    verbs = [at for at in range(len(pairs)) if first[-1] < at < (second[0] if second else 0)]
    places = [other.at for _, other in pairs]
    if not second or len(verbs) != 1 or pairs[verbs[0]][0].key in _MUTUAL:
        return False
    return max(places[at] for at in second) < places[verbs[0]] < min(places[at] for at in first)


def _in_order(order: list[int], movable: list[bool]) -> bool:
    """Tell whether places rise, but for one run of things that hang on a preposition: "in 1931", "on the hill"."""
    if order == sorted(order):
        return True
    for low in range(len(order)):
        for high in range(low + 1, min(low + 5, len(order)) + 1):
            rest = order[:low] + order[high:]
            moved = order[low:high]
            together = not any(min(moved) < at < max(moved) for at in rest)
            if movable[low] and together and moved == sorted(moved) and rest == sorted(rest):
                return True
    return False


def _as_active(
    claim: AnalysedSentence, there: AnalysedSentence, pairs: list[tuple[TextItem, TextItem]]
) -> list[tuple[TextItem, TextItem]]:
    """Return the pairs of a passive claim in the order of an active clause: "the crane was built", "they built it"."""
    for at, (verb, other) in enumerate(pairs):
        passive = verb.at > 0 and claim.lower[verb.at - 1] in _BE and claim.lower[verb.at].endswith(_PARTICIPLES)
        if passive and at and not _BE.intersection(there.lower[max(0, other.at - 3) : other.at]):
            return [pairs[at], *pairs[:at], *pairs[at + 1 :]]
    return pairs


def _same_agent(claim: AnalysedSentence, there: AnalysedSentence, on: Laid) -> bool:
    """Tell whether the one who acts is the same in an active and a passive sentence.

    What stands before the verb of the active one hangs on "by", right after that verb, in the passive one.
    """
    active, passive = (claim, there) if "by" in there.lower else (there, claim)
    pairs = [pair if active is claim else pair[::-1] for pair in on.matched]
    if len(pairs) < 2:
        return False
    pairs.sort(key=lambda pair: pair[0].at)
    agent = pairs[0][1]
    by = next((at for at in range(agent.at - 1, max(-1, agent.at - 4), -1) if passive.lower[at] == "by"), 0)
    verbs = [right.at for _, right in pairs]
    return bool(by) and by - 1 in verbs


def _is_denied_within(there: AnalysedSentence, on: Laid) -> bool:
    """Tell whether a denial, if there is one, bears on what was matched: the next word of content is among it."""
    matched = {other.at for _, other in on.matched}
    following = [
        next((item.at for item in there.items if item.at >= at), -1)
        for at, word in enumerate(there.lower)
        if _denies(word)
    ]
    return matched.issuperset(following)


def _is_reported(sentence: AnalysedSentence, on: Laid, own: bool = False) -> bool:
    """Tell whether what was matched stands in a clause with "that": somebody says, estimates or swears it."""
    first = min(pair[0 if own else 1].at for pair in on.matched)
    return "that" in sentence.lower[max(0, first - 3) : first]


def _pure(on: Laid, there: AnalysedSentence, but: Sequence[TextItem] = ()) -> bool:
    """Tell whether no other name or number stands among what was matched, and no other name is the subject."""
    first, last = (choose(other.at for _, other in on.matched) for choose in (min, max))
    inside = [item for item in on.foreign if first < item.at < last and item not in but]
    before = [item for item in on.foreign if item.at < first and item.kind == "name" and not marker(there, item)]
    return not before and not any(item.kind == "name" or item.kind in NUMERIC for item in inside) and len(inside) <= 2
