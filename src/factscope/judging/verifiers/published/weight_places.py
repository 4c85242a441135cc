"""The places of weights in a file of a model, and the error for a broken one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from factscope.core.errors import UsageError

FETCH_AGAIN = "Fetch it again: factscope verifiers pull NAME."


class WeightLocation(NamedTuple):
    """Location of one weight's numbers in a file, in rows one after the other."""

    kind: str
    """As safetensors calls it, such as `F32`."""
    shape: tuple[int, ...]
    offset: int
    """In bytes from the beginning of the file."""


def broken(path: Path, reason: str) -> UsageError:
    """Make the error for a file that is not what its name says."""
    return UsageError(f"The model's file {path} is broken: {reason}.", FETCH_AGAIN)
