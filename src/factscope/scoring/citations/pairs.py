"""Each claim × each source cited for it → the relation of the source to the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from factscope.claims.citations.cited_claims import cited_by
from factscope.core import AFTER_JUDGING, Outcome, group_by
from factscope.core.records import Citation, CitedSource, Claim, Judgement, Quote, Report, Span, Verdict
from factscope.methods import Method, n_judges
from factscope.methods.method_file import method_from_values
from factscope.scoring.counts import is_not_read
from factscope.scoring.verdicts.claim_verdict import claim_verdict
from factscope.scoring.verdicts.exclusion import excluded_passages, is_excluded

PairOutcome = Literal["supports", "partly", "contradicts", "does_not_say", "unclear", "not_there", "excluded", "failed"]
"""`partly`: the source states a part of the claim; `does_not_say`: it states neither the claim nor its opposite;
`unclear`: a verifier was unsure of a passage, and no other settles it; `not_there`: the source could not be read;
`excluded`: a person ruled it out; `failed`: it was not judged. The last three are not verdicts."""
JUDGED: tuple[PairOutcome, ...] = ("supports", "partly", "contradicts", "does_not_say", "unclear")


class CitedPair(NamedTuple):
    """A claim and a source that is cited for it."""

    claim: Claim
    source: CitedSource
    citations: tuple[Citation, ...]
    outcome: PairOutcome
    quote: str | None = None
    """Words of the source that the outcome rests on."""
    quote_span: Span | None = None
    """Their position in the source's text."""
    reason: str | None = None
    confidence: float | None = None


def cited_pairs(report: Report) -> tuple[CitedPair, ...]:
    """Return every checked claim with every source that is cited for it, in reading order."""
    sources = {source.id: source for source in report.sources}
    method = method_from_values(report.method, "the report's method")
    selected = group_by(report.judgements, lambda judgement: judgement.unit_id)
    of_document = {passage.id: passage.document_id for passage in report.passages}
    pairs = []
    for claim in report.claims:
        if claim.skipped is not None:
            continue
        cited = list(cited_by(claim, report.citations))
        for name in dict.fromkeys(item.source_id for item in cited):
            source = sources[name]
            read_it = [j for j in selected[claim.id] if source.document_id in map(of_document.get, j.passage_ids)]
            citations = tuple(item for item in cited if item.source_id == name)
            blank = CitedPair(claim, source, citations, "not_there", reason=source.reason)
            pairs.append(_judged(blank, report, read_it, method) if source.state == "read" else blank)
    return tuple(pairs)


def unjudged_citations(report: Report, pairs: Sequence[CitedPair]) -> Mapping[str, str]:
    """Return the citations that have something which should have been judged and was not, by id, with the reason.

    It is a claim whose judging failed or whose language no judge reads, or the sentence itself, if its claims could
    not be extracted.
    """
    reasons = {
        item.id: pair.reason or "it could not be judged"
        for pair in pairs
        if pair.outcome == "failed"
        for item in pair.citations
    }
    with_claims = set()
    for claim in report.claims:
        names = [item.id for item in cited_by(claim, report.citations)]
        with_claims.update(names)
        if claim.skipped is not None and is_not_read(claim):
            reasons.update(dict.fromkeys(names, claim.skipped))
    failed = {failure.unit_id: failure.message for failure in report.failures if failure.about is None}
    lost = [item for item in report.citations if item.id not in with_claims and item.segment_id in failed]
    return reasons | {item.id: failed[item.segment_id] for item in lost if item.segment_id}


def _judged(blank: CitedPair, report: Report, judgements: Sequence[Judgement], method: Method) -> CitedPair:
    """Return a pair whose source could be read with its outcome."""
    claim = blank.claim
    out = excluded_passages(report.passages, report.documents, report.excluded)
    retained = [judgement for judgement in judgements if not is_excluded(judgement, out)]
    failed = (f.unit_id == claim.id and f.about is None and f.stage not in AFTER_JUDGING for f in report.failures)
    if not retained and any(failed):
        return blank._replace(outcome="failed", reason="it could not be judged")
    n_excluded, judges = len(judgements) - len(retained), len({judgement.judge for judgement in retained})
    judges = min(n_judges(method.judge), judges)
    verdict = claim_verdict(claim, retained, (), method.roll_up, n_excluded=n_excluded, judges=judges)
    decisive = [entry for entry in retained if entry.id in verdict.judgement_ids]
    quote = next((item.quote for item in decisive if item.quote), None)
    return blank._replace(
        outcome=_outcome(verdict, retained, claim),
        quote=quote.text if quote else None,
        quote_span=_in_document(report, quote) if quote else None,
        reason=next((item.rationale for item in decisive if item.rationale), None),
        confidence=verdict.confidence,
    )


def _outcome(verdict: Verdict, judgements: Sequence[Judgement], claim: Claim) -> PairOutcome:
    if verdict.outcome in _DECIDED:
        return _DECIDED[verdict.outcome]
    if verdict.gap == "partial" or any(_mostly_supported(judgement, claim) for judgement in judgements):
        return "partly"
    # "The source does not say it" is a verdict too, but not when a verifier abstained.
    return "unclear" if any("unsure" in judgement.flags for judgement in judgements) else "does_not_say"


_DECIDED: dict[Outcome, PairOutcome] = {
    "supported": "supports",
    "contradicted": "contradicts",
    "failed": "failed",
    "excluded": "excluded",
}
_MOST_MISSING = 0.5
"""Largest share of a claim's letters that may be unsupported for it to count as partly supported."""


def _mostly_supported(judgement: Judgement, claim: Claim) -> bool:
    """Return whether a judgement names its unsupported words, and these are the smaller part of the claim."""
    return 0 < sum(span.end - span.start for span in judgement.unsupported) <= _MOST_MISSING * len(claim.standalone)


def _in_document(report: Report, quote: Quote) -> Span | None:
    at = next((passage.span.start for passage in report.passages if passage.id == quote.passage_id), None)
    return None if at is None else Span(start=at + quote.span.start, end=at + quote.span.end)
