"""The large verifier of Factscope: all-mpnet-base-v2 trained further for three labels, in 4 bits.

Once installed, Factscope's verifier `builtin` is this one. `MODEL_CARD.md` says how well it does, and where not.
"""

from __future__ import annotations

from factscope.judging.verifiers.protocol import Verifier
from factscope.judging.verifiers.verifier_list import register_verifier


@register_verifier("builtin-large", licence="Apache-2.0")
def large() -> Verifier:
    """The large built-in verifier: the small one first, then a cross-encoder of 110 million weights."""
    from factscope.judging.verifiers.builtin import load_large

    return load_large()
