"""The large built-in verifier: a bigger encoder in a separate package, for the pairs that the small one leaves open.

Most passages of a search are not about the claim, and the small encoder sees that in a tenth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from factscope.judging.verifiers.builtin.hybrid import HybridVerifier
from factscope.judging.verifiers.protocol import ClaimPair, Prediction
from factscope.judging.verifiers.rules.rules import is_ruled

PACKAGE = "factscope_verifier_large"
NETWORK = "adapted.onnx"
"""The encoder with its latest adapters. Its 4-bit matrices are in `encoder.onnx`, in the same folder."""
SETTLED = 0.9
"""Probability of *not enough evidence* from which the small verifier's label is final. Of 192 pairs above it (our own
and the suite), it is right in 181, and the large one in as many; of ten from .85 on, in six, the large one in eight."""

PLAIN = 0.6
"""Probability from which its support counts even where many words of the claim are missing. Of 945 pairs on which it
was not trained, 6 more than with 0.8 come out supported, all of them rightly."""


def is_installed() -> bool:
    """Tell whether the package with the large encoder is installed."""
    return find_spec(PACKAGE) is not None


@dataclass(frozen=True)
class ScreenedVerifier:
    """Asks `large` about the pairs that neither a rule nor `small` settles.

    The label of a pair does not depend on other pairs.
    """

    small: HybridVerifier
    large: HybridVerifier

    @property
    def name(self) -> str:
        """Name and version of the large verifier, which implies those of the small one."""
        return self.large.name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that both read."""
        return self.large.languages

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Return one prediction per pair, in order; see `HybridVerifier.verify`."""
        predictions = self.small.verify(pairs)
        open_pairs = [number for number, prediction in enumerate(predictions) if is_open(prediction)]
        for number, prediction in zip(open_pairs, self.large.verify([pairs[n] for n in open_pairs]), strict=True):
            predictions[number] = prediction
        return predictions


def is_open(prediction: Prediction) -> bool:
    """Tell whether to ask the large verifier: a passage was read, and might settle the claim."""
    likely = prediction.probabilities
    if likely is None or is_ruled(prediction):
        return False
    return (likely.not_enough or 0.0) < SETTLED
