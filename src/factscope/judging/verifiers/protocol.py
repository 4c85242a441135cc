"""The seam to verifiers: judges that label one claim against one passage without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from factscope.core.labels import Label
from factscope.core.records import JudgementFlag, Span


class ClaimPair(NamedTuple):
    """A claim and the passage that it is checked against."""

    claim: str
    passage: str


class LabelProbabilities(NamedTuple):
    """Probabilities of the outcomes by a verifier, 0 to 1; None where it can't tell the two apart."""

    supported: float
    contradicted: float | None = None
    not_enough: float | None = None


class Prediction(NamedTuple):
    """A verifier's prediction for one pair."""

    label: Label
    confidence: float | None
    """Probability of `label` in its own eyes, 0 to 1; None when it abstains."""
    quote: Span | None
    """The sentence of the passage that carries the label, as offsets into the passage."""
    rationale: str
    """One line with the reason for the label, for a person."""
    probabilities: LabelProbabilities | None = None
    """All that the label was chosen from; None when there was nothing to read."""
    flags: tuple[JudgementFlag, ...] = ()
    """Reason why it abstains."""


class Verifier(Protocol):
    """Anything that can label pairs. `verify` keeps the order and gives one opinion per pair."""

    @property
    def name(self) -> str:
        """Name and version, such as `builtin-1`; part of every score's signature."""

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Label each pair; safe to call from several threads.

        Raises BoundaryError when it can't, and UsageError when it never can.
        """


def of_parts(probabilities: Sequence[LabelProbabilities]) -> LabelProbabilities:
    """Return the chances of a claim from those of its parts, of which there is one or more.

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
    """Return the opinion of a verifier that does not answer."""
    return Prediction("not_enough_evidence", None, quote, reason, probabilities, (flag,))
