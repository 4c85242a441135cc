"""Promises, and the tests of the laboratory that try each."""

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
    """Description of the trial."""
    asked: int = Field(ge=1)
    """Least number of cases in a whole trial."""
    tests: tuple[str, ...] = ()
    """Files or tests of the laboratory, as pytest names them; empty where no test tries it yet."""
    quick: tuple[str, ...] = ()
    """Tests of a quick trial."""
    open: str = ""
    """Limits of these tests."""


@cache
def read_promises() -> tuple[Promise, ...]:
    """Read the promises in the package, in their order."""
    text = files(__package__).joinpath("promises.toml").read_text(encoding="utf-8")
    return tuple(Promise.model_validate(values) for values in tomllib.loads(text)["promises"])
