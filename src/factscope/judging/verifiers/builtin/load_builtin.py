"""The built-in verifiers, each read from its files once per process."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from factscope.judging.verifiers.protocol import Verifier

if TYPE_CHECKING:
    from factscope.judging.verifiers.builtin.hybrid import HybridVerifier


def load() -> Verifier:
    """Return the built-in verifier, `builtin`: the large one if its package is installed, otherwise the small one.

    Its files are read once per process, an encoder on its first pair.
    """
    from factscope.judging.verifiers.builtin.large import is_installed

    return load_large() if is_installed() else load_small()


@cache
def load_small() -> HybridVerifier:
    """Return the verifier whose encoder comes with Factscope."""
    from factscope.judging.verifiers.builtin.contradiction_trees import read_contradiction_trees
    from factscope.judging.verifiers.builtin.cross_encoder import SMALL
    from factscope.judging.verifiers.builtin.hybrid import HybridVerifier
    from factscope.judging.verifiers.builtin.mixture import read_mixture
    from factscope.judging.verifiers.builtin.tree_model import read_model

    return HybridVerifier(read_model().weights, read_mixture(), read_contradiction_trees(), SMALL)


@cache
def load_large() -> Verifier:
    """Return the verifier of the package `factscope-verifier-large`. Raises ModuleNotFoundError without it."""
    from factscope.judging.verifiers.builtin.contradiction_trees import read_contradiction_trees
    from factscope.judging.verifiers.builtin.cross_encoder import MPNET, encoder_in
    from factscope.judging.verifiers.builtin.hybrid import HybridVerifier
    from factscope.judging.verifiers.builtin.large import NETWORK, PACKAGE, PLAIN, ScreenedVerifier
    from factscope.judging.verifiers.builtin.mixture import read_mixture

    small, encoder = load_small(), encoder_in(PACKAGE, MPNET, NETWORK)
    large = HybridVerifier(
        small.weights,
        read_mixture(PACKAGE),
        read_contradiction_trees(files(PACKAGE)),
        encoder,
        open_from=math.inf,  # it always reads the chunks: the small one has passed over what is plainly open
        plain_from=PLAIN,
        second=small,
    )
    return ScreenedVerifier(small, large)


@cache
def load_features() -> Verifier:
    """Return the verifier `builtin-features`, which uses the features alone; its file is read once per process."""
    from factscope.judging.verifiers.builtin.prediction import BuiltinVerifier
    from factscope.judging.verifiers.builtin.tree_model import read_model

    return BuiltinVerifier(read_model())
