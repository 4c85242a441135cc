"""The words of a claim that a verifier finds unsupported: those without which it finds the claim better supported.

Each phrase is left out in turn and the rest is judged again (representation erasure, Li, Monroe and Jurafsky 2016,
section 3). The result is a hint for readers about the verifier's reasons, and not a proof. For the large built-in
verifier the small one is asked: the words are as good, and the large one would take a third of its time for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.claims.text.terms import tokens
from factscope.core.records import Span
from factscope.judging.verifiers.pair_batches import predict_all
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, Verifier, first_reader

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


async def unsupported_words(verifier: Verifier, pair: ClaimPair, prediction: Prediction) -> tuple[Span, ...]:
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
