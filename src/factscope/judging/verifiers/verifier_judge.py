"""Claims × passages → judgements, by a verifier that is not a language model."""

from __future__ import annotations

from factscope.core.records import ConfidenceFrom, Judgement, Passage, Quote, Span
from factscope.judging.cases import JudgeCase, judgement_id
from factscope.judging.verifiers.batching import predict_all
from factscope.judging.verifiers.calibration import CalibratedVerifier
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier
from factscope.judging.verifiers.span_attribution import looked_into, pairs_without, telling, unsupported, without
from factscope.llm.session import CheckContext


async def verify(job: CheckContext, verifier: Verifier, first: int, case: JudgeCase, *, spans: bool = False) -> None:
    """Label a claim against each of its passages, together with other claims in flight; `first` as for `judge`.

    With `spans`, the unsupported words of a claim are found too. Failures are recorded.
    """

    async def label_case() -> None:
        job.emit(*await labelled(verifier, first, case, spans=spans))

    await job.guard((case.claim.id,), "judging", label_case)


async def labelled(verifier: Verifier, first: int, case: JudgeCase, *, spans: bool = False) -> list[Judgement]:
    """Label a claim, passage by passage. Raises the verifier's errors."""
    pairs = [ClaimPair(case.claim.standalone, passage.reading or passage.text) for passage in case.passages]
    predictions = await predict_all(verifier, pairs)
    index = looked_into(predictions) if spans else None
    words = await _stumbled(verifier, pairs[index], predictions[index]) if index is not None else ()
    source: ConfidenceFrom = "calibrated" if isinstance(verifier, CalibratedVerifier) else "verifier"
    judged = zip(case.passages, predictions, strict=True)
    judgements = [_judgement(case, passage, prediction, verifier.name, first, source) for passage, prediction in judged]
    if index is not None and words:
        judgements[index] = judgements[index].model_copy(update={"unsupported": words})
    return judgements


async def _stumbled(verifier: Verifier, pair: ClaimPair, prediction: Prediction) -> tuple[Span, ...]:
    """Return the words of a claim that its passage does not support."""
    left = without(pair.claim)
    if not left or prediction.probabilities is None:
        return ()
    after = await predict_all(verifier, pairs_without(left, pair.passage))
    return telling(pair.claim, unsupported(left, prediction.probabilities, after))


def _judgement(
    case: JudgeCase, passage: Passage, prediction: Prediction, judge: str, first: int, source: ConfidenceFrom
) -> Judgement:
    span = _in_passage(prediction.quote, passage) if prediction.quote else None
    return Judgement(
        id=judgement_id(passage.id, first),
        unit_id=case.claim.id,
        passage_ids=(passage.id,),
        judge=judge,
        label=prediction.label,
        raw_label=prediction.label,
        rationale=prediction.rationale,
        quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
        confidence=prediction.confidence,
        confidence_from=None if prediction.confidence is None else source,
        flags=prediction.flags,
    )


def _in_passage(quote: Span, passage: Passage) -> Span | None:
    """Return the position of a quote in the passage: its words, otherwise the whole passage if they are changed."""
    words = quote.of(passage.reading or passage.text).strip()
    if not words or passage.reading is None:
        return quote if words else None
    at = passage.text.find(words)
    return Span(start=at, end=at + len(words)) if at >= 0 else Span(start=0, end=len(passage.text))
