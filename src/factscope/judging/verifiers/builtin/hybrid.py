"""The built-in verifier: features that a person can check, word overlap, and a small cross-encoder, in one sum."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens
from factscope.core.labels import Label
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.analysis import Weights, analyse
from factscope.judging.verifiers.builtin.cross_encoder import Texts, logits
from factscope.judging.verifiers.builtin.features import NAMES, Comparison, Read, closest, compare, pieces_of, read
from factscope.judging.verifiers.builtin.prediction import grouped, nothing, reason, together
from factscope.judging.verifiers.builtin.tree_model import LABELS, Model, outcomes
from factscope.judging.verifiers.builtin.verbatim import Match, find_number_change, find_statement
from factscope.judging.verifiers.builtin.windows import MOST, Chunk, chunks, worth_reading
from factscope.judging.verifiers.protocol import Chances, Opinion, Pair, abstention
from factscope.judging.verifiers.unsupported_input import MOST_CHUNKS, other_language, unread

FILE = "hybrid.json"
NEAR = 0.2
"""Share of the claim's words, weighted by rarity, that a passage must hold to contradict it. In use most passages are
about something else: perf/README.md, "From search to verdict"."""
SURE = 0.5
"""Chance that an outcome needs; where none has it, the verifier abstains."""
CERTAIN = 0.98
"""Probability of a label that a rule gives: on the families of the training data 53 of 53 such labels were right."""
SHORT = 4
"""A sentence of a claim with fewer words is judged with the one before it."""
_ROUND = 64
"""Comparisons at a time, so that memory stays bounded."""
LANGUAGES = ("en",)
"""What the encoder reads."""
_PLAIN: dict[Label, str] = {
    "supported": "read together, the passage says the same",
    "contradicted": "read together, the passage says otherwise",
    "not_enough_evidence": "read together, the passage does not settle it",
    "irrelevant": "no clear sign either way",
}
"""Reasons where no note goes with the label: the encoder alone decided."""


@dataclass(frozen=True)
class Mixture:
    """Weights of two sums over what the parts say; their logistic functions are the chances."""

    name: str
    """Name and version."""
    supported: Mapping[str, float]
    """For the chance that the passage supports the claim."""
    contradicted: Mapping[str, float]
    """For the chance that it contradicts the claim, when it does not support it."""
    figures: Mapping[str, Any]
    """What was measured."""


def read_mixture() -> Mixture:
    """The mixture in the package."""
    return Mixture(**json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8")))


@dataclass(frozen=True)
class HybridVerifier:
    """Labels each claim against each passage.

    Deterministic; a pair's opinion does not depend on the pairs around it.
    """

    model: Model
    mixture: Mixture

    @property
    def name(self) -> str:
        """Name and version of the mixture file."""
        return self.mixture.name

    def verify(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """One opinion per pair, in order.

        Each sentence of a claim is judged by itself: the claim is contradicted when one is, supported when all are;
        with several, the rationale begins with the one that decides. A passage is read in chunks, and what supports or
        contradicts most in one of them counts. `quote` is the sentence of that chunk that the claim is closest to; it
        is None for `irrelevant`. It abstains without a word to compare on either side; in another language than its
        own, though its chances are given, by the features alone; where nothing is settled by the chunks that were
        read of a very long passage; and where no outcome is likely enough.
        Never raises BoundaryError: nothing outside is called.
        """
        claims = {text: read_sentences(text, self.model.weights) for text in {pair.claim for pair in pairs}}
        laid = ((part, pair) for pair in pairs for part in claims[pair.claim])
        opinions: list[Opinion] = []
        long: set[str] = set()
        while batch := list(islice(laid, _ROUND)):
            passages = {text: read(text, self.model.weights) for text in {pair.passage for _, pair in batch}}
            long |= {text for text, known in passages.items() if _is_long(known)}
            opinions += self._judge([(part, passages[pair.passage]) for part, pair in batch])
        rest = iter(opinions)
        whole = [together(claims[pair.claim], list(islice(rest, len(claims[pair.claim])))) for pair in pairs]
        return [_answer(pair, one, partly=pair.passage in long) for pair, one in zip(pairs, whole, strict=True)]

    def _judge(self, laid: list[tuple[Read, Read]]) -> list[Opinion]:
        compared = [compare(part, passage) for part, passage in laid]
        chances = grouped(self.model, compared)
        found = [to_read(*pair, comparison) for pair, comparison in zip(laid, compared, strict=True)]
        texts = [
            Texts(text_of(part), chunk.of(passage))
            for (part, passage), these in zip(laid, found, strict=True)
            for chunk in these
        ]
        scores = iter(logits(texts))
        return [
            self._opinion(
                *pair, compared[at], chances[:, at], found[at], np.array(list(islice(scores, len(found[at]))))
            )
            for at, pair in enumerate(laid)
        ]

    def _opinion(
        self,
        part: Read,
        passage: Read,
        comparison: Comparison,
        chances: NDArray[np.float64],
        found: list[Chunk],
        scores: NDArray[np.float64],
    ) -> Opinion:
        """The opinion on one part from the feature model (groups × labels) and the encoder (chunks × 3).

        The feature model's probabilities put the reasons in order; in the sum they gained nothing on sets left out of
        training. They decide alone where the encoder read nothing.
        """
        if comparison.sentence is None:
            return nothing(comparison)
        claim = text_of(part)
        if match := find_statement(claim, passage.text):
            return _by_rule("supported", match, "the passage states it word for word")
        if match := find_number_change(claim, passage.text):
            return _by_rule("contradicted", match, f"says {match.passage_word}, not {match.claim_word}")
        if found:
            likely = mixed(self.mixture, heard(comparison, scores))
        else:
            likely = outcomes(chances[:1], np.array([comparison.values]))[0]
        label: Label = LABELS[2 + int(chances[0, 2:].argmax())]
        sentence = comparison.sentence
        if likely[0] >= SURE:
            label = "supported"
            sentence = _within(part, passage, sentence, found, supports(scores))
        elif likely[1] >= SURE:
            label = "contradicted"
            sentence = _within(part, passage, sentence, found, contradicts(scores))
        return Opinion(
            label,
            round(float(likely[min(LABELS.index(label), 2)]), 4),
            None if label == "irrelevant" else sentence,
            reason(label, comparison, chances) or _PLAIN[label],
            Chances(*(float(chance) for chance in likely)),
        )


def _by_rule(label: Label, match: Match, why: str) -> Opinion:
    likely = Chances(CERTAIN, 0.0, 1.0 - CERTAIN) if label == "supported" else Chances(0.0, CERTAIN, 1.0 - CERTAIN)
    return Opinion(label, CERTAIN, match.sentence, why, likely)


def _is_long(passage: Read) -> bool:
    return len(passage.stretches) > MOST_CHUNKS and len(chunks(passage)) > MOST_CHUNKS


def _answer(pair: Pair, opinion: Opinion, *, partly: bool) -> Opinion:
    """The opinion, or an abstention where it would be a guess."""
    if withheld := unread(pair, LANGUAGES):
        known = opinion.chances if withheld.flag == "other_language" else None
        return abstention(*withheld, known, opinion.quote if known else None)
    if opinion.chances is None:
        return abstention("nothing_to_read", opinion.rationale)
    if partly and opinion.label not in ("supported", "contradicted"):
        why = f"{opinion.rationale}; of the long passage the {MOST} nearest parts were read"
        return abstention("partly_read", why, opinion.chances, opinion.quote)
    if opinion.label not in ("supported", "contradicted") and (opinion.chances.not_enough or 0.0) < SURE:
        return abstention("unsure", f"{opinion.rationale}; too close to tell", opinion.chances, opinion.quote)
    return opinion


def read_sentences(text: str, weights: Weights) -> tuple[Read, ...]:
    """Analyse a claim sentence by sentence; a very short one goes with the one before it, an overlong one in parts."""
    spans: list[Span] = []
    for span in sentences(text):
        if spans and len(tokens(span.of(text))) < SHORT:
            spans[-1] = Span(start=spans[-1].start, end=span.end)
        else:
            spans.append(span)
    edges = [piece for span in spans for piece in pieces_of(text, span)]
    parts = [part for start, end in edges or [(0, len(text))] for part in analyse(text, start, end, weights)]
    return tuple(Read(text, (part,)) for part in [part for part in parts if part.items] or parts[:1])


def heard(comparison: Comparison, scores: NDArray[np.float64]) -> dict[str, float]:
    """What is said of one comparison, by the names in the mixture; `scores` are the encoder's, chunks × 3."""
    values = dict(zip(NAMES, comparison.values, strict=True))
    return {
        "encoder_support": float(supports(scores).max()),
        "encoder_against": float(contradicts(scores).max()),
        "overlap": values["cover_window"],
        "overlap_by_length": values["cover_window"] * values["claim_length"],  # of a long claim, words found say more
        "numbers_missing": values["number_missing"],
        "numbers_differ": values["number_conflict"],
    }


def supports(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds of supported against the rest, from logits, chunks × 3."""
    scores = scores.reshape(-1, 3)
    return np.asarray(scores[:, 0] - np.logaddexp(scores[:, 1], scores[:, 2]))


def contradicts(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds of contradicted against not enough, from logits, chunks × 3."""
    scores = scores.reshape(-1, 3)
    return np.asarray(scores[:, 1] - scores[:, 2])


def mixed(mixture: Mixture, said: Mapping[str, float]) -> NDArray[np.float64]:
    """Chances of supported, contradicted and nothing settled; see `NEAR` for what contradicts nothing."""
    supported = _logistic(mixture.supported, said)
    against = _logistic(mixture.contradicted, said) if said["overlap"] >= NEAR else 0.0
    contradicted = (1.0 - supported) * against
    return np.array([supported, contradicted, 1.0 - supported - contradicted])


def to_read(part: Read, passage: Read, comparison: Comparison) -> list[Chunk]:
    """The chunks for the encoder; none where there are no words, or words of a language that it does not read."""
    if comparison.sentence is None or any(other_language(text, LANGUAGES) for text in (part.text, passage.text)):
        return []
    return worth_reading(part.stretches[0], passage, chunks(passage))


def _logistic(weights: Mapping[str, float], said: Mapping[str, float]) -> float:
    total = weights["bias"] + sum(weight * said[name] for name, weight in weights.items() if name != "bias")
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


def text_of(part: Read) -> str:
    """The claim's sentence."""
    (stretch,) = part.stretches
    return part.text[stretch.start : stretch.end]


def _within(part: Read, passage: Read, sentence: Span, found: list[Chunk], said: NDArray[np.float64]) -> Span:
    """The sentence if it is in the chunk of which most was said, else the one of that chunk that is closest."""
    if not found:
        return sentence
    chunk = found[int(said.argmax())]
    inside = passage.stretches[chunk.low : chunk.high]
    if any(stretch.start == sentence.start for stretch in inside) or not any(stretch.items for stretch in inside):
        return sentence
    best = inside[closest(part.stretches[0], inside)]
    return Span(start=best.start, end=best.end)
