"""Claims × passages → judgements, by a verifier that is not a language model; and the words that it finds unsupported.

Pairs of all claims in flight are judged in batches: pairs that arrive while a verifier is working form its next batch.
Nothing waits for a batch to fill: a single claim is judged at once, and many responses keep the verifier busy.

Unsupported words of a claim are those without which a verifier finds it better supported. Each phrase is left out in
turn and the rest is judged again (representation erasure, Li, Monroe and Jurafsky 2016, section 3). The result is a
hint for readers about the verifier's reasons, and not a proof. For the large built-in verifier the small one is asked:
the words are as good, and the large one would take a third of its time for them.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import term, terms, tokens
from factscope.core.errors import BoundaryError, UsageError
from factscope.core.records import ConfidenceFrom, Judgement, Passage, Quote, Span
from factscope.judging.cases import JudgeCase, judgement_id
from factscope.judging.verifiers.calibration import CalibratedVerifier
from factscope.judging.verifiers.protocol import (
    ClaimPair,
    LabelProbabilities,
    Prediction,
    Verifier,
    first_reader,
    verified,
)
from factscope.judging.verifiers.wording.lexicon import STOP
from factscope.llm.session import CheckContext
from factscope.methods import VerifierJudge

MOST_PAIRS = 256
"""Pairs per batch, although the pairs of one claim are never separated. The limit bounds how long a stopped check has
to wait."""


async def predict_all(verifier: Verifier, pairs: Sequence[ClaimPair]) -> list[Prediction]:
    """Verify the pairs. Raises only the errors of these pairs, not those of others in the batch."""
    queues = _QUEUES.setdefault(asyncio.get_running_loop(), {})
    queue = queues.setdefault(id(verifier), _Queue(verifier))
    queued = _QueuedPair(pairs, asyncio.get_running_loop().create_future())
    queue.waiting.append(queued)
    if queue.worker is None:
        queue.worker = asyncio.create_task(queue.work())
    return await queued.answer


class _QueuedPair(NamedTuple):
    pairs: Sequence[ClaimPair]
    answer: asyncio.Future[list[Prediction]]


class _Queue:
    """Queue of one verifier in one event loop. It keeps the verifier alive, so that no other object gets its id."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier = verifier
        self.waiting: deque[_QueuedPair] = deque()
        self.worker: asyncio.Task[None] | None = None

    async def work(self) -> None:
        """Judge batch after batch, until the queue is empty."""
        try:
            while batch := self._next():
                await self._answer(batch)
        finally:
            self.worker = None

    def _next(self) -> list[_QueuedPair]:
        """Take as many questions as fit into a batch, at least one, skipping cancelled ones."""
        batch: list[_QueuedPair] = []
        while self.waiting and (not batch or len(_pairs(batch)) + len(self.waiting[0].pairs) <= MOST_PAIRS):
            queued = self.waiting.popleft()
            if not queued.answer.done():
                batch.append(queued)
        return batch

    async def _answer(self, batch: Sequence[_QueuedPair]) -> None:
        """Judge a batch; if that fails, judge each question separately, so that one failure does not affect the others.

        A UsageError affects every question: loading a large verifier again for each would take long.
        """
        pairs = _pairs(batch)
        try:
            predictions = await asyncio.to_thread(verified, self.verifier, pairs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the question was asked
            for queued in batch:
                if len(batch) > 1 and not isinstance(error, UsageError):
                    await self._answer([queued])
                elif not queued.answer.done():
                    queued.answer.set_exception(error)
            return
        for queued in batch:
            own_predictions, predictions = predictions[: len(queued.pairs)], predictions[len(queued.pairs) :]
            if not queued.answer.done():
                queued.answer.set_result(own_predictions)


_QUEUES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Queue]] = WeakKeyDictionary()


def _pairs(batch: Sequence[_QueuedPair]) -> list[ClaimPair]:
    return [pair for queued in batch for pair in queued.pairs]


PLAINLY = 0.67
"""Confidence of a contradiction by one passage from which no others are read with it: as `--strictness normal`."""
LEAST_TOGETHER = 0.5
"""Confidence that a label needs if it comes from several passages as one (chosen on 24 texts: docs/verifiers.md)."""
_BETWEEN = "\n\n"
"""Separates passages that are read as one."""

MOST = 12
"""Most phrases of a claim; one with more is not analysed."""
RISE = 0.1
"""Least increase of the probability of support without a phrase."""
CHANCE = 1 / 3
"""Least probability of support that the rest of the claim then has: below it the passage says nothing of the rest."""
_SHARE = 0.5
"""Least share of the largest such increase."""
_FEWEST = 2
"""Least number of remaining words."""
_UNREAD_FLAGS = frozenset({"nothing_to_read", "too_long", "partly_read", "other_language"})
"""Abstentions of a verifier that could not read its input, for which the analysis means nothing."""
_OPENING = """about after against among and as at before behind below beneath between but by despite during except for
from in into like near of on or over since that than through to under until upon when where which while who whose with
without is are was were be been has have had will would can could may might did does do"""
_OPENS = frozenset(_OPENING.split())
"""Words that begin a phrase."""
_TURNING = "not never no none only all every always first last most least more less"
_TURNING_WORDS = frozenset(_TURNING.split())
"""Words that reverse a sentence, and are phrases of their own."""
_STANDING_IN = "it its he his she her they their this that these those we our i my"
_PRONOUNS = frozenset(_STANDING_IN.split())


def phrases(claim: str) -> list[Span]:
    """Return the phrases of a claim: numbers, names and reversing words alone, others from one function word on."""
    spans_found: list[Span] = []
    kind = ""
    for index, token in enumerate(tokens(claim)):
        word, before = token.text, claim[spans_found[-1].end : token.start] if spans_found else ""
        individual = "name" if index > 0 and word[:1].isupper() else "words"
        individual = "turn" if word.lower() in _TURNING_WORDS else individual
        individual = "number" if word[:1].isdigit() else individual
        may_join = individual == kind and individual in ("name", "words")
        joined = may_join and before.isspace() and word.lower() not in _OPENS
        if joined:
            spans_found[-1] = Span(start=spans_found[-1].start, end=token.end)
        else:
            spans_found.append(Span(start=token.start, end=token.end))
        kind = individual
    return spans_found


def without(claim: str) -> dict[Span, str]:
    """Return the claim without each phrase; empty for one with too many phrases, or when too little remains."""
    cut = phrases(claim)
    if not 1 < len(cut) <= MOST:
        return {}
    left = {span: _left(claim, span) for span in cut}
    return {span: text for span, text in left.items() if len(tokens(text)) >= _FEWEST}


def _left(claim: str, span: Span) -> str:
    """Return the claim without one of its phrases, with corrected spaces."""
    remainder = f"{claim[: span.start].rstrip()} {claim[span.end :].lstrip()}"
    return re.sub(r"\s+([,.;:!?])", r"\1", remainder.strip())


def looked_into(predictions: Sequence[Prediction]) -> int | None:
    """Return the index of the prediction to analyse: the most confident contradiction, else the one closest to support.

    It is None when one supports the claim, or all abstain.
    """
    if any(prediction.label == "supported" for prediction in predictions):
        return None
    judged = [
        (index, prediction.label, prediction.probabilities)
        for index, prediction in enumerate(predictions)
        if prediction.probabilities and not _UNREAD_FLAGS.intersection(prediction.flags)
    ]
    against = [(estimate.contradicted or 0.0, -index) for index, label, estimate in judged if label == "contradicted"]
    ranked = [(estimate.supported, -index) for index, label, estimate in judged if label != "irrelevant"]
    return -max(against or ranked)[1] if against or ranked else None


def unsupported(left: dict[Span, str], before: LabelProbabilities, after: Sequence[Prediction]) -> tuple[Span, ...]:
    """Return the phrases without which the claim is better supported, by `before` and `after`, one per phrase.

    What is left must have a support of `CHANCE` or more.
    """
    supports = [prediction.probabilities.supported if prediction.probabilities else 0.0 for prediction in after]
    rises = [support - before.supported if support >= CHANCE else 0.0 for support in supports]
    least = max(RISE, _SHARE * max(rises, default=0.0))
    return tuple(span for span, rise in zip(left, rises, strict=True) if rise >= least)


def telling(claim: str, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the phrases, or none of them when all are pronouns: that `It` has no support tells a reader nothing."""
    return spans if any(span.of(claim).lower() not in _PRONOUNS for span in spans) else ()


async def verify(job: CheckContext, verifier: Verifier, first: int, case: JudgeCase, spec: VerifierJudge) -> None:
    """Label a claim against its passages, together with other claims in flight; `first` as for `judge`.

    Failures are recorded.
    """

    async def label_case() -> None:
        job.emit(*await labelled(verifier, first, case, spec))

    await job.guard((case.claim.id,), "judging", label_case)


async def labelled(verifier: Verifier, first: int, case: JudgeCase, spec: VerifierJudge) -> list[Judgement]:
    """Label a claim, passage by passage, and where that leaves it open by the best passages as one.

    If the verifier fails after it has read each passage, its labels stay, beside a judgement with the failure.
    Raises the verifier's errors.
    """
    pairs = [ClaimPair(case.claim.standalone, _reading(passage)) for passage in case.passages]
    predictions = await predict_all(verifier, pairs)
    judgements = [
        _judgement(case, passage, prediction, verifier, first)
        for passage, prediction in zip(case.passages, predictions, strict=True)
    ]
    joint = None
    try:
        if not _is_settled(predictions):
            joint = await _read_together(verifier, first, case, spec, _surest(predictions, "contradicted"))
        index = None if not spec.spans or (joint and joint.label == "supported") else looked_into(predictions)
        words = await _stumbled(verifier, pairs[index], predictions[index]) if index is not None else ()
        if index is not None and words:
            judgements[index] = judgements[index].model_copy(update={"unsupported": words})
    except BoundaryError as error:
        joint = joint or _failed(case, verifier, first, error)
    return [*judgements, joint] if joint else judgements


def _failed(case: JudgeCase, verifier: Verifier, first: int, error: BoundaryError) -> Judgement:
    return Judgement(
        id=judgement_id(case.claim.id, first),
        unit_id=case.claim.id,
        passage_ids=tuple(passage.id for passage in case.passages),
        judge=verifier.name,
        failure=str(error),
    )


def _reading(passage: Passage) -> str:
    return passage.reading or passage.text


def _sure(prediction: Prediction) -> float:
    """Return the confidence of a prediction; a verifier that gives none is taken at its word."""
    return 1.0 if prediction.confidence is None else prediction.confidence


def _surest(predictions: Sequence[Prediction], label: str) -> float:
    """Return the confidence of the surest prediction of a label; -1 where there is none."""
    return max((_sure(prediction) for prediction in predictions if prediction.label == label), default=-1.0)


def _is_settled(predictions: Sequence[Prediction]) -> bool:
    """Tell whether a passage alone supports the claim, or plainly contradicts it."""
    return _surest(predictions, "supported") >= 0 or _surest(predictions, "contradicted") >= PLAINLY


async def _read_together(
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
    if prediction.label not in ("supported", "contradicted") or _sure(prediction) < least:
        return None
    groups = [*combinations(best, 2)] if len(best) > 2 else []
    enough = [
        (group, other)
        for group, other in zip(groups, await _predict_joined(verifier, case, groups), strict=True)
        if other.label == prediction.label and _sure(other) >= LEAST_TOGETHER
    ]
    passages, closest = max(enough, key=lambda read: _sure(read[1]), default=(best, prediction))
    prediction = closest._replace(confidence=prediction.confidence)
    about = {
        "id": judgement_id(case.claim.id, first),
        "passage_ids": tuple(passage.id for passage in passages),
        "flags": (*prediction.flags, "read_together"),
    }
    return _judgement(case, *_quoted(passages, prediction), verifier, first).model_copy(update=about)


async def _predict_joined(
    verifier: Verifier, case: JudgeCase, groups: Sequence[Sequence[Passage]]
) -> Sequence[Prediction]:
    """Predict a claim's label by several passages as one, for each group of passages."""
    texts = [_BETWEEN.join(map(_reading, group)) for group in groups]
    return await predict_all(verifier, [ClaimPair(case.claim.standalone, text) for text in texts]) if texts else ()


def _quoted(passages: Sequence[Passage], prediction: Prediction) -> tuple[Passage, Prediction]:
    """Return which of the passages that were read as one is quoted, and the prediction with the quote's place there."""
    start = 0
    for passage in passages:
        end = start + len(_reading(passage))
        if (quote := prediction.quote) and start <= quote.start < end:
            return passage, prediction._replace(quote=Span(start=quote.start - start, end=min(quote.end, end) - start))
        start = end + len(_BETWEEN)
    return passages[0], prediction._replace(quote=None)


async def _stumbled(verifier: Verifier, pair: ClaimPair, prediction: Prediction) -> tuple[Span, ...]:
    """Return the words of a claim that its passage does not support."""
    left = without(pair.claim)
    if not left:
        return ()
    reader = first_reader(verifier)
    if reader is not verifier:
        [prediction] = await predict_all(reader, [pair])
    if prediction.probabilities is None:
        return ()
    after = await predict_all(reader, [ClaimPair(text, pair.passage) for text in left.values()])
    return telling(pair.claim, unsupported(left, prediction.probabilities, after))


def _judgement(case: JudgeCase, passage: Passage, prediction: Prediction, verifier: Verifier, first: int) -> Judgement:
    source: ConfidenceFrom = "calibrated" if isinstance(verifier, CalibratedVerifier) else "verifier"
    span = _in_passage(prediction.quote, passage, case.claim.standalone) if prediction.quote else None
    rationale = prediction.rationale
    if prediction.quote and not span and passage.reading and prediction.label in ("supported", "contradicted"):
        title = prediction.quote.of(passage.reading).strip().removesuffix(".")
        rationale = f"{rationale}; closest to the claim is its title, “{title}”"
    return Judgement(
        id=judgement_id(passage.id, first),
        unit_id=case.claim.id,
        passage_ids=(passage.id,),
        judge=verifier.name,
        label=prediction.label,
        raw_label=prediction.label,
        rationale=rationale,
        quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
        confidence=prediction.confidence,
        confidence_from=None if prediction.confidence is None else source,
        flags=prediction.flags,
    )


def _in_passage(quote: Span, passage: Passage, claim: str) -> Span | None:
    """Return the position of a quote in the passage: its words, or if they are changed, its line or the whole.

    In the place of a title above several sentences, that of them is returned which bears most on the claim, if any.
    """
    words = quote.of(passage.reading or passage.text).strip()
    if not words or passage.reading is None:
        return quote if words else None
    at = passage.text.find(words)
    if at >= 0:
        return Span(start=at, end=at + len(words))
    below = [span for span in sentences(passage.text) if not span.of(passage.text).rstrip("*_ ").endswith("?")]
    if _is_above(quote, passage.reading, passage.text) and len(below) > 1:
        wanted = {term(token.text) for token in tokens(claim) if token.text.lower() not in STOP} - set(terms(words))
        shared = [len(wanted.intersection(terms(span.of(passage.text)))) for span in below]
        return below[shared.index(max(shared))] if any(shared) else None
    return _line(words, passage.reading, passage.text) or Span(start=0, end=len(passage.text))


def _is_above(quote: Span, reading: str, text: str) -> bool:
    """Tell whether a quote is a title or heading that the reading of a passage begins with."""
    return quote.end <= reading.find("\n") and not set(terms(quote.of(reading))) <= set(terms(text))


def _line(quote: str, reading: str, text: str) -> Span | None:
    """Return the line of a table that is quoted: that with most of the words that only this line of the reading has."""
    counts = Counter(word for line in reading.splitlines() for word in set(terms(line)))
    own = {word for word in terms(quote) if counts[word] == 1}
    lines = list(re.finditer(r"[^\n]+", text))
    best = max(lines, key=lambda line: len(own.intersection(terms(line[0]))), default=None)
    if best is None or "; " not in quote or own.isdisjoint(terms(best[0])):
        return None
    return Span(start=best.start(), end=best.end())
