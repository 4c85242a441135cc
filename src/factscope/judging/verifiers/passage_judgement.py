"""A verifier's prediction as a judgement, with the quote at its place in the passage."""

from __future__ import annotations

import re
from collections import Counter

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import term, terms, tokens
from factscope.core.records import ConfidenceFrom, Judgement, Passage, Quote, Span
from factscope.judging.cases import JudgeCase, judgement_id
from factscope.judging.verifiers.calibration import CalibratedVerifier
from factscope.judging.verifiers.protocol import Prediction, Verifier
from factscope.judging.verifiers.wording.lexicon import STOP


def reading(passage: Passage) -> str:
    """Return the text of a passage that a judge reads."""
    return passage.reading or passage.text


def passage_judgement(
    case: JudgeCase, passage: Passage, prediction: Prediction, verifier: Verifier, first: int
) -> Judgement:
    """Return the judgement of a case by one passage; `first` as for `judge`."""
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
