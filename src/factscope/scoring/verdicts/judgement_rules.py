"""The rules that combine the judgements of one judge into a ruling on a claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from factscope.core import Label, Outcome, group_by, many
from factscope.core.records import Judgement, JudgementFlag
from factscope.methods import RollUp, UnitRule

UNSETTLED = "the evidence does not settle it"
CONFLICT = "evidence conflicts"
SAME = 1e-9
"""Confidences closer than this are the same number: 0.7 - 0.6 is not below a margin of 0.1."""

_SETTLING: tuple[Label, ...] = ("supported", "contradicted")
UNREAD_FLAGS: frozenset[JudgementFlag] = frozenset(("nothing_to_read", "too_long", "other_language"))
"""Flags of a verifier that could not read its input, which counts neither for nor against the claim, nor as missing
evidence."""


class Ruling(NamedTuple):
    """Result of a rule on one claim."""

    outcome: Outcome
    reason: str | None = None
    decisive: tuple[Judgement, ...] = ()
    confidence: float | None = None
    agreement: float | None = None


def is_unread(judgement: Judgement) -> bool:
    """Return whether its judge could not read the input."""
    return not UNREAD_FLAGS.isdisjoint(judgement.flags)


def rule(labelled: Sequence[Judgement], rules: RollUp) -> Ruling:
    """Combine one judge's labels; `labelled` is not empty, and each judgement in it has a label."""
    labelled = [_held_back(judgement, rules) for judgement in _one_of_samples(labelled, rules)]
    if all(j.label == "irrelevant" for j in labelled):
        return Ruling("no_evidence", "the passages found do not bear on the claim", tuple(labelled))
    return _UNIT_RULES[rules.unit](labelled, rules)


def _held_back(judgement: Judgement, rules: RollUp) -> Judgement:
    """Return a contradiction that is less confident than the method asks as evidence that does not settle the claim."""
    if not is_too_weak(judgement, rules.contradiction_floor):
        return judgement
    return judgement.model_copy(update={"label": "not_enough_evidence", "gap": "insufficient"})


def is_too_weak(judgement: Judgement, floor: float) -> bool:
    """Tell whether a judgement contradicts, but with less confidence than the floor of the method."""
    return judgement.label == "contradicted" and _weight(judgement) < floor


def _one_of_samples(labelled: Sequence[Judgement], rules: RollUp) -> list[Judgement]:
    """Merge several samples of a question: the most frequent label, with its share as confidence.

    A tie settles nothing, unless the method treats it as an error.
    """
    merged = []
    for group in group_by(labelled, lambda judgement: judgement.passage_ids).values():
        if len(group) == 1:
            merged.append(group[0])
            continue
        votes = group_by(group, lambda judgement: judgement.label)
        most = max(len(votes_for) for votes_for in votes.values())
        first, *tied = [votes_for for votes_for in votes.values() if len(votes_for) == most]
        change: dict[str, object] = {"confidence": most / len(group), "confidence_from": "samples"}
        if tied and rules.tie == "contradicted":
            change |= {"label": "contradicted"}
        elif tied:
            change |= {"label": "not_enough_evidence", "gap": "conflicting"}
        merged.append((group[0] if tied else first[0]).model_copy(update=change))
    return merged


def _strongest(labelled: list[Judgement], rules: RollUp) -> Ruling:
    """Let the most confident label decide between support and contradiction.

    `not_enough_evidence` and `not_supported` never outvote a label that settles the claim, however confident: a silent
    passage says nothing about the others.
    """
    by_label = group_by(labelled, lambda judgement: judgement.label)
    sides = [max(by_label[label], key=_weight) for label in _SETTLING if by_label[label]]
    if not sides:
        silent = tuple(j for j in labelled if j.label != "irrelevant")
        reason = "not supported" if all(j.label == "not_supported" for j in silent) else UNSETTLED
        return Ruling("undecided", reason, silent, max(silent, key=_weight).confidence)
    if len(sides) == 1:
        return _decided_by(sides[0])
    support, against = sides
    gap = _weight(support) - _weight(against)
    if abs(gap) < max(rules.margin - SAME, SAME):
        return Ruling("undecided", CONFLICT, (support, against))
    return _decided_by(support if gap > 0 else against)._replace(reason=f"{CONFLICT}; the surer side decides")


def _decided_by(judgement: Judgement) -> Ruling:
    outcome: Outcome = "supported" if judgement.label == "supported" else "contradicted"
    return Ruling(outcome, None, (judgement,), judgement.confidence)


def _share(labelled: list[Judgement], rules: RollUp) -> Ruling:
    """Support when supporting / all labelled judgements reaches the threshold (Facts&Evidence, section 4).

    Irrelevant evidence stays in the denominator, as in the paper. Below the threshold the paper says "Not-Factual",
    which means *not supported*: here that is contradicted only if contradictions outnumber support, else undecided.
    Without any support a claim is never supported, even at a threshold of 0.
    """
    n_support = sum(j.label == "supported" for j in labelled)
    n_against = sum(j.label == "contradicted" for j in labelled)
    outcome: Outcome = "undecided"
    if n_support and n_support / len(labelled) >= rules.threshold:
        outcome = "supported"
    elif n_against > n_support:
        outcome = "contradicted"
    reason = f"{n_support} of {many(len(labelled), 'judgement supports', 'judgements support')} it"
    defined = [j.confidence for j in labelled if j.label == outcome and j.confidence is not None]
    return Ruling(outcome, reason, tuple(labelled), fmean(defined) if defined else None)


def _only(labelled: list[Judgement], rules: RollUp) -> Ruling:
    """Let the single judgement decide. Several judgements are a failure by this rule, never a guess."""
    if len(labelled) > 1:
        return Ruling("failed", f"rule 'only' needs one judgement, there are {len(labelled)}; use 'strongest'")
    (judgement,) = labelled
    if judgement.label in _SETTLING:
        return _decided_by(judgement)
    reason = "not supported" if judgement.label == "not_supported" else UNSETTLED
    return Ruling("undecided", reason, (judgement,), judgement.confidence)


_UNIT_RULES: dict[UnitRule, Callable[[list[Judgement], RollUp], Ruling]] = {
    "strongest": _strongest,
    "share": _share,
    "only": _only,
}


def _weight(judgement: Judgement) -> float:
    return 1.0 if judgement.confidence is None else judgement.confidence
