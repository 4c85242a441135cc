"""Verdicts of claims → of segments → of the response, and all of them again from a report's records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from factscope.core import OUTCOMES, Outcome, group_by, id_key
from factscope.core.records import Claim, Exclusions, Failure, Report, Response, Segment, Verdict
from factscope.methods import RollUp
from factscope.scoring.verdicts.claim_verdict import claim_verdict, summed
from factscope.scoring.verdicts.exclusion import excluded_passages, is_excluded

# The rule `worst`: the first of these that any part has. The last two say nothing about the text, so they stand only
# when no other part is left.
WORST_FIRST: tuple[Outcome, ...] = (
    "contradicted", "failed", "undecided", "no_evidence", "supported", "excluded", "not_checkable",
)  # fmt: skip


def worst(outcomes: Collection[Outcome]) -> Outcome:
    """Return the outcome of a whole from those of its parts; `not_checkable` when it has none."""
    return next((outcome for outcome in WORST_FIRST if outcome in outcomes), "not_checkable")


def segment_verdict(
    segment: Segment, claim_verdicts: Sequence[Verdict], failures: Sequence[Failure], rules: RollUp
) -> Verdict:
    """Return the verdict on one segment from those on its claims.

    A failure of the segment itself counts as one more part.

    Without claims it is failed if something went wrong with it, else not checkable.
    """
    troubles = sorted({f.message for f in failures if f.unit_id == segment.id})
    piece = Verdict(unit_id=segment.id, level="segment", outcome="not_checkable", rule=rules.segment)
    return _worst(piece, claim_verdicts, troubles, "claims")


def response_verdict(
    response: Response, segment_verdicts: Sequence[Verdict], rules: RollUp, failures: Sequence[Failure] = ()
) -> Verdict:
    """Return the verdict on the response from those on its segments.

    A failure of the response itself decides only when there are no segments: beside segments it is about something
    else, such as one unreadable document.
    """
    troubles = [] if segment_verdicts else sorted({f.message for f in failures if f.unit_id == response.id})
    piece = Verdict(unit_id=response.id, level="response", outcome="not_checkable", rule=rules.response)
    return _worst(piece, segment_verdicts, troubles, "segments")


def _worst(blank: Verdict, verdicts: Sequence[Verdict], troubles: Sequence[str], noun: str) -> Verdict:
    """Complete the verdict `blank` by the rule `worst`."""
    results: set[Outcome] = {piece.outcome for piece in verdicts} | ({"failed"} if troubles else set())
    if not results:
        return blank.model_copy(update={"reason": "no claim was found in it"})
    outcome = worst(results)
    deciding = sorted(
        (piece for piece in verdicts if piece.outcome == outcome), key=lambda piece: id_key(piece.unit_id)
    )
    if outcome == "failed" and troubles:
        reason: str | None = summed(troubles)
    elif len(verdicts) == 1:
        reason = deciding[0].reason
    else:
        reason = f"{len(deciding)} of {len(verdicts)} {noun} {outcome.replace('_', ' ')}"
    return blank.model_copy(
        update={
            "outcome": outcome,
            "judgement_ids": tuple(name for piece in deciding for name in piece.judgement_ids),
            "reason": reason,
            "confidence": _group_confidence(outcome, deciding),
        }
    )


def _group_confidence(outcome: Outcome, deciding: Sequence[Verdict]) -> float | None:
    """Return the highest confidence for contradicted, as one error is enough, and the lowest for supported."""
    defined = [piece.confidence for piece in deciding if piece.confidence is not None]
    if outcome == "contradicted" and defined:
        return max(defined)
    if outcome == "supported" and len(defined) == len(deciding):
        return min(defined)
    return None


def roll_up(report: Report, rules: RollUp, exclude: Exclusions, judges: int = 1) -> tuple[Verdict, ...]:
    """Return all verdicts of one response: on each claim, then on each segment, then on the response; in order of id.

    `judges` is the number of judges without an arbiter. Existing verdicts and scores in `report` are ignored.
    """
    out = excluded_passages(report.passages, report.documents, exclude)
    judgements = group_by(report.judgements, lambda judgement: (judgement.unit_id, is_excluded(judgement, out)))
    troubles = group_by(report.failures, lambda failure: failure.unit_id)
    on_claims: dict[str, Verdict] = {}  # a claim depends on earlier ones only
    claims = sorted(report.claims, key=lambda claim: id_key(claim.id))
    for claim in claims:
        on_claims[claim.id] = claim_verdict(
            claim,
            judgements[claim.id, False],
            troubles[claim.id],
            rules,
            n_excluded=len(judgements[claim.id, True]),
            parents=[on_claims[parent] for parent in claim.depends_on if parent in on_claims],
            judges=judges,
        )
    by_segment = group_by(claims, lambda claim: claim.segment_id)
    on_segments = [
        segment_verdict(segment, [on_claims[c.id] for c in by_segment[segment.id]], troubles[segment.id], rules)
        for segment in sorted(report.segments, key=lambda segment: id_key(segment.id))
    ]
    on_response = response_verdict(report.response, on_segments, rules, troubles[report.response.id])
    return (*on_claims.values(), *on_segments, on_response)


def counts(verdicts: Iterable[Verdict], segments: Iterable[Segment], claims: Sequence[Claim]) -> dict[Outcome, int]:
    """Count the units by outcome, with every outcome present. Raises KeyError for a unit without a verdict.

    A unit is a claim, or a segment from which no claim came.
    """
    outcome = {verdict.unit_id: verdict.outcome for verdict in verdicts if verdict.level != "response"}
    with_claims = {claim.segment_id for claim in claims}
    stripped = [segment.id for segment in segments if segment.id not in with_claims]
    total: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
    for unit_id in [*stripped, *(claim.id for claim in claims)]:
        total[outcome[unit_id]] += 1
    return total
