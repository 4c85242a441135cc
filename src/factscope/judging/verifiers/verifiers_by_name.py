"""All verifiers by name. The code for published ones is imported only when one is used, which is rare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from factscope.judging.verifiers.protocol import Verifier
from factscope.judging.verifiers.verifier_list import VERIFIERS


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
        return VERIFIERS.get(name).load()
    from factscope.judging.verifiers.published.network import must_run
    from factscope.judging.verifiers.registry import open_checker

    checker = open_checker(name, folder)
    must_run(checker.folder)
    return checker
