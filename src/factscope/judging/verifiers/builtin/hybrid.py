"""The built-in verifier: rules for plain cases, then a weighted sum of a cross-encoder's log-odds and the features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from factscope.claims.statements import statements
from factscope.claims.text.struck import without_struck
from factscope.core import Label
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.contradiction_trees import ContradictionTrees, tree_inputs, with_trees
from factscope.judging.verifiers.builtin.cross_encoder import CrossEncoder
from factscope.judging.verifiers.builtin.mixture import (
    Mixture,
    contradicts,
    mix,
    mixture_inputs,
    pooled,
    supports,
    without_contradiction,
)
from factscope.judging.verifiers.builtin.prediction import PLAIN_REASON, fitting_notes, join_parts, no_words
from factscope.judging.verifiers.builtin.reading import LANGUAGES, OPEN, Floats, Reading, read_logits, to_read
from factscope.judging.verifiers.builtin.replacements import contradicted_by, replacements, supported
from factscope.judging.verifiers.builtin.telling_sentence import with_telling_sentences
from factscope.judging.verifiers.notations.notation import WrittenAlike, write_alike
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, abstention
from factscope.judging.verifiers.rules.accusations import EVEN, RELATED, WEAK, states_nothing
from factscope.judging.verifiers.rules.deciding_sentence import deciding_sentence, rival_sentence, with_details
from factscope.judging.verifiers.rules.denial_claims import affirmed, turned
from factscope.judging.verifiers.rules.rules import VERBATIM, apply_rules, is_ruled, may_decide
from factscope.judging.verifiers.rules.vetoes import may_not_contradict, may_support
from factscope.judging.verifiers.unsupported_input import MOST_CHUNKS, unread
from factscope.judging.verifiers.wording.alignment import in_words
from factscope.judging.verifiers.wording.claim_sentences import (
    LONGEST,
    longest_sentence,
    read_sentences,
    text_of,
)
from factscope.judging.verifiers.wording.clauses import claim_parts, with_subject
from factscope.judging.verifiers.wording.features import NAMES, ClaimComparison, compare, read
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import AnalysedText, WordWeights
from factscope.judging.verifiers.wording.windows import MOST, SentenceChunk, chunks

LIKELY = 0.42
"""Probability that a label needs; when no label reaches it, the verifier abstains."""
PLAIN = 0.8
"""Probability from which the small network's support counts even then: 12 of the 15 of our own pairs that
this lets through are supported, and 99 of 143 of two other writers; in fifteen texts 4 more true sentences are called
supported, and 2 more errors."""
SURE_PART = 0.65
"""Confidence that the support of each clause of a claim needs to support it as a whole, or the contradiction of one."""
SURE_STATEMENT = 0.8
"""Confidence of the contradiction of a simpler statement that makes the claim contradicted."""
UNLIKELY = 0.5
"""Probability of a contradiction above which an open claim is not tried clause by clause."""
_BATCH = 64
"""Comparisons at a time, so that memory stays bounded."""
_ALSO = re.compile(r"also has (.+?)(?=, and|$)")
_NOTES_SHOWN = 2
"""Most reasons in a rationale, so that people read them."""


@dataclass(frozen=True)
class HybridVerifier:
    """Labels each claim against each passage.

    Deterministic; the label of a pair does not depend on the pairs around it.
    """

    weights: WordWeights
    """Weight of each word, by its rarity."""
    mixture: Mixture
    trees: ContradictionTrees
    encoder: CrossEncoder
    open_from: float = OPEN
    """Probability of not enough evidence, by the closest sentence alone, from which the chunks are not read."""
    plain_from: float = PLAIN
    """Probability from which the network's support counts even where many words of the claim are missing."""
    second: HybridVerifier | None = None
    """Another verifier that reads the same texts, and whose probabilities are pooled with its own."""

    @property
    def name(self) -> str:
        """Name and version of the mixture file."""
        return self.mixture.name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it reads."""
        return LANGUAGES

    @property
    def _readers(self) -> list[HybridVerifier]:
        return [self, self.second] if self.second else [self]

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return one prediction per pair, in order.

        Each sentence of a claim is judged by itself: the claim is contradicted when one is, supported when all are;
        with several, the rationale begins with the one that decides. A sentence that the passage states word for word
        is supported. Otherwise the passage is read in chunks, and the chunk that supports or contradicts most counts.
        `quote` is the sentence of that chunk that is closest to the claim; it is None for `irrelevant`. It abstains
        without a word to compare on either side; in another language than its own; where a sentence of the claim is
        longer than `LONGEST`; where a very long passage was read in part and nothing was settled; and where no label is
        likely enough. Never raises BoundaryError: it calls no service.
        """
        lengths = {claim: longest_sentence(claim) for claim in {pair.claim for pair in pairs}}
        too_long = {claim for claim, words in lengths.items() if words > LONGEST}
        alike = [WrittenAlike(pair) if pair.claim in too_long else write_alike(pair) for pair in pairs]
        readable = {written.pair.claim for written in alike} - too_long
        claims = {text: read_sentences(text, self.weights) for text in readable}
        sides = ((sentence, written.pair) for written in alike for sentence in claims.get(written.pair.claim, ()))
        predictions: list[Prediction] = []
        long: set[str] = set()
        while batch := list(islice(sides, _BATCH)):
            passages = {text: read(without_struck(text), self.weights) for text in {pair.passage for _, pair in batch}}
            long |= {text for text, passage in passages.items() if _is_long(passage)}
            pairs_read = [
                SentencePair(affirmed(sentence, self.weights), passages[pair.passage], self.weights)
                for sentence, pair in batch
            ]
            judged = self._with_statements(pairs_read, self._with_parts(pairs_read, self._read(pairs_read)))
            predictions += [
                prediction if pair.claim is sentence else turned(prediction)
                for (sentence, _), pair, prediction in zip(batch, pairs_read, judged, strict=True)
            ]
        prediction_iterator = iter(predictions)
        return [
            _answer(
                written,
                join_parts(analysed, list(islice(prediction_iterator, len(analysed)))),
                partly=written.pair.passage in long,
            )
            if (analysed := claims.get(written.pair.claim))
            else abstention(
                "too_long",
                f"a sentence of the claim has {lengths[written.pair.claim]:,} words; {LONGEST} are read",
            )
            for written in alike
        ]

    def _read(self, pairs: Sequence[SentencePair], *, are_clauses: bool = False) -> list[Prediction]:
        """Return the predictions for sentences of claims, each as a whole, or for clauses of them.

        Clauses are read without the trees, which are fitted on whole claims.
        """
        compared = [compare(pair.claim, pair.passage) for pair in pairs]
        rules = [
            apply_rules(pair) if comparison.sentence is not None and may_decide(pair, _covered(comparison)) else None
            for pair, comparison in zip(pairs, compared, strict=True)
        ]
        chunks_read = [
            [] if rule else to_read(pair.claim, pair.passage, comparison)
            for pair, comparison, rule in zip(pairs, compared, rules, strict=True)
        ]
        readings = [
            Reading(
                pair.text,
                with_subject(pair.claim, pair.passage, comparison.sentence, self.weights),
                tuple(chunk.of(pair.passage) for chunk in these),
            )
            for pair, comparison, these in zip(pairs, compared, chunks_read, strict=True)
            if comparison.sentence is not None and these
        ]
        logits = zip(
            *(read_logits(reader.encoder, readings, reader.open_from) for reader in self._readers), strict=True
        )
        predictions = [
            rule
            or (self._predict(pair, comparison, these, next(logits), are_clauses) if these else no_words(comparison))
            for pair, comparison, rule, these in zip(pairs, compared, rules, chunks_read, strict=True)
        ]
        return with_telling_sentences(self.encoder, pairs, self._with_replacements(pairs, predictions))

    def _with_parts(self, pairs: Sequence[SentencePair], predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return the predictions, those of open claims as the passage settles their clauses.

        The clauses of a claim often stand in different sentences, none of which supports it alone. A claim is
        contradicted where one of its clauses is.
        """
        parts = [
            [replace(pair, claim=part) for part in claim_parts(pair.claim, self.weights)]
            if _is_open(prediction)
            else []
            for pair, prediction in zip(pairs, predictions, strict=True)
        ]
        judged = iter(self._read([part for these in parts for part in these], are_clauses=True))
        return [
            _by_parts(prediction, [part.claim for part in these], list(islice(judged, len(these))))
            if these
            else prediction
            for these, prediction in zip(parts, predictions, strict=True)
        ]

    def _with_statements(self, pairs: Sequence[SentencePair], predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return the predictions, made contradicted where the passage contradicts a simpler statement of the claim."""
        simpler = [
            [read_sentences(text, self.weights)[0] for text in statements(pair.text)]
            if _may_be_false(prediction)
            else []
            for pair, prediction in zip(pairs, predictions, strict=True)
        ]
        judged = iter(
            self._read(
                [replace(pair, claim=each) for pair, these in zip(pairs, simpler, strict=True) for each in these]
            )
        )
        return [
            _by_statements(prediction, these, list(islice(judged, len(these)))) if these else prediction
            for prediction, these in zip(predictions, simpler, strict=True)
        ]

    def _with_replacements(self, pairs: Sequence[SentencePair], predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return the predictions, made contradicted where the passage supports the claim with a replacement in it."""
        tried = [
            replacements(pair.claim, pair.passage, prediction.quote)
            if not is_ruled(prediction) and prediction.quote
            else []
            for pair, prediction in zip(pairs, predictions, strict=True)
        ]
        instead = supported(self.encoder, pairs, tried)
        return [
            contradicted_by(*best) if best else prediction
            for best, prediction in zip(instead, predictions, strict=True)
        ]

    def _predict(
        self,
        pair: SentencePair,
        comparison: ClaimComparison,
        read_chunks: list[SentenceChunk],
        all_scores: Sequence[Floats],
        is_clause: bool,
    ) -> Prediction:
        """Return the prediction for one sentence of a claim; scores (× 3, of each network) as for `mixture_inputs`."""
        assert comparison.sentence is not None  # otherwise no chunk would have been read
        sentence, passage, scores = pair.claim, pair.passage, all_scores[0]
        all_inputs = [mixture_inputs(sentence, comparison, these) for these in all_scores]
        inputs = all_inputs[0]
        sums = [mix(reader.mixture, row) for reader, row in zip(self._readers, all_inputs, strict=True)]
        probabilities = pooled(*sums) if self.second else sums[0]
        if not is_clause:
            probabilities = with_trees(probabilities, self.trees.probability(tree_inputs(pair.text, all_inputs)))
        if may_not_contradict(pair, inputs):
            probabilities = without_contradiction(probabilities)
        label: Label
        confidence = float(probabilities[2])
        if probabilities[1] >= EVEN:
            label, confidence = "contradicted", float(probabilities[1])
            quote = deciding_sentence(sentence, passage, comparison.sentence, read_chunks, contradicts(scores[:-1]))
            if states_nothing(quote.of(passage.text)):
                confidence = min(confidence, WEAK)
        elif probabilities[0] >= max(LIKELY, *probabilities[1:]) and may_support(
            pair, inputs, is_plain=bool(probabilities[0] >= self.plain_from)
        ):
            label, confidence = "supported", float(probabilities[0])
            nearest_details = with_details(sentence, passage, comparison.sentence)
            quote = deciding_sentence(sentence, passage, nearest_details, read_chunks, supports(scores[:-1]))
        else:
            label = "not_enough_evidence" if _covered(comparison) >= RELATED else "irrelevant"
            quote = comparison.sentence
        quoted = None if label == "irrelevant" else quote
        reason = rationale(label, comparison, quoted)
        if label == "contradicted" and reason == PLAIN_REASON[label]:
            quoted, reason = rival_sentence(sentence, passage, quote) or (quoted, reason)
        return Prediction(
            label,
            round(confidence, 4),
            quoted,
            reason,
            LabelProbabilities(*(float(probability) for probability in probabilities)),
        )


def _is_open(prediction: Prediction) -> bool:
    likely = prediction.probabilities
    is_open = prediction.label == "not_enough_evidence" and not is_ruled(prediction)
    return is_open and likely is not None and (likely.contradicted or 0) < UNLIKELY


def _by_parts(prediction: Prediction, parts: Sequence[AnalysedText], judged: Sequence[Prediction]) -> Prediction:
    whole = join_parts(parts, judged)
    is_settled = whole.label in ("supported", "contradicted") and (whole.confidence or 0.0) >= SURE_PART
    return whole if is_settled else prediction


def _may_be_false(prediction: Prediction) -> bool:
    """Tell whether the network supports a claim, or neither contradicts it nor leaves it open without any doubt."""
    likely = prediction.probabilities
    if is_ruled(prediction) or prediction.label == "irrelevant" or not likely or (likely.not_enough or 0.0) >= OPEN:
        return False
    return prediction.label != "contradicted" or (prediction.confidence or 0.0) < SURE_STATEMENT


def _by_statements(prediction: Prediction, simpler: Sequence[AnalysedText], judged: Sequence[Prediction]) -> Prediction:
    false = [(each.confidence or 0.0, at) for at, each in enumerate(judged) if each.label == "contradicted"]
    confidence, at = max(false, default=(0.0, 0))
    if confidence < SURE_STATEMENT:
        return prediction
    return judged[at]._replace(rationale=f"“{text_of(simpler[at]).rstrip('.')}”: {judged[at].rationale}")


def _is_long(passage: AnalysedText) -> bool:
    return len(passage.stretches) > MOST_CHUNKS and len(chunks(passage)) > MOST_CHUNKS


def _answer(written: WrittenAlike, prediction: Prediction, *, partly: bool) -> Prediction:
    """Return the prediction with its quote in the original passage, or an abstention where it would be a guess."""
    if abstains := unread(written.pair, LANGUAGES):
        return abstains
    if prediction.quote:
        prediction = prediction._replace(quote=written.original(prediction.quote))
    if written.changed:
        prediction = prediction._replace(rationale=_in_another_notation(prediction.rationale, written))
    if prediction.probabilities is None:
        return abstention("nothing_to_read", prediction.rationale)
    if prediction.label in ("supported", "contradicted"):
        return prediction
    if partly:
        reason = f"{prediction.rationale}; only the {MOST} nearest parts of the long passage were read"
        return abstention("partly_read", reason, prediction.probabilities, prediction.quote)
    if (prediction.probabilities.not_enough or 0.0) < LIKELY:
        return abstention(
            "unsure", f"{prediction.rationale}; too close to call", prediction.probabilities, prediction.quote
        )
    return prediction


def _in_another_notation(reason: str, written: WrittenAlike) -> str:
    """Return a reason with the claim's own words, that says where the passage has something in another notation."""
    for words, own in written.claim_words:
        pattern = rf"(?:(?<=\bnot )|(?<=\bnot have )|(?<=the claim says )){re.escape(words)}(?!\w)"
        reason = re.sub(pattern, own.replace("\\", ""), reason)
    edited = [edit.words for edit in written.edits]
    reason = reason.replace(VERBATIM, "the passage states it in another notation")
    return _ALSO.sub(
        lambda also: (
            f"has {also[1]} in another notation"
            if any(words.strip().startswith(also[1]) for words in edited)
            else also[0]
        ),
        reason,
    )


def rationale(label: Label, comparison: ClaimComparison, quote: Span | None) -> str:
    """Return the notes that explain the label, the most important first."""
    fitting = fitting_notes(label, comparison, quote)
    fitting.sort(key=lambda note: _TELLING.index(note.group) if note.group in _TELLING else len(_TELLING))
    leading_notes = list(dict.fromkeys(note.text for note in fitting))[:_NOTES_SHOWN]
    return in_words(leading_notes) or PLAIN_REASON[label]


_TELLING = ("numbers", "names", "negation", "opposites", "degree", "hedges", "words")
"""Groups of notes, the most important first: a differing number explains more than a missing word."""


def _covered(comparison: ClaimComparison) -> float:
    return comparison.values[NAMES.index("cover_all")]
