"""Compared pairs → predictions: label, calibrated confidence, quoted sentence and a reason in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from factscope.core import Label
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.tree_model import LABELS, TreeModel, outcomes
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction, of_parts
from factscope.judging.verifiers.wording.alignment import MismatchNote, excerpt, in_words
from factscope.judging.verifiers.wording.features import GROUPS, NAMES, ClaimComparison, compare, read, read_claim
from factscope.judging.verifiers.wording.text_items import AnalysedText

_BATCH = 64  # comparisons at once; more do not run faster
_NOT_ENOUGH = LabelProbabilities(0.0, 0.0, 1.0)
"""Of a part without a word to compare."""
PLAIN_REASON: dict[Label, str] = {
    "supported": "the passage says the same in other words",
    "contradicted": "the passage says something that rules the claim out",
    "not_enough_evidence": "the passage does not settle it",
    "irrelevant": "the passage is about something else",
}
"""Rationales for labels without a matching note."""
_COLUMNS = {group: [NAMES.index(name) for name in names] for group, names in GROUPS.items()}


@dataclass(frozen=True)
class BuiltinVerifier:
    """Labels each claim against each passage by the stored model.

    Deterministic; the prediction for a pair does not depend on other pairs.
    """

    model: TreeModel

    @property
    def name(self) -> str:
        """Name and version of the model file."""
        return self.model.name

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return one prediction per pair, in order.

        The label is the likeliest of three outcomes: supported, contradicted by a sign that can be named, or nothing
        settled. The last has two names, `not_enough_evidence` and `irrelevant`, of which the likelier is given; its
        confidence is the probability that nothing is settled. `quote` is the sentence that the claim was compared with
        most closely, also for `not_enough_evidence`; it is None for `irrelevant`. Without a word to compare on either
        side the label is `irrelevant`, with confidence 1. A long claim is judged part by part: contradicted when one
        part is, supported when all are. The rationale then begins with the part that decides. Never raises
        BoundaryError: nothing outside is called.
        """
        claims = {text: read_claim(text, self.model.weights) for text in {pair.claim for pair in pairs}}
        predictions = self._predictions(
            compare(claim_text, passage)
            for pair in pairs
            for passage in (read(pair.passage, self.model.weights),)
            for claim_text in claims[pair.claim]
        )
        return [join_parts(claims[pair.claim], list(islice(predictions, len(claims[pair.claim])))) for pair in pairs]

    def _predictions(self, compared: Iterator[ClaimComparison]) -> Iterator[Prediction]:
        while batch := list(islice(compared, _BATCH)):
            yield from self._judge(batch)

    def _judge(self, compared: list[ClaimComparison]) -> list[Prediction]:
        probabilities = grouped(self.model, compared)
        likely = outcomes(probabilities[0], np.array([comparison.values for comparison in compared]))
        predictions = []
        for at, comparison in enumerate(compared):
            if comparison.sentence is None:
                predictions.append(no_words(comparison))
                continue
            best = int(likely[at].argmax())
            label = LABELS[best] if best < 2 else LABELS[2 + int(probabilities[0, at, 2:].argmax())]
            quote = None if label == "irrelevant" else comparison.sentence
            predictions.append(
                Prediction(
                    label,
                    round(float(likely[at, best]), 4),
                    quote,
                    reason(label, comparison, quote, probabilities[:, at]) or PLAIN_REASON[label],
                    LabelProbabilities(*(float(chance) for chance in likely[at])),
                )
            )
        return predictions


def grouped(model: TreeModel, compared: Sequence[ClaimComparison]) -> NDArray[np.float64]:
    """Return probabilities from all features, then without each group of `GROUPS`: (1 + groups) × comparisons × labels.

    Leaving out a group means setting it to its typical values.
    """
    values = np.array([comparison.values for comparison in compared], dtype=np.float64)
    blocks = [values]
    for columns in _COLUMNS.values():
        without = values.copy()
        without[:, columns] = model.typical[columns]
        blocks.append(without)
    return model.probabilities(np.concatenate(blocks)).reshape(len(blocks), len(compared), len(LABELS))


def no_words(comparison: ClaimComparison) -> Prediction:
    """Return the prediction for a claim or passage without words to compare."""
    return Prediction("irrelevant", 1.0, None, comparison.notes[0].text)


def join_parts(analysed_texts: Sequence[AnalysedText], predictions: Sequence[Prediction]) -> Prediction:
    """Combine the predictions for the parts of a claim: the weakest part decides.

    The most confident contradiction decides, otherwise the part most confidently not settled, otherwise the least
    confident support.
    """
    if len(analysed_texts) == 1:
        return predictions[0]
    against = [at for at, prediction in enumerate(predictions) if prediction.label == "contradicted"]
    unsettled = [at for at, prediction in enumerate(predictions) if prediction.label != "supported"]
    label: Label
    if against or unsettled:
        at = max(against or unsettled, key=lambda at: predictions[at].confidence or 0.0)
        irrelevant = all(prediction.label == "irrelevant" for prediction in predictions)
        label = "contradicted" if against else "irrelevant" if irrelevant else "not_enough_evidence"
    else:
        at = min(range(len(predictions)), key=lambda at: predictions[at].confidence or 0.0)
        label = "supported"
    ((stretch,), decisive) = analysed_texts[at].stretches, predictions[at]
    words = excerpt(analysed_texts[at].text, stretch.start, stretch.end)
    probabilities = of_parts([prediction.probabilities or _NOT_ENOUGH for prediction in predictions])
    return Prediction(label, decisive.confidence, decisive.quote, f"“{words}”: {decisive.rationale}", probabilities)


def fitting_notes(label: Label, comparison: ClaimComparison, quote: Span | None) -> list[MismatchNote]:
    """Return the notes that may explain a label.

    Those about one sentence count only where a reader sees it, and what a passage lacks or leaves open contradicts
    nothing.
    """
    return [
        note
        for note in comparison.notes
        if note.agrees == (label == "supported")
        and (quote == comparison.sentence or not note.of_sentence)
        and (label != "contradicted" or (note.of_sentence and note.group != "hedges"))
    ]


def reason(label: Label, comparison: ClaimComparison, quote: Span | None, probabilities: NDArray[np.float64]) -> str:
    """Return the notes that go with the label, first those whose features raised its probability most.

    `probabilities` are those of one comparison from `grouped`.
    """
    mass = probabilities[:, LABELS.index(label)] if label in LABELS[:2] else probabilities[:, 2:].sum(axis=1)
    spoke = dict(zip(_COLUMNS, (mass[0] - mass[1:]).tolist(), strict=True))
    fitting = fitting_notes(label, comparison, quote)
    fitting.sort(key=lambda note: -spoke[note.group])
    return in_words(list(dict.fromkeys(note.text for note in fitting[:3])))
