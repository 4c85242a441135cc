"""All verifiers by name. Other packages add theirs as entry points of `factscope.verifiers`.

Published checkers need no code: they are entries of `published/catalogue.toml`, or a folder that declares its format.
The code for them is imported only when one is used, which is rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import NamedTuple

from factscope.core import FactscopeError, Registry, UsageError, must_be
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


class Verifiers(Mapping[str, Callable[[], Verifier]]):
    """Verifiers by name: registered ones, and any that `open_checker` knows.

    Each is loaded once, with its calibration if it was calibrated on this machine.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is where downloaded verifiers are stored."""
        self._folder = folder
        self._load = cache(self._opened)

    def __getitem__(self, name: str) -> Callable[[], Verifier]:
        return lambda: self._load(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)  # an unknown name is reported when it is loaded, with the known ones

    def __iter__(self) -> Iterator[str]:
        return iter(VERIFIERS.names())

    def __len__(self) -> int:
        return len(VERIFIERS.names())

    def _opened(self, name: str) -> Verifier:
        from factscope.judging.verifiers.calibration import with_calibration

        return with_calibration(open_verifier(name, self._folder), self._folder)


def open_verifier(name: str, folder: Path) -> Verifier:
    """Open the verifier of this name, uncalibrated: one of ours, or of `open_checker`.

    Raises the errors of these, and UsageError for one that can't be run here.
    """
    if name in VERIFIERS:
        try:
            return VERIFIERS.get(name).load()
        except FactscopeError:
            raise
        except Exception as error:  # a plugin's
            raise UsageError(f"The verifier {name} can't be loaded: {type(error).__name__}: {error}") from error
    from factscope.judging.verifiers.published.network import must_run
    from factscope.judging.verifiers.registry import open_checker

    checker = open_checker(name, folder)
    must_run(checker.folder)
    return checker
