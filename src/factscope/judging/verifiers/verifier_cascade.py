"""A verifier first, and a language model only for claims of which it is unsure or that it calls contradicted.

A claim that is passed on is judged by the model alone: the verifier's label is not a judgement, only the reason to ask
the model. So every claim has one judge, and its verdict can be recomputed like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factscope.core import UsageError
from factscope.core.records import Judgement, Record
from factscope.judging.cases import JudgeCase
from factscope.judging.verifiers.calibration import CalibratedVerifier
from factscope.judging.verifiers.protocol import Verifier
from factscope.judging.verifiers.verifier_judge import labelled
from factscope.llm.session import CheckContext, gather_all
from factscope.methods import Cascade

_ALL = 2.0
"""Above every confidence."""


async def run_cascade(job: CheckContext, spec: Cascade, verifier: Verifier, cases: Sequence[JudgeCase]) -> None:
    """Label claims: by the verifier where its label is final, otherwise by the model. Failures are recorded.

    Raises the UsageError of `threshold`.
    """
    least = threshold(spec, verifier)
    passed_on = [case for case in cases if not case.passages]  # the model may have a question for these
    read = [case for case in cases if case.passages]
    results = await gather_all(
        job.guard((case.claim.id,), "judging", labelled, job, verifier, 1, case, spec.verifier) for case in read
    )
    for case, judgements in zip(read, results, strict=True):
        if judgements is not None and is_confident(judgements, least):
            job.emit(*judgements)
        elif judgements is not None:
            passed_on.append(case)
    if passed_on:
        await spec.judge.reply.judge(_marking(job), spec.judge, 1, passed_on)


def is_confident(judgements: Sequence[Judgement], least: float) -> bool:
    """Return whether the verifier's label for a claim is final: no passage contradicts it, and it is confident enough.

    The confidence in support is that of the most confident supporting passage; in missing support, that of the passage
    closest to support.
    """
    if any(judgement.label == "contradicted" or judgement.failure for judgement in judgements):
        return False
    sure = [judgement.confidence or 0.0 for judgement in judgements]
    support = [judgement.confidence or 0.0 for judgement in judgements if judgement.label == "supported"]
    return (max(support) if support else min(sure)) >= least


def threshold(spec: Cascade, verifier: Verifier) -> float:
    """Return the confidence from which the verifier's label is final.

    Raises UsageError when that follows from labels and the verifier was calibrated on none.
    """
    if spec.by == "confidence":
        return spec.at
    if not isinstance(verifier, CalibratedVerifier):
        raise UsageError(
            f"The cascade needs {spec.by}, but {verifier.name} was calibrated on data that can't give it.",
            f"Calibrate it: factscope calibrate LABELS --verifier {spec.verifier.name}; or set by = 'confidence'.",
        )
    points = verifier.calibration.standings
    if spec.by == "share":
        return max((point.sure for point in points if point.passed_on <= spec.at), default=0.0)
    return next((point.sure for point in points if point.agreement is not None and point.agreement >= spec.at), _ALL)


def _marking(job: CheckContext) -> CheckContext:
    """Return the job, with a mark on each judgement of a claim that was passed on."""

    def emit_passed_on(*records: Record) -> None:
        job.emit(
            *(
                record.model_copy(update={"flags": (*record.flags, "passed_on")})
                if isinstance(record, Judgement)
                else record
                for record in records
            )
        )

    return replace(job, emit=emit_passed_on)
