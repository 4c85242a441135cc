"""The interface of verifiers: judges that label one claim against one passage without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple, Protocol, get_args

from factscope.core import BoundaryError, FactscopeError, Label, many
from factscope.core.records import JudgementFlag, Span


class ClaimPair(NamedTuple):
    """A claim and the passage that it is checked against."""

    claim: str
    passage: str


class LabelProbabilities(NamedTuple):
    """Probabilities of the outcomes by a verifier, 0 to 1; None where it does not distinguish two of them."""

    supported: float
    contradicted: float | None = None
    not_enough: float | None = None


class Prediction(NamedTuple):
    """A verifier's prediction for one pair."""

    label: Label
    confidence: float | None
    """Probability of `label` according to the verifier, 0 to 1; None when it abstains."""
    quote: Span | None
    """The sentence of the passage that the label rests on, as offsets into the passage."""
    rationale: str
    """One line with the reason for the label, for a person."""
    probabilities: LabelProbabilities | None = None
    """Probabilities that the label was chosen from; None when there was nothing to read."""
    flags: tuple[JudgementFlag, ...] = ()
    """Reason why it abstains."""


class Verifier(Protocol):
    """Anything that can label pairs. `verify` returns one prediction per pair, in the same order."""

    @property
    def name(self) -> str:
        """Name and version, such as `builtin-1`; part of every score's signature."""

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Label each pair; safe to call from several threads.

        Raises BoundaryError when it fails, and UsageError when it can never work.
        """


def first_reader(verifier: Verifier) -> Verifier:
    """Return the faster verifier that a verifier asks first, its `small`; itself if it asks none."""
    reader: Verifier | None = getattr(verifier, "small", None)  # of users' own, it may be something else
    return reader if reader is not None and hasattr(reader, "verify") else verifier


def verified(verifier: Verifier, pairs: Sequence[ClaimPair]) -> list[Prediction]:
    """Return a verifier's predictions, one for each pair.

    Raises BoundaryError when it fails or its predictions are not usable, and its own UsageError.
    """
    try:
        predictions = list(verifier.verify(pairs))
    except FactscopeError:
        raise
    except Exception as error:
        raise BoundaryError("model", f"{verifier.name} failed: {type(error).__name__}: {error}".rstrip(": ")) from error
    if len(predictions) != len(pairs):
        opinions = many(len(predictions), "opinion")
        raise BoundaryError("model", f"{verifier.name} gave {opinions} on {many(len(pairs), 'pair')}")
    for prediction in predictions:
        if not isinstance(prediction, Prediction):
            raise BoundaryError("model", f"{verifier.name} gave {prediction!r:.40}, which is not a Prediction")
        if prediction.label not in get_args(Label):
            raise BoundaryError("model", f"{verifier.name} gave the label {prediction.label!r:.40}, which is unknown")
        confidence = prediction.confidence
        if confidence is not None and not (isinstance(confidence, Real) and 0 <= confidence <= 1):
            raise BoundaryError("model", f"{verifier.name} gave the confidence {confidence!r:.40}, not 0 to 1")
    return predictions


def of_parts(probabilities: Sequence[LabelProbabilities]) -> LabelProbabilities:
    """Return the probabilities of a claim from those of its parts, at least one.

    A claim is no better supported than its weakest part, and contradicted as soon as one part is.
    """
    supported = min(estimate.supported for estimate in probabilities)
    if any(estimate.contradicted is None for estimate in probabilities):
        return LabelProbabilities(supported)
    contradicted = min(max(estimate.contradicted or 0.0 for estimate in probabilities), 1.0 - supported)
    return LabelProbabilities(supported, contradicted, 1.0 - supported - contradicted)


def abstention(
    flag: JudgementFlag, reason: str, probabilities: LabelProbabilities | None = None, quote: Span | None = None
) -> Prediction:
    """Return the prediction of a verifier that abstains."""
    return Prediction("not_enough_evidence", None, quote, reason, probabilities, (flag,))
