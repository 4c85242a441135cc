"""Claims × passages → judgements, by a verifier that is no language model."""

from __future__ import annotations

from factscope.asking import Job
from factscope.records import ConfidenceFrom, Judgement, Passage, Quote

from .batching import opinions
from .calibration import Calibrated
from .judge import Case, judgement_id
from .verifier import Opinion, Pair, Verifier


async def verify(job: Job, verifier: Verifier, first: int, case: Case) -> None:
    """Label a claim against each of its passages, together with other claims in flight; `first` as for `judge`.

    What fails is recorded.
    """

    async def work() -> None:
        job.emit(*await labelled(verifier, first, case))

    await job.guard((case.claim.id,), "judging", work)


async def labelled(verifier: Verifier, first: int, case: Case) -> list[Judgement]:
    """What the verifier says of a claim, passage by passage. Raises what it raises."""
    pairs = [Pair(case.claim.standalone, passage.text) for passage in case.passages]
    judged = zip(case.passages, await opinions(verifier, pairs), strict=True)
    source: ConfidenceFrom = "calibrated" if isinstance(verifier, Calibrated) else "verifier"
    return [_judgement(case, passage, opinion, verifier.name, first, source) for passage, opinion in judged]


def _judgement(
    case: Case, passage: Passage, opinion: Opinion, judge: str, first: int, source: ConfidenceFrom
) -> Judgement:
    span = opinion.quote if opinion.quote and opinion.quote.of(passage.text) else None
    return Judgement(
        id=judgement_id(passage.id, first),
        unit_id=case.claim.id,
        passage_ids=(passage.id,),
        judge=judge,
        label=opinion.label,
        raw_label=opinion.label,
        rationale=opinion.rationale,
        quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
        confidence=opinion.confidence,
        confidence_from=None if opinion.confidence is None else source,
        flags=opinion.flags,
    )
