"""Promises, and which tests of the laboratory try it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field


class Promise(BaseModel):
    """One promise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """R: honest scores; D: surviving failure; S: hostile input."""
    promise: str
    """The promise, in one sentence."""
    trial: str
    """How it is tried."""
    asked: int = Field(ge=1)
    """The least number of cases of a whole trial."""
    tests: tuple[str, ...] = ()
    """Files or tests of the laboratory, as pytest names them; none where nothing here tries it yet."""
    quick: tuple[str, ...] = ()
    """Those of a quick trial."""
    open: str = ""
    """Limits of these tests."""


@cache
def read_promises() -> tuple[Promise, ...]:
    """Read the promises in the package, in their order."""
    text = files(__package__).joinpath("promises.toml").read_text(encoding="utf-8")
    return tuple(Promise.model_validate(values) for values in tomllib.loads(text)["promises"])
