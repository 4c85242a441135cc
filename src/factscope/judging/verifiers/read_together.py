"""Passages of a claim read as one, where none of them alone settles it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

from factscope.core.records import Judgement, Passage, Span
from factscope.judging.cases import JudgeCase, judgement_id
from factscope.judging.verifiers.pair_batches import predict_all
from factscope.judging.verifiers.passage_judgement import passage_judgement, reading
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier
from factscope.methods import VerifierJudge

LEAST_TOGETHER = 0.5
"""Confidence that a label needs if it comes from several passages as one (24 texts: docs/builtin-verifier.md)."""
_BETWEEN = "\n\n"
"""Separates passages that are read as one."""


def sure(prediction: Prediction) -> float:
    """Return the confidence of a prediction; a verifier that gives none is taken at its word."""
    return 1.0 if prediction.confidence is None else prediction.confidence


async def read_together(
    verifier: Verifier, first: int, case: JudgeCase, spec: VerifierJudge, against: float
) -> Judgement | None:
    """Label a claim against its best passages as one; `None` where that does not settle it either.

    They support nothing that a passage alone contradicts with more confidence, which is `against`. Two facts of a
    sentence are often in two passages, each of which lacks the other. If two of them give the same label, the judgement
    names only these two, so that excluding another changes nothing; its confidence stays that of all, for which the
    least confidence was measured.
    """
    best = [passage for passage in case.passages[: spec.together] if passage.copy_of is None]
    if len(best) < 2:
        return None
    best.sort(key=lambda passage: (passage.document_id, passage.span.start))
    [prediction] = await _predict_joined(verifier, case, [best])
    least = max(LEAST_TOGETHER, against if prediction.label == "supported" else 0.0)
    if prediction.label not in ("supported", "contradicted") or sure(prediction) < least:
        return None
    groups = [*combinations(best, 2)] if len(best) > 2 else []
    enough = [
        (group, other)
        for group, other in zip(groups, await _predict_joined(verifier, case, groups), strict=True)
        if other.label == prediction.label and sure(other) >= LEAST_TOGETHER
    ]
    passages, closest = max(enough, key=lambda read: sure(read[1]), default=(best, prediction))
    return _joint(verifier, first, case, passages, closest._replace(confidence=prediction.confidence))


async def agreed(
    verifier: Verifier, first: int, case: JudgeCase, predictions: Sequence[Prediction]
) -> Judgement | None:
    """Return a joint contradiction if two passages contradict the claim alone and also when read as one, else `None`.

    Its confidence is that not both are wrong, if they err independently. In 27 texts with keys, 5 more of 172
    errors are found with the small built-in verifier and 2 with the large one, and no more true claims are accused.
    """
    against = [
        (passage, prediction)
        for passage, prediction in zip(case.passages, predictions, strict=True)
        if prediction.label == "contradicted" and passage.copy_of is None and _quotes_text(passage, prediction)
    ]
    surest = sorted(against, key=lambda read: -sure(read[1]))[:2]
    if len(surest) < 2:
        return None
    passages = sorted((passage for passage, _ in surest), key=lambda passage: (passage.document_id, passage.span.start))
    [prediction] = await _predict_joined(verifier, case, [passages])
    if prediction.label != "contradicted" or sure(prediction) < LEAST_TOGETHER:
        return None
    doubts = (1 - sure(prediction) for _, prediction in surest)
    return _joint(verifier, first, case, passages, prediction._replace(confidence=1 - prod(doubts)))


def _quotes_text(passage: Passage, prediction: Prediction) -> bool:
    """Tell whether the quoted sentence is in the passage itself and is not a title above it."""
    return prediction.quote is not None and prediction.quote.of(reading(passage)).strip() in passage.text


def _joint(
    verifier: Verifier, first: int, case: JudgeCase, passages: Sequence[Passage], prediction: Prediction
) -> Judgement:
    about = {
        "id": judgement_id(case.claim.id, first),
        "passage_ids": tuple(passage.id for passage in passages),
        "flags": (*prediction.flags, "read_together"),
    }
    return passage_judgement(case, *_quoted(passages, prediction), verifier, first).model_copy(update=about)


async def _predict_joined(
    verifier: Verifier, case: JudgeCase, groups: Sequence[Sequence[Passage]]
) -> Sequence[Prediction]:
    """Predict a claim's label by several passages as one, for each group of passages."""
    texts = [_BETWEEN.join(map(reading, group)) for group in groups]
    return await predict_all(verifier, [ClaimPair(case.claim.standalone, text) for text in texts]) if texts else ()


def _quoted(passages: Sequence[Passage], prediction: Prediction) -> tuple[Passage, Prediction]:
    """Return which of the passages that were read as one is quoted, and the prediction with the quote's place there."""
    start = 0
    for passage in passages:
        end = start + len(reading(passage))
        if (quote := prediction.quote) and start <= quote.start < end:
            return passage, prediction._replace(quote=Span(start=quote.start - start, end=min(quote.end, end) - start))
        start = end + len(_BETWEEN)
    return passages[0], prediction._replace(quote=None)
