"""Feedback for a model from its checked responses: each wrong unit with its evidence, correction and weight.

FactBench's reviews ask for more than a number. The results are a report per response and per model, and pairs of a
response and its corrected version, for training on preferences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from pydantic import Field

from factscope.benchmarks.factbench.units import distinct_units, plain_words
from factscope.core import Correction, ErrorType, Gap, Judgement, Record, Report, Span, Verdict, group_by
from factscope.judging.correct import Contradicted, correct
from factscope.llm import CheckContext, Models, ModelSession, gather_all
from factscope.methods import Correct
from factscope.scoring.alpha import DEFAULT

_SIDE_BY_SIDE = 32
"""Responses whose corrections are asked for at once; the calls in flight have limits of their own."""
_PASSAGES = 3
"""Passages that are shown for a unit."""
_SURE = 0.8
"""Least confidence of an error that counts as certain."""


class FeedbackEvidence(Record):
    """A passage that a wrong unit was checked against."""

    title: str | None
    url: str | None
    text: str
    quote: str | None
    """The words that its label rests on; `None` where the judge named none."""
    named: bool
    """Whether the judge quoted it or judged it alone; otherwise it was one of several read together."""


class WrongClaim(Record):
    """One unit that is contradicted, or without support."""

    unit_id: str
    claim: str
    """The claim, worded so that it needs no context."""
    segment: str
    """Its segment in the response."""
    span: Span
    """Span of the segment, since a response may hold the same words twice."""
    outcome: str
    """`contradicted`, `undecided` or `no_evidence`."""
    why: str | None
    """The judge's reason, otherwise the verdict's."""
    gap: Gap | None
    """For an undecided claim: why the evidence does not settle it."""
    evidence: tuple[FeedbackEvidence, ...]
    error: ErrorType | None
    """The kind of error; `None` when no model was asked for it."""
    correction: str | None
    """The corrected segment; `None` when the evidence does not give the right answer, or no model was asked."""
    times: int = Field(ge=1)
    """Number of times that the response states it."""
    depends: int = Field(ge=0)
    """Number of other units that depend on this one."""
    priority: float
    """Its weight (1 when contradicted, alpha when undecided), times the judge's confidence where it gives one, times
    the number of units that depend on it, itself included."""
    level: str
    """`high`: contradicted, with certainty or with other units; `medium`: contradicted; `low`: undecided."""


class ResponseFeedback(Record):
    """The wrong units of one response, by descending priority."""

    id: str
    model: str | None
    prompt: str | None
    text: str
    units: int
    """Judged units."""
    wrong: tuple[WrongClaim, ...]
    repeats: tuple[WrongClaim, ...] = ()
    """Contradicted units of other segments that say the same as one of `wrong`; they count once, but each is there to
    correct."""

    @property
    def contradicted(self) -> tuple[WrongClaim, ...]:
        """Those that evidence contradicts."""
        return tuple(error for error in self.wrong if error.outcome == "contradicted")


class ModelFeedback(Record):
    """Common traits of the responses of one model."""

    model: str
    responses: int
    with_errors: int
    """Responses with a contradicted unit."""
    units: int
    contradicted: int
    undecided: int
    errors: dict[str, int]
    """Contradicted units by kind of error; `unknown` where nobody was asked."""
    gaps: dict[str, int]
    """Undecided units by the reason why the evidence does not settle them."""
    worst: tuple[str, ...]
    """Ids of the responses with the most important errors."""


class Feedback(Record):
    """Feedback for all models."""

    run: str
    models: tuple[ModelFeedback, ...]
    responses: tuple[ResponseFeedback, ...]
    """Responses with errors, by the sum of their priorities."""


async def corrections(reports: Iterable[Report], spec: Correct, models: Models) -> dict[str, tuple[Correction, ...]]:
    """Return corrections of the contradicted claims that have none yet, by response: a model is asked for each.

    Claims whose call fails get none. Raises UsageError when the role has no model, and errors that would affect every
    call.
    """
    corrections_found: dict[str, tuple[Correction, ...]] = {}
    remaining = iter(reports)
    while batch := list(islice(remaining, _SIDE_BY_SIDE)):
        made = await gather_all(_corrected(report, spec, models) for report in batch)
        corrections_found |= zip((report.response.id for report in batch), made, strict=True)
    return corrections_found


async def _corrected(report: Report, spec: Correct, models: Models) -> tuple[Correction, ...]:
    corrections_made: list[Correction] = []

    def keep_corrections(record: object) -> None:
        if isinstance(record, Correction):
            corrections_made.append(record)

    job = CheckContext(report.response, report.segments, keep_corrections, ModelSession(models))
    have = {correction.unit_id for correction in report.corrections}
    against = _against(report)
    passages = {passage.id: passage for passage in report.passages}
    lacking = [claim for claim in report.claims if claim.id in against and claim.id not in have]
    await correct(job, spec, [Contradicted(each, [passages[name] for name in against[each.id]]) for each in lacking])
    return tuple(corrections_made)


def feedback(run: str, reports: Iterable[Report], more: Mapping[str, Sequence[Correction]] | None = None) -> Feedback:
    """Collect the errors in the reports of a run; `more` are additional corrections, by response."""
    responses = [_of_response(report, (more or {}).get(report.response.id, ())) for report in reports]
    by_model = group_by(responses, lambda response: response.model or "unknown")
    return Feedback(
        run=run,
        models=tuple(_of_model(name, group) for name, group in by_model.items()),
        responses=tuple(_heaviest(response for response in responses if response.wrong)),
    )


def training_pairs(feedback: Feedback) -> Iterator[dict[str, object]]:
    """Pair each response (`rejected`) with its corrected version (`chosen`), where there is a correction.

    Of several corrections of one segment, that with the highest priority is used. `left` counts the contradicted units
    that remain, wherever they are stated.
    """
    for response in feedback.responses:
        by_place: dict[tuple[int, int], str] = {}
        contradicted = (*response.contradicted, *response.repeats)
        for wrong in contradicted:
            if wrong.correction:
                by_place.setdefault((wrong.span.start, wrong.span.end), wrong.correction)
        chosen_text = response.text
        for (start, end), corrected in sorted(by_place.items(), reverse=True):  # the earlier places stay where they are
            chosen_text = f"{chosen_text[:start]}{corrected}{chosen_text[end:]}"
        if chosen_text != response.text:
            yield {
                "id": response.id,
                "model": response.model,
                "prompt": response.prompt,
                "rejected": response.text,
                "chosen": chosen_text,
                "corrected": len(by_place),
                "left": len(contradicted) - len(by_place),
            }


def _of_response(report: Report, more: Sequence[Correction]) -> ResponseFeedback:
    corrected = {item.unit_id: item for item in (*more, *report.corrections)}
    falls = Counter(risk for verdict in report.verdicts if verdict.level == "claim" for risk in verdict.at_risk)
    units = distinct_units(report)

    def of_verdict(verdict: Verdict) -> WrongClaim:
        name = verdict.unit_id
        return _wrong(report, verdict, corrected.get(name), falls[name], units.repeated.get(name, 1))

    verdicts = [verdict for verdict in report.verdicts if verdict.level == "claim"]
    wrong = [
        of_verdict(verdict)
        for verdict in verdicts
        if verdict.unit_id in units.unit_ids and verdict.outcome in ("contradicted", "undecided", "no_evidence")
    ]
    again = [
        of_verdict(verdict)
        for verdict in verdicts
        if verdict.unit_id not in units.unit_ids and verdict.outcome == "contradicted" and not verdict.at_risk
    ]
    starts_by_claim = {plain_words(item.claim): {item.span.start} for item in wrong if item.outcome == "contradicted"}
    repeats = [item for item in again if _is_elsewhere(item, starts_by_claim)]
    return ResponseFeedback(
        id=report.response.id,
        model=report.response.model,
        prompt=report.response.prompt,
        text=report.response.text,
        units=sum(n for name, n in units.counts.items() if name != "failed"),
        wrong=tuple(sorted(wrong, key=lambda item: (-item.priority, item.unit_id))),
        repeats=tuple(repeats),
    )


def _is_elsewhere(wrong: WrongClaim, starts_by_claim: Mapping[str, set[int]]) -> bool:
    """Return whether a claim is stated in another segment than those where it is known to be, and note this one."""
    starts = starts_by_claim.get(plain_words(wrong.claim))
    if starts is None or wrong.span.start in starts:
        return False
    starts.add(wrong.span.start)
    return True


def _wrong(report: Report, verdict: Verdict, correction: Correction | None, depends: int, times: int) -> WrongClaim:
    claim = next(claim for claim in report.claims if claim.id == verdict.unit_id)
    judgements = [judgement for judgement in report.judgements if judgement.id in verdict.judgement_ids]
    bad = verdict.outcome == "contradicted"
    sure = 1.0 if verdict.confidence is None else verdict.confidence
    segment = next(segment for segment in report.segments if segment.id == claim.segment_id)
    reasons = [judgement.rationale for judgement in judgements if judgement.rationale]
    return WrongClaim(
        unit_id=claim.id,
        claim=claim.standalone,
        segment=segment.text,
        span=segment.span,
        outcome=verdict.outcome,
        why=reasons[0] if reasons else verdict.reason,
        gap=verdict.gap,
        evidence=_evidence(report, judgements),
        error=correction.error if correction else None,
        correction=correction.text if correction else None,
        times=times,
        depends=depends,
        priority=(1.0 if bad else DEFAULT) * sure * (1 + depends),
        level="high" if bad and (depends or sure >= _SURE) else "medium" if bad else "low",
    )


def _evidence(report: Report, judgements: Sequence[Judgement]) -> tuple[FeedbackEvidence, ...]:
    passages = {passage.id: passage for passage in report.passages}
    documents = {document.id: document for document in report.documents}
    quotes = {judgement.quote.passage_id: judgement.quote.text for judgement in judgements if judgement.quote}
    decisive_alone = {judgement.passage_ids[0] for judgement in judgements if len(judgement.passage_ids) == 1}
    read = list(dict.fromkeys(name for judgement in judgements for name in judgement.passage_ids))
    distinct: dict[tuple[str, str], str] = {}  # several rounds of search find the same words of the same page
    for name in sorted(read, key=lambda name: name not in quotes):
        document = documents[passages[name].document_id]
        distinct.setdefault((document.url or document.id, passages[name].text), name)
    return tuple(
        FeedbackEvidence(
            title=documents[passages[name].document_id].title,
            url=documents[passages[name].document_id].url,
            text=passages[name].text,
            quote=quotes.get(name),
            named=name in quotes or name in decisive_alone,
        )
        for name in list(distinct.values())[:_PASSAGES]
    )


def _against(report: Report) -> dict[str, list[str]]:
    """Return, by contradicted claim, the passages of the judgements that say so.

    A claim that depends on a contradicted one is not a second error.
    """
    contradicting = {each.id: each.passage_ids for each in report.judgements if each.label == "contradicted"}
    against = {
        verdict.unit_id: [name for judgement in verdict.judgement_ids for name in contradicting.get(judgement, ())]
        for verdict in report.verdicts
        if verdict.level == "claim" and verdict.outcome == "contradicted" and not verdict.at_risk
    }
    return {unit: list(dict.fromkeys(names)) for unit, names in against.items() if names}


def _of_model(name: str, feedbacks: Sequence[ResponseFeedback]) -> ModelFeedback:
    wrong = [error for response in feedbacks for error in response.wrong]
    bad = [error for error in wrong if error.outcome == "contradicted"]
    worst = _heaviest(response for response in feedbacks if response.contradicted)
    gaps = Counter(error.gap or "none found" for error in wrong if error.outcome != "contradicted")
    return ModelFeedback(
        model=name,
        responses=len(feedbacks),
        with_errors=len(worst),
        units=sum(response.units for response in feedbacks),
        contradicted=len(bad),
        undecided=len(wrong) - len(bad),
        errors=dict(Counter(error.error or "unknown" for error in bad).most_common()),
        gaps=dict(gaps.most_common()),
        worst=tuple(response.id for response in worst[:5]),
    )


def _heaviest(responses: Iterable[ResponseFeedback]) -> list[ResponseFeedback]:
    """Order responses by the sum of their priorities, the highest first."""
    return sorted(responses, key=lambda response: (-sum(wrong.priority for wrong in response.wrong), response.id))
