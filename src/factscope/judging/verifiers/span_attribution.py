"""Unsupported words of a claim: those without which a verifier finds it better supported.

Each phrase is left out in turn and the rest is judged again (representation erasure, Li, Monroe and Jurafsky 2016,
section 3). That says what the verifier stumbles over, which is a hint for a reader and no proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.claims.text.terms import tokens
from factscope.core.records import Span
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction

MOST = 12
"""Phrases of a claim; one with more is not looked into."""
RISE = 0.1
"""By how much the chance of support must rise without a phrase."""
_SHARE = 0.5
"""And by which share of the most that it rises without any."""
_FEWEST = 2
"""Words that must be left."""
_UNREAD_FLAGS = frozenset({"nothing_to_read", "too_long", "partly_read", "other_language"})
"""Abstentions of a verifier that could not read what there is: what it stumbles over then says nothing."""
_OPENING = """about after against among and as at before behind below beneath between but by despite during except for
from in into like near of on or over since that than through to under until upon when where which while who whose with
without is are was were be been has have had will would can could may might did does do"""
_OPENS = frozenset(_OPENING.split())
"""Words that begin a phrase."""
_TURNING = "not never no none only all every always first last most least more less"
_TURNING_WORDS = frozenset(_TURNING.split())
"""Words that turn a sentence over, and are phrases of their own."""


def phrases(claim: str) -> list[Span]:
    """Return the claim cut into phrases: numbers, names, and words that turn it over alone.

    Else from function word on.
    """
    spans_found: list[Span] = []
    kind = ""
    for index, token in enumerate(tokens(claim)):
        word, before = token.text, claim[spans_found[-1].end : token.start] if spans_found else ""
        is_name = index > 0 and word[:1].isupper()
        individual = (
            "number"
            if word[:1].isdigit()
            else "turn"
            if word.lower() in _TURNING_WORDS
            else "name"
            if is_name
            else "words"
        )
        joined = (
            individual == kind and individual in ("name", "words") and before.isspace() and word.lower() not in _OPENS
        )
        if joined:
            spans_found[-1] = Span(start=spans_found[-1].start, end=token.end)
        else:
            spans_found.append(Span(start=token.start, end=token.end))
        kind = individual
    return spans_found


def without(claim: str) -> dict[Span, str]:
    """Return the claim without each phrase; nothing for one that has many, or when too little is left."""
    cut = phrases(claim)
    if not 1 < len(cut) <= MOST:
        return {}
    left = {span: _left(claim, span) for span in cut}
    return {span: text for span, text in left.items() if len(tokens(text)) >= _FEWEST}


def _left(claim: str, span: Span) -> str:
    """Return the claim without one of its phrases, its spaces put right."""
    remainder = f"{claim[: span.start].rstrip()} {claim[span.end :].lstrip()}"
    return re.sub(r"\s+([,.;:!?])", r"\1", remainder.strip())


def looked_into(predictions: Sequence[Prediction]) -> int | None:
    """Return the place of the opinion whose passage is looked into.

    The surest contradiction, else that nearest to support.

    None when one supports the claim, or none can tell.
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
    """Return the phrases without which the claim is better supported, by `before` and `after`, one per phrase."""
    rises = [
        prediction.probabilities.supported - before.supported if prediction.probabilities else 0.0
        for prediction in after
    ]
    least = max(RISE, _SHARE * max(rises, default=0.0))
    return tuple(span for span, rise in zip(left, rises, strict=True) if rise >= least)


def pairs_without(left: dict[Span, str], passage: str) -> list[ClaimPair]:
    """Return the pairs for a verifier."""
    return [ClaimPair(text, passage) for text in left.values()]
