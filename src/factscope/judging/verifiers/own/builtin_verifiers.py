"""The verifiers `builtin`, `builtin-small` and `builtin-features`."""

from __future__ import annotations

from factscope.judging.verifiers.protocol import Verifier
from factscope.judging.verifiers.verifier_list import register_verifier


@register_verifier("builtin-features", licence="Apache-2.0", card="FEATURES_CARD.md")
def features() -> Verifier:
    """The features of the built-in verifier alone: faster and weaker, with nothing that a person can't check."""
    from factscope.judging.verifiers.builtin import load_features

    return load_features()


@register_verifier("builtin", licence="Apache-2.0", card="MODEL_CARD.md")
def builtin() -> Verifier:
    """Comes with Factscope: features that a person can check, and a small cross-encoder."""
    from factscope.judging.verifiers.builtin import load

    return load()


@register_verifier("builtin-small", licence="Apache-2.0", card="MODEL_CARD.md")
def small() -> Verifier:
    """The small built-in verifier, which `builtin` is until the large one is installed."""
    from factscope.judging.verifiers.builtin import load_small

    return load_small()
