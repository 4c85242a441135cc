"""Bare pairs of a claim and a passage, labelled by a verifier: no retrieval, no report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from factscope.core import Label, UsageError
from factscope.integrations.python.arguments import must_be


@dataclass(frozen=True)
class Verification:
    """A verifier's label for one pair."""

    label: Label
    """`supported`, `contradicted` or `not_enough_evidence`; `not_supported` of a verifier that knows two classes.

    A passage about something else leaves the claim open, too: `not_enough_evidence`."""
    probabilities: dict[str, float]
    """Of `supported`, and of `contradicted` and `not_enough_evidence` where the verifier tells them apart; 0 to 1.

    Empty when it abstains because there was nothing to read."""
    confidence: float | None
    """Probability of `label`, 0 to 1; `None` when the verifier abstains."""
    quote: str | None
    """The sentence of the passage that the label rests on."""
    reason: str
    """Reason for the label, in one line."""


def verify(pairs: Iterable[tuple[str, str]], verifier: str = "builtin") -> list[Verification]:
    """Label pairs of a claim and a passage, in their order.

        factscope.verify([("The lens came in 1858.", "In 1858 a Fresnel lens was fitted.")])

    `verifier` is a name listed by `factscope verifiers`, a hub model that was pulled, or a folder.

    Raises:
        UsageError: a pair is not two strings, or the verifier is not on this machine.
        BoundaryError: the verifier failed, or what it returned is not one usable label for each pair.
    """
    from factscope.engine.settings import load_settings
    from factscope.judging.verifiers.protocol import ClaimPair, Prediction, verified
    from factscope.judging.verifiers.verifier_list import Verifiers

    must_be(verifier, str, "verifier", '"builtin"')
    if pairs is None:
        raise UsageError("pairs is None.", 'Such as pairs=[("The lens came in 1858.", "In 1858 …")].')
    must_be(pairs, Iterable, "pairs", '[("The lens came in 1858.", "In 1858 …")]')
    read = [ClaimPair(*_pair(number, pair)) for number, pair in enumerate(pairs)]
    opened = Verifiers(Path(load_settings()[0].cache))[verifier]()

    def to_verification(pair: ClaimPair, prediction: Prediction) -> Verification:
        """Convert a prediction to the public result."""
        names = {"supported": "supported", "contradicted": "contradicted", "not_enough": "not_enough_evidence"}
        chances = {name: getattr(prediction.probabilities, field, None) for field, name in names.items()}
        return Verification(
            label="not_enough_evidence" if prediction.label == "irrelevant" else prediction.label,
            probabilities={name: chance for name, chance in chances.items() if chance is not None},
            confidence=prediction.confidence,
            quote=prediction.quote.of(pair.passage) if prediction.quote else None,
            reason=prediction.rationale,
        )

    return list(map(to_verification, read, verified(opened, read))) if read else []


def _pair(number: int, pair: object) -> tuple[str, str]:
    if isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(side, str) for side in pair):
        return str(pair[0]), str(pair[1])
    raise UsageError(
        f"pairs[{number}] is not a claim and a passage.", 'Such as ("The lens came in 1858.", "In 1858 …").'
    )
