"""The verifier that comes with Factscope: a small learned model on features that a person can check by hand.

How well it does, and where not, is in `MODEL_CARD.md`; what it was trained on in `DATA_CARD.md`.
"""

from __future__ import annotations

from functools import cache

from factscope.judging.verifier import Verifier


@cache
def load() -> Verifier:
    """The built-in verifier, read from its file once per process."""
    from factscope.judging.builtin.model import read_model
    from factscope.judging.builtin.opinion import BuiltinVerifier

    return BuiltinVerifier(read_model())
