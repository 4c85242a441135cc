"""The sentence that shows why a passage settles a claim, found by reading the sentences around the quote one by one.

The sentence closest to a claim often does not show it: "designed by Josiah Penrake" is closer to "Penrake saw the last
stone laid" than "he died of a fever before that".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.cross_encoder import CrossEncoder, EncoderTexts
from factscope.judging.verifiers.builtin.prediction import PLAIN_REASON
from factscope.judging.verifiers.builtin.reading import share_of
from factscope.judging.verifiers.protocol import Prediction
from factscope.judging.verifiers.rules.accusations import states_nothing
from factscope.judging.verifiers.rules.rules import is_ruled
from factscope.judging.verifiers.wording.clauses import with_subject
from factscope.judging.verifiers.wording.sentence_pair import SentencePair

SHOWS = 0.5
"""Probability of the passage's label, by a sentence alone, from which the sentence shows why. Of 309 verdicts with a
deciding quote in 24 texts, seven more are shown with it then, and two fewer."""
_AROUND = 3
"""Sentences before and after a quote that are read."""
_PLACES = {"supported": 0, "contradicted": 1}
"""Place of each label among the network's three."""

_Place = tuple[int, Span]
"""The number of a prediction, and a sentence of its passage."""


def with_telling_sentences(
    encoder: CrossEncoder, pairs: Sequence[SentencePair], predictions: Sequence[Prediction]
) -> list[Prediction]:
    """Return the predictions, with another quote where a sentence nearby shows why and the quote itself does not.

    A contradiction whose reason names words of the quote keeps it, and so does what a rule decided.
    """

    def chances(places: Sequence[_Place]) -> list[float]:
        """Return the probability of each prediction's label by a sentence alone."""
        texts = [_alone(pairs[number], span) for number, span in places]
        labels = (_PLACES[predictions[number].label] for number, _ in places)
        return [share_of(logits, label) for logits, label in zip(encoder.logits(texts), labels, strict=True)]

    quotes = [
        (number, prediction.quote)
        for number, prediction in enumerate(predictions)
        if prediction.quote and _is_unexplained(prediction)
    ]
    others = [
        (number, span)
        for (number, quote), chance in zip(quotes, chances(quotes), strict=True)
        if chance < SHOWS
        for span in _around(pairs[number], quote)
    ]
    best: dict[int, tuple[float, Span]] = {}
    for (number, span), chance in zip(others, chances(others), strict=True):
        if chance >= SHOWS and (number not in best or chance > best[number][0]):
            best[number] = (chance, span)
    return [
        prediction._replace(quote=best[number][1]) if number in best else prediction
        for number, prediction in enumerate(predictions)
    ]


def _is_unexplained(prediction: Prediction) -> bool:
    if is_ruled(prediction) or prediction.label not in _PLACES:
        return False
    return prediction.label == "supported" or prediction.rationale == PLAIN_REASON["contradicted"]


def _around(pair: SentencePair, quote: Span) -> Iterator[Span]:
    """Yield the sentences before and after a quote, without titles and questions, which state nothing."""
    stretches = pair.passage.stretches
    at = next((number for number, stretch in enumerate(stretches) if stretch.start == quote.start), None)
    for number in () if at is None else range(max(0, at - _AROUND), min(len(stretches), at + _AROUND + 1)):
        text = pair.passage.part(stretches[number]).strip()
        if number != at and stretches[number].items and not states_nothing(text):
            yield stretches[number].span


def _alone(pair: SentencePair, span: Span) -> EncoderTexts:
    return EncoderTexts(pair.text, with_subject(pair.claim, pair.passage, span, pair.weights))
