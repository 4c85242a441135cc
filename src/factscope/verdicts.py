"""Judgements → verdicts: of a claim, of its segment, of the whole response.

Pure functions of records: no call, no clock, and the order of the records makes no difference, so that the same door
(`roll_up`) serves the end of a check and a later look with some evidence ruled out.

How a claim ends, in this order:

1. it was skipped → not checkable; all of its judgements were ruled out → excluded;
2. nothing carries a label → failed if something went wrong, else no evidence;
3. every label is `irrelevant` → no evidence: what was found does not bear on the claim;
4. else the rule of the method decides, and a failure beside the labels stays visible in the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

from factscope.ids import id_key
from factscope.labels import OUTCOMES, Label, Outcome
from factscope.method import RollUp, UnitRule
from factscope.records import (
    Claim,
    Document,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Report,
    Response,
    Segment,
    Verdict,
)

UNSETTLED = "the evidence does not settle it"
CONFLICT = "evidence conflicts"

# The rule `worst`: the first of these that any part has. The last two say nothing about the text, so they stand only
# when no other part is left.
WORST_FIRST: tuple[Outcome, ...] = (
    "contradicted",
    "failed",
    "undecided",
    "no_evidence",
    "supported",
    "excluded",
    "not_checkable",
)

_SETTLING: tuple[Label, ...] = ("supported", "contradicted")

# Confidences closer than this are the same number: 0.7 - 0.6 is not below a margin of 0.1.
_SAME = 1e-9


class _Ruling(NamedTuple):
    """What a rule says of one claim."""

    outcome: Outcome
    reason: str | None = None
    decisive: tuple[Judgement, ...] = ()
    confidence: float | None = None


def claim_verdict(
    claim: Claim,
    judgements: Sequence[Judgement],
    failures: Sequence[Failure],
    rules: RollUp,
    *,
    n_excluded: int = 0,
) -> Verdict:
    """The verdict on one claim.

    `judgements` are those still in play; `n_excluded` says how many more a person ruled out. Records of other units
    are ignored. A judge that gives no confidence is taken at its word: its label weighs as much as one of confidence 1.
    """
    mine = sorted((j for j in judgements if j.unit_id == claim.id), key=lambda j: id_key(j.id))
    troubles = sorted({f.message for f in failures if f.unit_id == claim.id} | {j.failure for j in mine if j.failure})
    labelled = [j for j in mine if j.label is not None]
    ruling = _rule_claim(claim, labelled, troubles, rules, ruled_out=not mine and n_excluded > 0)
    reason = ruling.reason
    if troubles and ruling.decisive:
        reason = "; ".join(filter(None, (reason, f"not everything could be judged: {_summed(troubles)}")))
    return Verdict(
        unit_id=claim.id,
        level="claim",
        outcome=ruling.outcome,
        rule=rules.unit,
        judgement_ids=tuple(j.id for j in ruling.decisive),
        reason=reason,
        confidence=ruling.confidence,
    )


def _rule_claim(
    claim: Claim, labelled: list[Judgement], troubles: list[str], rules: RollUp, *, ruled_out: bool
) -> _Ruling:
    if claim.skipped is not None:
        return _Ruling("not_checkable", claim.skipped)
    if ruled_out:
        return _Ruling("excluded", "all of its evidence was ruled out")
    if not labelled:
        return _Ruling("failed", _summed(troubles)) if troubles else _Ruling("no_evidence", "no passage was found")
    if all(j.label == "irrelevant" for j in labelled):
        return _Ruling("no_evidence", "the passages found do not bear on the claim", tuple(labelled))
    return _UNIT_RULES[rules.unit](labelled, rules)


def _strongest(labelled: list[Judgement], rules: RollUp) -> _Ruling:
    """The surest label decides between support and contradiction.

    However sure, `not_enough_evidence` and `not_supported` never outvote a label that settles the claim: that one
    passage is silent says nothing about what another holds.
    """
    sides = [side for label in _SETTLING if (side := _surest(labelled, label))]
    if not sides:
        silent = tuple(j for j in labelled if j.label != "irrelevant")
        reason = "not supported" if all(j.label == "not_supported" for j in silent) else UNSETTLED
        return _Ruling("undecided", reason, silent, max(silent, key=_weight).confidence)
    if len(sides) == 1:
        return _decided_by(sides[0])
    support, against = sides
    gap = _weight(support) - _weight(against)
    if abs(gap) < max(rules.margin - _SAME, _SAME):
        return _Ruling("undecided", CONFLICT, (support, against))
    return _decided_by(support if gap > 0 else against)._replace(reason=f"{CONFLICT}; the surer side decides")


def _decided_by(judgement: Judgement) -> _Ruling:
    outcome: Outcome = "supported" if judgement.label == "supported" else "contradicted"
    return _Ruling(outcome, None, (judgement,), judgement.confidence)


def _share(labelled: list[Judgement], rules: RollUp) -> _Ruling:
    """Supported when supporting / all labelled judgements reaches the threshold (Facts&Evidence, section 4).

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
    reason = f"{n_support} of {len(labelled)} judgements support it"
    known = [j.confidence for j in labelled if j.label == outcome and j.confidence is not None]
    return _Ruling(outcome, reason, tuple(labelled), fmean(known) if known else None)


def _only(labelled: list[Judgement], rules: RollUp) -> _Ruling:
    """The one judgement decides. Several can't be decided by this rule, which is a failure and never a guess."""
    if len(labelled) > 1:
        return _Ruling("failed", f"rule 'only' needs one judgement, there are {len(labelled)}; use 'strongest'")
    (judgement,) = labelled
    if judgement.label in _SETTLING:
        return _decided_by(judgement)
    reason = "not supported" if judgement.label == "not_supported" else UNSETTLED
    return _Ruling("undecided", reason, (judgement,), judgement.confidence)


_UNIT_RULES: dict[UnitRule, Callable[[list[Judgement], RollUp], _Ruling]] = {
    "strongest": _strongest,
    "share": _share,
    "only": _only,
}


def _weight(judgement: Judgement) -> float:
    return 1.0 if judgement.confidence is None else judgement.confidence


def _surest(labelled: Iterable[Judgement], label: Label) -> Judgement | None:
    return max((j for j in labelled if j.label == label), key=_weight, default=None)


def _summed(troubles: Sequence[str]) -> str:
    more = f" (and {len(troubles) - 1} more)" if len(troubles) > 1 else ""
    return f"{troubles[0]}{more}"


def segment_verdict(
    segment: Segment, claim_verdicts: Sequence[Verdict], failures: Sequence[Failure], rules: RollUp
) -> Verdict:
    """The verdict on one segment from those on its claims. A failure of the segment itself counts as one more part.

    Without claims it is failed if something went wrong with it, else not checkable.
    """
    troubles = sorted({f.message for f in failures if f.unit_id == segment.id})
    part = Verdict(unit_id=segment.id, level="segment", outcome="not_checkable", rule=rules.segment)
    return _worst(part, claim_verdicts, troubles, "claims")


def response_verdict(
    response: Response, segment_verdicts: Sequence[Verdict], rules: RollUp, failures: Sequence[Failure] = ()
) -> Verdict:
    """The verdict on the response from those on its segments.

    A failure of the response itself decides only when no segment came of it: beside segments it is about something
    else, such as one unreadable document.
    """
    troubles = [] if segment_verdicts else sorted({f.message for f in failures if f.unit_id == response.id})
    part = Verdict(unit_id=response.id, level="response", outcome="not_checkable", rule=rules.response)
    return _worst(part, segment_verdicts, troubles, "segments")


def _worst(blank: Verdict, parts: Sequence[Verdict], troubles: Sequence[str], noun: str) -> Verdict:
    """Fill `blank` by the rule `worst`."""
    found: set[Outcome] = {part.outcome for part in parts} | ({"failed"} if troubles else set())
    if not found:
        return blank.model_copy(update={"reason": "there is no claim in it"})
    outcome = next(outcome for outcome in WORST_FIRST if outcome in found)
    deciding = sorted((part for part in parts if part.outcome == outcome), key=lambda part: id_key(part.unit_id))
    if outcome == "failed" and troubles:
        reason: str | None = _summed(troubles)
    elif len(parts) == 1:
        reason = deciding[0].reason
    else:
        reason = f"{len(deciding)} of {len(parts)} {noun} {outcome.replace('_', ' ')}"
    return blank.model_copy(
        update={
            "outcome": outcome,
            "judgement_ids": tuple(name for part in deciding for name in part.judgement_ids),
            "reason": reason,
            "confidence": _group_confidence(outcome, deciding),
        }
    )


def _group_confidence(outcome: Outcome, deciding: Sequence[Verdict]) -> float | None:
    """One error is enough, so the surest speaks for contradicted; support needs every part, so the least sure does."""
    known = [part.confidence for part in deciding if part.confidence is not None]
    if outcome == "contradicted" and known:
        return max(known)
    if outcome == "supported" and len(known) == len(deciding):
        return min(known)
    return None


def excluded_passages(
    passages: Iterable[Passage], documents: Iterable[Document], exclude: Exclusions
) -> frozenset[str]:
    """Ids of the passages that `exclude` names: by passage id, or by the id, address, host or category of its document.

    A domain covers its subdomains: `example.org` names `www.example.org` too.
    """
    domains = [domain.casefold().strip(".") for domain in exclude.domains]
    out_documents = set(exclude.documents)
    for document in documents:
        host = web_host(document.url)
        if (
            document.url in exclude.documents
            or document.category in exclude.categories
            or (host and any(host == domain or host.endswith(f".{domain}") for domain in domains))
        ):
            out_documents.add(document.id)
    out_passages = set(exclude.passages)
    return frozenset(p.id for p in passages if p.id in out_passages or p.document_id in out_documents)


def web_host(url: str | None) -> str | None:
    """Host name of a web address; `None` for a local path or an address that can't be read."""
    try:
        parts = urlsplit(url or "")
        host = parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None
    return host.casefold().strip(".") if host else None


def is_excluded(judgement: Judgement, out: frozenset[str]) -> bool:
    """Whether a judgement falls with the passages in `out`: only when all that it read are in there."""
    return bool(judgement.passage_ids) and out.issuperset(judgement.passage_ids)


def roll_up(report: Report, rules: RollUp, exclude: Exclusions) -> tuple[Verdict, ...]:
    """All verdicts of one response: on each claim, then on each segment, then on the response; in order of id.

    Only the records up to the failures are read: verdicts and scores that `report` may hold make no difference.
    """
    out = excluded_passages(report.passages, report.documents, exclude)
    kept: dict[str, list[Judgement]] = defaultdict(list)
    n_excluded: dict[str, int] = defaultdict(int)
    for judgement in report.judgements:
        if is_excluded(judgement, out):
            n_excluded[judgement.unit_id] += 1
        else:
            kept[judgement.unit_id].append(judgement)
    troubles: dict[str, list[Failure]] = defaultdict(list)
    for failure in report.failures:
        troubles[failure.unit_id].append(failure)

    on_claims: list[Verdict] = []
    by_segment: dict[str, list[Verdict]] = defaultdict(list)
    for claim in sorted(report.claims, key=lambda claim: id_key(claim.id)):
        verdict = claim_verdict(claim, kept[claim.id], troubles[claim.id], rules, n_excluded=n_excluded[claim.id])
        on_claims.append(verdict)
        by_segment[claim.segment_id].append(verdict)
    on_segments = [
        segment_verdict(segment, by_segment[segment.id], troubles[segment.id], rules)
        for segment in sorted(report.segments, key=lambda segment: id_key(segment.id))
    ]
    on_response = response_verdict(report.response, on_segments, rules, troubles[report.response.id])
    return (*on_claims, *on_segments, on_response)


def counts(verdicts: Iterable[Verdict], segments: Iterable[Segment], claims: Sequence[Claim]) -> dict[Outcome, int]:
    """How many units ended where, with every outcome present. Raises KeyError for a unit without a verdict.

    A unit is a claim, or a segment from which no claim came.
    """
    outcome = {verdict.unit_id: verdict.outcome for verdict in verdicts if verdict.level != "response"}
    with_claims = {claim.segment_id for claim in claims}
    bare = [segment.id for segment in segments if segment.id not in with_claims]
    total: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
    for unit_id in [*bare, *(claim.id for claim in claims)]:
        total[outcome[unit_id]] += 1
    return total
