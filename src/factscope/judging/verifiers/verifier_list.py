"""Verifiers that are Python code, by name. Other packages add theirs as entry points of `factscope.verifiers`.

Published checkers need no code: they are entries of `published/catalogue.toml`, or a folder that declares its format.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import NamedTuple

from factscope.core.registry import Registry, must_be
from factscope.judging.verifiers.protocol import Verifier


class VerifierEntry(NamedTuple):
    """A registered verifier."""

    name: str
    title: str
    """One line for a person."""
    load: Callable[[], Verifier]
    licence: str = "not stated"
    card: str = ""
    """Its model card among the files of `builtin`."""


VERIFIERS: Registry[VerifierEntry] = Registry(
    "verifier", "factscope.verifiers", "factscope.judging.verifiers.own", must_be(VerifierEntry)
)


def register_verifier(
    name: str, *, licence: str = "not stated", card: str = ""
) -> Callable[[Callable[[], Verifier]], VerifierEntry]:
    """Register the function below, which loads a verifier; its docstring is the title.

    Raises ValueError for a name that is taken.
    """

    def register(load: Callable[[], Verifier]) -> VerifierEntry:
        """Register the loader under the name."""
        title = " ".join((getdoc(load) or name).split()).rstrip(".")
        return VERIFIERS.add(name, VerifierEntry(name, title, load, licence, card))

    return register
