"""Reports → a checker's prediction for each part of a text: its position, whether it is flagged, and its confidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from factscope.benchmarks.meta_eval.tasks import CheckTask
from factscope.core import Claim, Label, Outcome, Record, Report, Segment, Span, Verdict, group_by, id_key, many
from factscope.methods import Method
from factscope.scoring import is_not_read, shares

Rule = Literal["unsupported", "contradicted"]
"""Rule for flagging: every unit that is not supported, or only those contradicted."""

_MAX_PASSAGES = 3  # passages kept for a disagreement
_LONGEST = 1_200  # characters of such a passage


class EvidenceView(Record):
    """A piece of evidence, to show with a disagreement."""

    source: str
    """Title, address or id of its document."""
    url: str | None = None
    text: str
    """The passage, cut when it is long."""
    quote: str | None = None
    """The words of it that the label rests on."""
    label: Label | None = None
    """Label of the judge."""


class CheckerPrediction(NamedTuple):
    """A checker's verdict on one part of a text."""

    flagged: bool | None
    """Whether it is called wrong; `None` when there is no answer."""
    p_wrong: float | None = None
    """Probability of being wrong, 0 to 1; `None` when the checker states none."""
    tendency: float | None = None
    """Score from 0 to 1 for ranking units by how wrong they are; `None` when unknown."""
    gold: str | None = None
    """Id of the labelled unit that it is about."""
    span: Span | None = None
    """Alternatively its position in the response; with neither, it is about the whole response."""
    outcome: Outcome | None = None
    """Outcome of the unit; `None` for recorded predictions with only right and wrong."""
    reason: str | None = None
    """Reason, in the checker's words."""
    evidence: tuple[EvidenceView, ...] = ()
    has_evidence: bool = False
    """Whether there was evidence, even if none of it bears on the text; False when unknown."""
    passed_on: bool = False
    """Whether a cascade asked its model about it, after the verifier."""
    pooled: bool = False
    """Whether it is a segment judged by the pooled evidence of its claims, which replaces them at higher levels."""


def flagged(outcome: Outcome, rule: Rule) -> bool | None:
    """Return whether a unit with this outcome is called wrong; `None` when it has no verdict.

    Uncheckable units are called right, as FELM does with a segment without claims, and Facts&Evidence with a sentence.
    Those in a language that no judge reads are not answered at all: see `said_of`.
    """
    if outcome in ("failed", "excluded"):
        return None
    if outcome in ("supported", "not_checkable"):
        return False
    return outcome == "contradicted" or rule == "unsupported"


def p_wrong(outcome: Outcome, confidence: float | None, rule: Rule) -> float | None:
    """Estimate the probability that the unit is wrong, from the verdict's confidence; `None` when it has none."""
    if confidence is None:
        return None
    if outcome == "supported":
        return 1 - confidence
    sure_of_it = outcome == "contradicted" or (outcome == "undecided" and rule == "unsupported")
    return confidence if sure_of_it else None


def tendency(outcome: Outcome, confidence: float | None) -> float | None:
    """Return a score for how wrong a unit is: by the outcome first, then by its confidence.

    Undecided units lie between support and contradiction.
    """
    if outcome in ("failed", "excluded"):
        return None
    sure = 0.5 if confidence is None else confidence
    if outcome == "contradicted":
        return (2 + sure) / 3
    if outcome in ("supported", "not_checkable"):
        return (1 - sure) / 3 if outcome == "supported" else 0.0
    return (1 + sure) / 3


def said_of(report: Report, task: CheckTask, method: Method, rule: Rule) -> list[CheckerPrediction]:
    """Convert a report on the task's text into predictions, unit by unit in reading order.

    With the rule `share`, each segment is added, judged by the pooled evidence of all its claims, as the score of a
    sentence is in Facts&Evidence (section 4): wrong below the threshold.
    """
    verdicts = {verdict.unit_id: verdict for verdict in report.verdicts if verdict.level != "response"}
    passages = _evidence(report)
    passed_on = {judgement.unit_id for judgement in report.judgements if "passed_on" in judgement.flags}
    claims = group_by(report.claims, lambda claim: claim.segment_id)
    predictions_made: list[CheckerPrediction] = []
    share = shares(report) if method.roll_up.unit == "share" else {}
    for segment in sorted(report.segments, key=lambda item: id_key(item.id)):
        own = claims[segment.id]
        units: Iterable[Claim | Segment] = sorted(own, key=lambda item: id_key(item.id)) or [segment]
        for unit in units:
            span = unit.span if isinstance(unit, Claim) and unit.span else segment.span
            prediction = _prediction(verdicts[unit.id], span, task, rule, passages.get(unit.id, ()))
            if isinstance(unit, Claim) and is_not_read(unit):  # not checkable by this method: no answer, not "right"
                prediction = prediction._replace(flagged=None, tendency=None)
            predictions_made.append(prediction._replace(passed_on=unit.id in passed_on))
        if share and (value := share[segment.id].value) is not None:
            evidence = tuple(view for claim in own for view in passages.get(claim.id, ()))[:_MAX_PASSAGES]
            prediction = _prediction(verdicts[segment.id], segment.span, task, rule, evidence)
            if prediction.outcome not in ("failed", "excluded"):
                wrong = value < method.roll_up.threshold
                prediction = prediction._replace(flagged=wrong, p_wrong=1 - value, tendency=1 - value)
            supporting = many(share[segment.id].total, "passage supports", "passages support")
            predictions_made.append(
                prediction._replace(
                    pooled=True,
                    passed_on=any(claim.id in passed_on for claim in own),
                    reason=f"{share[segment.id].supporting} of {supporting} it",
                )
            )
    return predictions_made


def _prediction(
    verdict: Verdict, span: Span, task: CheckTask, rule: Rule, evidence: tuple[EvidenceView, ...]
) -> CheckerPrediction:
    gold = task.gold
    return CheckerPrediction(
        flagged=flagged(verdict.outcome, rule),
        p_wrong=p_wrong(verdict.outcome, verdict.confidence, rule),
        tendency=tendency(verdict.outcome, verdict.confidence),
        gold=gold.id if gold else None,
        span=gold.span if gold else span,
        outcome=verdict.outcome,
        reason=verdict.reason,
        evidence=evidence,
        has_evidence=bool(evidence),
    )


def _evidence(report: Report) -> dict[str, tuple[EvidenceView, ...]]:
    """Return the first pieces of evidence of each claim: those that its verdict rests on ahead of the others."""
    documents = {document.id: document for document in report.documents}
    decisive = {name for verdict in report.verdicts if verdict.level == "claim" for name in verdict.judgement_ids}
    last_decisive = sorted(report.judgements, key=lambda judgement: judgement.id in decisive)
    judgements = {name: judgement for judgement in last_decisive for name in judgement.passage_ids}
    rows_by_claim: dict[str, list[tuple[bool, int, EvidenceView]]] = defaultdict(list)
    for passage in report.passages:
        document, judgement = documents.get(passage.document_id), judgements.get(passage.id)
        quote = judgement.quote if judgement and judgement.quote else None
        view = EvidenceView(
            source=(document.title or document.url if document else None) or passage.document_id,
            url=document.url if document else None,
            text=passage.text if len(passage.text) <= _LONGEST else f"{passage.text[:_LONGEST]}…",
            quote=quote.text if quote and quote.passage_id == passage.id else None,
            label=judgement.label if judgement else None,
        )
        rows_by_claim[passage.claim_id].append((judgement is None or judgement.id not in decisive, passage.rank, view))
    return {
        claim: tuple(displayed for _, _, displayed in sorted(rows, key=lambda row: row[:2])[:_MAX_PASSAGES])
        for claim, rows in rows_by_claim.items()
    }
