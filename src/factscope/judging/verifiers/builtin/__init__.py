"""The verifier that comes with Factscope: features that a person can check by hand, and a small cross-encoder.

How well it does, and where not, is in `MODEL_CARD.md`; what it was trained on in `DATA_CARD.md`. The features alone,
with a small learned model of their own, are a verifier too: smaller, quicker and weaker.
"""

from __future__ import annotations

from functools import cache

from factscope.judging.verifiers.protocol import Verifier


@cache
def load() -> Verifier:
    """Return the built-in verifier, `builtin`; its files are read once per process, the encoder on its first pair."""
    from factscope.judging.verifiers.builtin.cross_encoder import SMALL
    from factscope.judging.verifiers.builtin.hybrid import HybridVerifier, read_mixture
    from factscope.judging.verifiers.builtin.tree_model import read_model

    return HybridVerifier(read_model().weights, read_mixture(), SMALL)


@cache
def load_features() -> Verifier:
    """The features alone, `builtin-features`, read from their file once per process."""
    from factscope.judging.verifiers.builtin.prediction import BuiltinVerifier
    from factscope.judging.verifiers.builtin.tree_model import read_model

    return BuiltinVerifier(read_model())
