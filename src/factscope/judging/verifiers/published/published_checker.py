"""A published checker as a verifier: claims × passages → probabilities → labels, or an abstention with a reason.

claim → its sentences, of which the weakest decides ─┐
passage → chunks that fit, of which the most confident decides ─┴→ probabilities → label and quoted sentence

A binary checker says `supported` or `not_supported`: it does not distinguish silent from contradicting passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens
from factscope.core.labels import Label
from factscope.core.records import Span
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, abstention, of_parts
from factscope.judging.verifiers.published.model_spec import ClassifierSpec
from factscope.judging.verifiers.published.passage_chunks import ChunkedPassage, PassageChunk, chunks, halves, likeliest
from factscope.judging.verifiers.unsupported_input import MOST_CHUNKS, unsupported_reason

from .network import Network

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


class _PairInputs(NamedTuple):
    """A pair as model inputs."""

    groups: list[list[_ModelInput]]
    """For each sentence of the claim, the parts of the passage that it is checked against."""
    partly: bool
    """Whether further parts of the passage are left out."""


class _SentenceResult(NamedTuple):
    """Result for one sentence of a claim."""

    claim: str
    probabilities: LabelProbabilities
    """Those of the decisive part of the passage."""
    chunk: PassageChunk
    """The decisive part."""
    torn: bool
    """Whether one part supports it and another contradicts it."""


class _Ruling(NamedTuple):
    """A label, and the sentence of the claim that decided it."""

    label: Label
    confidence: float
    result: _SentenceResult
    rationale: str
    probabilities: LabelProbabilities


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
        chunked: dict[tuple[str, int], ChunkedPassage] = {}
        for pair in dict.fromkeys(pairs):
            withheld = unsupported_reason(pair, self.form.languages)
            prepared = abstention(*withheld) if withheld else self._laid_out(pair, chunked)
            if isinstance(prepared, Prediction):
                predictions[pair] = prepared
            else:
                cases[pair] = prepared
        probabilities = iter(
            self._probabilities(
                [model_input.input for case in cases.values() for group in case.groups for model_input in group]
            )
        )
        settled: dict[ClaimPair, _Ruling] = {}
        for pair, case in cases.items():
            results = [
                _decisive_chunk([(model_input, next(probabilities)) for model_input in group]) for group in case.groups
            ]
            ruling = self._ruled(results, partly=case.partly)
            if isinstance(ruling, Prediction):
                predictions[pair] = ruling
            else:
                settled[pair] = ruling
        quotes = self._quotes(settled)
        for pair, ruling in settled.items():
            predictions[pair] = Prediction(
                ruling.label, ruling.confidence, quotes.get(pair), ruling.rationale, ruling.probabilities
            )
        return [predictions[pair] for pair in pairs]

    def _laid_out(self, pair: ClaimPair, chunked: dict[tuple[str, int], ChunkedPassage]) -> Prediction | _PairInputs:
        """Return the model inputs of a pair, or an abstention. `chunked` caches the chunks of passages."""
        network, cut = self.network, [span.of(pair.claim) for span in sentences(pair.claim)]
        claims = [sentence for sentence in cut if tokens(sentence)] or [
            pair.claim
        ]  # no model knows the tokens of an emoji
        groups, partly = [], False
        for claim, length in zip(claims, map(len, network.pieces(claims)), strict=True):
            room = min(self.form.chunk, self.form.window - network.overhead - length)
            if room < _LEAST_ROOM:
                most = self.form.window - network.overhead - _LEAST_ROOM
                return abstention("too_long", f"the claim has {length:,} tokens, and this verifier reads {most:,}")
            key = (pair.passage, room)
            if key not in chunked:
                chunked[key] = ChunkedPassage(pair.passage, chunks(pair.passage, room, network.pieces))
            read = chunked[key].nearest(claim, MOST_CHUNKS)
            partly = partly or len(read) < len(chunked[key].chunks)
            groups.append([model_input for chunk in read for model_input in self._fitting(claim, chunk, pair.passage)])
        return _PairInputs(groups, partly)

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
            return [
                LabelProbabilities(round(float(np.exp(-np.logaddexp(0.0, -logit[0]))), _DIGITS)) for logit in logits
            ]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        if self.form.kind == "answers":
            return [LabelProbabilities(round(float(share[1]), _DIGITS)) for share in shares]
        return [self._by_label(share) for share in shares]

    def _by_label(self, shares: np.ndarray[Any, Any]) -> LabelProbabilities:
        def probability_of(label: Label) -> float:
            return round(
                sum(float(s) for s, name in zip(shares, self.form.labels, strict=True) if name == label), _DIGITS
            )

        if self.form.binary:
            return LabelProbabilities(probability_of("supported"))
        return LabelProbabilities(
            probability_of("supported"), probability_of("contradicted"), probability_of("not_enough_evidence")
        )

    def _ruled(self, results: Sequence[_SentenceResult], *, partly: bool) -> _Ruling | Prediction:
        """Return the label of a claim, or an abstention."""
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
        rationale = _rationale(result.probabilities)
        if len(results) > 1:
            rationale = (
                f"“{result.claim[:_MAX_CHARACTERS]}{'…' if len(result.claim) > _MAX_CHARACTERS else ''}”: {rationale}"
            )
        if any(result.torn for result in results):
            return abstention(
                "unsure", f"{rationale}; one part of the passage supports it, another contradicts it", total
            )
        if confidence < self.form.sure:
            return abstention("unsure", f"{rationale}; too close to tell", total)
        if partly and label not in ("supported", "contradicted"):
            return abstention(
                "partly_read", f"{rationale}; of the long passage the {MOST_CHUNKS} nearest parts were read", total
            )
        return _Ruling(label, round(confidence, _DIGITS), result, rationale, total)

    def _quotes(self, settled: dict[ClaimPair, _Ruling]) -> dict[ClaimPair, Span]:
        """Return, for each settled pair, the sentence of the deciding part that supports its label most."""
        inputs_by_pair = {
            pair: likeliest(ruling.result.chunk, pair.passage, ruling.result.claim, _CANDIDATES)
            for pair, ruling in settled.items()
            if ruling.label in ("supported", "contradicted")
        }
        unclear = [(pair, span) for pair, spans in inputs_by_pair.items() if len(spans) > 1 for span in spans]
        inputs = [self.network.encode(span.of(pair.passage), settled[pair].result.claim) for pair, span in unclear]
        strength: dict[tuple[ClaimPair, Span], float] = {}
        for key, estimate in zip(unclear, self._probabilities(inputs), strict=True):
            label = settled[key[0]].label
            strength[key] = (estimate.contradicted or 0.0) if label == "contradicted" else estimate.supported
        return {
            pair: max(spans, key=lambda span: strength.get((pair, span), 0.0)) for pair, spans in inputs_by_pair.items()
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
