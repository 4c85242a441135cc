"""Claims × passages → judgements, by a verifier that is not a language model."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.core import BoundaryError
from factscope.core.records import Judgement
from factscope.judging.cases import JudgeCase, judgement_id
from factscope.judging.verifiers.pair_batches import predict_all
from factscope.judging.verifiers.passage_judgement import passage_judgement, reading
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier
from factscope.judging.verifiers.read_together import agreed, read_together, sure
from factscope.judging.verifiers.unsupported_words import looked_into, unsupported_words
from factscope.llm.session import CheckContext
from factscope.methods import VerifierJudge

PLAINLY = 0.67
"""Confidence of a contradiction by one passage from which no others are read with it: as `--strictness normal`."""


async def verify(job: CheckContext, verifier: Verifier, first: int, case: JudgeCase, spec: VerifierJudge) -> None:
    """Label a claim against its passages, together with other claims in flight; `first` as for `judge`.

    Failures are recorded.
    """

    async def label_case() -> None:
        job.emit(*await labelled(job, verifier, first, case, spec))

    await job.guard((case.claim.id,), "judging", label_case)


async def labelled(
    job: CheckContext, verifier: Verifier, first: int, case: JudgeCase, spec: VerifierJudge
) -> list[Judgement]:
    """Label a claim, passage by passage, and where that leaves it open by the best passages as one.

    If the verifier fails after it has read each passage, its labels stay, beside a judgement with the failure; if it
    only fails to find the unsupported words, that is recorded. Raises the verifier's errors.
    """
    pairs = [ClaimPair(case.claim.standalone, reading(passage)) for passage in case.passages]
    predictions = await predict_all(verifier, pairs)
    judgements = [
        passage_judgement(case, passage, prediction, verifier, first)
        for passage, prediction in zip(case.passages, predictions, strict=True)
    ]
    joint = None
    try:
        if not _is_settled(predictions):
            joint = await read_together(verifier, first, case, spec, _surest(predictions, "contradicted"))
            if spec.together and (joint is None or joint.label == "contradicted"):
                joint = await agreed(verifier, first, case, predictions) or joint
    except BoundaryError as error:
        joint = joint or _failed(case, verifier, first, error)
    is_open = joint is None or joint.label == "contradicted"
    if spec.spans and is_open and (index := looked_into(predictions)) is not None:
        pair, prediction = pairs[index], predictions[index]
        words = await job.guard((case.claim.id,), "words", unsupported_words, verifier, pair, prediction)
        judgements[index] = judgements[index].model_copy(update={"unsupported": words or ()})
    return [*judgements, joint] if joint else judgements


def _failed(case: JudgeCase, verifier: Verifier, first: int, error: BoundaryError) -> Judgement:
    return Judgement(
        id=judgement_id(case.claim.id, first),
        unit_id=case.claim.id,
        passage_ids=tuple(passage.id for passage in case.passages),
        judge=verifier.name,
        failure=str(error),
    )


def _surest(predictions: Sequence[Prediction], label: str) -> float:
    """Return the confidence of the surest prediction of a label; -1 where there is none."""
    return max((sure(prediction) for prediction in predictions if prediction.label == label), default=-1.0)


def _is_settled(predictions: Sequence[Prediction]) -> bool:
    """Tell whether a passage alone supports the claim, or plainly contradicts it."""
    return _surest(predictions, "supported") >= 0 or _surest(predictions, "contradicted") >= PLAINLY
