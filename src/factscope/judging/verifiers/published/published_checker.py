"""A published checker as a verifier: claims × passages → probabilities → labels, or an abstention with a reason.

claim → its sentences, of which the weakest decides ─┐
passage → chunks that fit, of which the most confident decides ─┴→ probabilities → label and quoted sentence

A binary checker says `supported` or `not_supported`: it does not distinguish silent from contradicting passages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import has_words, terms
from factscope.core import Label
from factscope.core.records import Span
from factscope.judging.verifiers.packing import nearest, packed
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, abstention, of_parts
from factscope.judging.verifiers.published.model_spec import ClassifierSpec
from factscope.judging.verifiers.unsupported_input import MOST_CHUNKS, unread

from .network import Network

Offsets = Callable[[Sequence[str]], list[list[tuple[int, int]]]]
"""Returns, for each text, the positions of its tokens."""


class PassageChunk(NamedTuple):
    """Consecutive sentences of a passage, as offsets into it."""

    sentences: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The part of the passage that they are."""
        return Span(start=self.sentences[0].start, end=self.sentences[-1].end)


def chunks(text: str, budget: int, offsets: Offsets) -> list[PassageChunk]:
    """Split a passage into chunks of at most `budget` tokens, between sentences, in order.

    Empty when it has no words. A sentence that exceeds the limit alone is split between tokens. Tokens are counted
    sentence by sentence, which may differ by a few from those of the whole.
    """
    pieces = _pieces(text, budget, offsets)
    runs = packed([count for _, count in pieces], budget)
    return [PassageChunk(tuple(span for span, _ in pieces[low:high])) for low, high in runs]


def halves(chunk: PassageChunk) -> list[PassageChunk]:
    """Split a chunk that is too long in two; a single sentence is split in its middle."""
    if len(chunk.sentences) > 1:
        middle = len(chunk.sentences) // 2
        return [PassageChunk(chunk.sentences[:middle]), PassageChunk(chunk.sentences[middle:])]
    start, end = chunk.span.start, chunk.span.end
    middle = (start + end) // 2
    return [PassageChunk((Span(start=start, end=middle),)), PassageChunk((Span(start=middle, end=end),))]


def _nearest_chunks(all_chunks: Sequence[PassageChunk], text: str, claim: str) -> list[PassageChunk]:
    """Return the chunks to read, those that share most words with the claim, in the order of the text."""
    claim_terms = set(terms(claim))
    return nearest(all_chunks, MOST_CHUNKS, lambda chunk: len(claim_terms.intersection(terms(chunk.span.of(text)))))


def likeliest(chunk: PassageChunk, text: str, claim: str, most: int) -> list[Span]:
    """Return the sentences of a chunk that share most words with the claim."""
    claim_terms = set(terms(claim))
    shared = {span: len(claim_terms.intersection(terms(span.of(text)))) for span in chunk.sentences}
    return sorted(chunk.sentences, key=lambda span: (-shared[span], span.start))[:most]


def _pieces(text: str, budget: int, offsets: Offsets) -> list[tuple[Span, int]]:
    """Return sentences, or parts of overlong ones, with their number of tokens."""
    spans = sentences(text)
    pieces_made: list[tuple[Span, int]] = []
    for span, places in zip(spans, offsets([span.of(text) for span in spans]), strict=True):
        if len(places) <= budget:
            pieces_made.append((span, len(places)))
            continue
        for first in range(0, len(places), budget):
            piece_tokens = places[first : first + budget]
            start, end = span.start + piece_tokens[0][0], min(span.start + piece_tokens[-1][1], span.end)
            if start < end:
                pieces_made.append((Span(start=start, end=end), len(piece_tokens)))
    return pieces_made


_CANDIDATES = 4
"""Sentences of a chunk that may be the quote: those with most words of the claim."""
_LEAST_ROOM = 16
"""Least room for a passage beside a claim, in tokens."""
_DIGITS = 4  # digits of a probability that are meant
_MAX_CHARACTERS = 80
"""Characters of a claim's sentence that a rationale shows."""


class _ModelInput(NamedTuple):
    """A sentence of a claim with a part of a passage, as model input."""

    claim: str
    chunk: PassageChunk
    input: Any


_PairInputs = tuple[list[list[_ModelInput]], bool]
"""For each sentence of a claim, the parts of the passage that it is checked against; whether there are more."""


class _SentenceResult(NamedTuple):
    """Result for one sentence of a claim."""

    claim: str
    probabilities: LabelProbabilities
    """Those of the decisive part of the passage."""
    chunk: PassageChunk
    """The decisive part."""
    torn: bool
    """Whether one part supports it and another contradicts it."""


class PublishedChecker:
    """A model in a folder with its format. Loaded when it is first needed; safe for several threads."""

    def __init__(self, name: str, folder: Path, form: ClassifierSpec) -> None:
        self.name = name
        """Name, revision and format."""
        self.folder, self.form = folder, form
        self._lock = Lock()
        self._network: Network | None = None

    @property
    def network(self) -> Network:
        """The loaded model. Raises UsageError when it can't be loaded."""
        with self._lock:
            if self._network is None:
                self._network = Network(self.folder, self.form)
            return self._network

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it reads; none for any."""
        return self.form.languages

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return one prediction per pair, in order.

        Raises BoundaryError when the model fails, UsageError when it can't be used.

        Confidences have four digits: further digits depend on the batch.
        """
        predictions: dict[ClaimPair, Prediction] = {}
        cases: dict[ClaimPair, _PairInputs] = {}
        chunked: dict[tuple[str, int], list[PassageChunk]] = {}
        for pair in dict.fromkeys(pairs):
            prepared = unread(pair, self.form.languages) or self._laid_out(pair, chunked)
            if isinstance(prepared, Prediction):
                predictions[pair] = prepared
            else:
                cases[pair] = prepared
        inputs = [each.input for groups, _ in cases.values() for group in groups for each in group]
        probabilities = iter(self._probabilities(inputs))
        deciding: dict[ClaimPair, _SentenceResult] = {}
        for pair, (groups, partly) in cases.items():
            results = [_decisive_chunk([(each, next(probabilities)) for each in group]) for group in groups]
            predictions[pair], deciding[pair] = self._ruled(results, partly=partly)
        for pair, quote in self._quotes(predictions, deciding).items():
            predictions[pair] = predictions[pair]._replace(quote=quote)
        return [predictions[pair] for pair in pairs]

    def _laid_out(
        self, pair: ClaimPair, chunked: dict[tuple[str, int], list[PassageChunk]]
    ) -> Prediction | _PairInputs:
        """Return the model inputs of a pair, or an abstention. `chunked` caches the chunks of passages."""
        network, cut = self.network, [span.of(pair.claim) for span in sentences(pair.claim)]
        # No model knows the tokens of an emoji.
        claims = [sentence for sentence in cut if has_words(sentence)] or [pair.claim]
        groups, partly = [], False
        for claim, length in zip(claims, map(len, network.pieces(claims)), strict=True):
            room = min(self.form.chunk, self.form.window - network.overhead - length)
            if room < _LEAST_ROOM:
                most = self.form.window - network.overhead - _LEAST_ROOM
                return abstention("too_long", f"the claim has {length:,} tokens, and this verifier reads {most:,}")
            key = (pair.passage, room)
            if key not in chunked:
                chunked[key] = chunks(pair.passage, room, network.pieces)
            read = _nearest_chunks(chunked[key], pair.passage, claim)
            partly = partly or len(read) < len(chunked[key])
            groups.append([model_input for chunk in read for model_input in self._fitting(claim, chunk, pair.passage)])
        return groups, partly

    def _fitting(self, claim: str, chunk: PassageChunk, passage: str) -> list[_ModelInput]:
        """Return the input for a chunk, or for its halves if it is too long after all."""
        encoded = self.network.encode(chunk.span.of(passage), claim)
        if len(encoded.ids) <= self.form.window or chunk.span.end - chunk.span.start < 2:
            return [_ModelInput(claim, chunk, encoded)]
        return [model_input for half in halves(chunk) for model_input in self._fitting(claim, half, passage)]

    def _probabilities(self, inputs: Sequence[Any]) -> list[LabelProbabilities]:
        """Compute the label probabilities of each input."""
        if not inputs:
            return []
        logits = self.network.logits(inputs).astype(np.float64)
        if self.form.kind == "score":
            chances = np.exp(-np.logaddexp(0.0, -logits[:, 0]))
            return [LabelProbabilities(round(float(chance), _DIGITS)) for chance in chances]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        if self.form.kind == "answers":
            return [LabelProbabilities(round(float(share[1]), _DIGITS)) for share in shares]
        return [self._by_label(share) for share in shares]

    def _by_label(self, shares: np.ndarray[Any, Any]) -> LabelProbabilities:
        all_labels: tuple[Label, ...] = ("supported", "contradicted", "not_enough_evidence")
        labels = all_labels[:1] if self.form.binary else all_labels
        named = list(zip(map(float, shares), self.form.labels, strict=True))
        return LabelProbabilities(
            *(round(sum(share for share, name in named if name == label), _DIGITS) for label in labels)
        )

    def _ruled(self, results: Sequence[_SentenceResult], *, partly: bool) -> tuple[Prediction, _SentenceResult]:
        """Return the prediction for a claim, which may be an abstention, and the sentence that decided it."""
        total = of_parts([result.probabilities for result in results])
        against = max(results, key=lambda result: result.probabilities.contradicted or 0.0)
        weakest = min(results, key=lambda result: result.probabilities.supported)
        options: list[tuple[Label, float, _SentenceResult]] = [("supported", total.supported, weakest)]
        if total.contradicted is None or total.not_enough is None:
            options.append(("not_supported", 1 - total.supported, weakest))
        else:
            options.append(("contradicted", total.contradicted, against))
            options.append(("not_enough_evidence", total.not_enough, weakest))
        label, confidence, result = max(options, key=lambda option: option[1])
        reason = _rationale(result.probabilities)
        if len(results) > 1:
            more = "…" if len(result.claim) > _MAX_CHARACTERS else ""
            reason = f"“{result.claim[:_MAX_CHARACTERS]}{more}”: {reason}"
        if any(each.torn for each in results):
            reason += "; one part of the passage supports it, another contradicts it"
            return abstention("unsure", reason, total), result
        if confidence < self.form.sure:
            return abstention("unsure", f"{reason}; too close to tell", total), result
        if partly and label not in ("supported", "contradicted"):
            reason += f"; of the long passage the {MOST_CHUNKS} nearest parts were read"
            return abstention("partly_read", reason, total), result
        return Prediction(label, round(confidence, _DIGITS), None, reason, total), result

    def _quotes(
        self, predictions: Mapping[ClaimPair, Prediction], deciding: Mapping[ClaimPair, _SentenceResult]
    ) -> dict[ClaimPair, Span]:
        """Return, for each settled pair, the sentence of the deciding part that supports its label most."""
        candidates = {
            pair: likeliest(result.chunk, pair.passage, result.claim, _CANDIDATES)
            for pair, result in deciding.items()
            if predictions[pair].label in ("supported", "contradicted")
        }
        unclear = [(pair, span) for pair, spans in candidates.items() if len(spans) > 1 for span in spans]
        inputs = [self.network.encode(span.of(pair.passage), deciding[pair].claim) for pair, span in unclear]
        strength: dict[tuple[ClaimPair, Span], float] = {}
        for (pair, span), estimate in zip(unclear, self._probabilities(inputs), strict=True):
            contradicts = predictions[pair].label == "contradicted"
            strength[pair, span] = (estimate.contradicted or 0.0) if contradicts else estimate.supported
        return {
            pair: max(spans, key=lambda span: strength.get((pair, span), 0.0)) for pair, spans in candidates.items()
        }


def _decisive_chunk(estimates: Sequence[tuple[_ModelInput, LabelProbabilities]]) -> _SentenceResult:
    """Choose the chunk of a passage that is most decisive for or against a sentence."""
    model_input, estimate = max(estimates, key=lambda pair: max(pair[1].supported, pair[1].contradicted or 0.0))
    most_for = max(other.supported for _, other in estimates)
    most_against = max(other.contradicted or 0.0 for _, other in estimates)
    return _SentenceResult(model_input.claim, estimate, model_input.chunk, most_for > 0.5 and most_against > 0.5)


def _rationale(probabilities: LabelProbabilities) -> str:
    """Return the probabilities in words."""
    if probabilities.contradicted is None or probabilities.not_enough is None:
        return f"chance of support {probabilities.supported:.2f}"
    for_, against, neither = probabilities.supported, probabilities.contradicted, probabilities.not_enough
    return f"support {for_:.2f}, contradiction {against:.2f}, neither {neither:.2f}"
