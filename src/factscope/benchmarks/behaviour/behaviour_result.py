"""The result of the behaviour suite: figures and all rows of each checker, for JSON, tables and the page."""

from __future__ import annotations

from typing import Literal

from factscope.core.records import Record

from .behaviour_figures import PairFigures, PairRow, SentenceRow, TextFigures


class BehaviourRow(Record):
    """One checker on one suite."""

    checker: str
    """A verifier with its version, or a method."""
    suite: str
    digest: str
    """First digits of the SHA-256 of the suite's files."""
    pairs: PairFigures | None = None
    texts: TextFigures | None = None
    judged: tuple[PairRow, ...] = ()
    """Every pair."""
    sentences: tuple[SentenceRow, ...] = ()
    """Every sentence of the texts."""


class Behaviour(Record):
    """All checkers on all suites."""

    type: Literal["behaviour"] = "behaviour"
    rows: tuple[BehaviourRow, ...]
    left_out: tuple[str, ...] = ()
    """Checkers that could not be measured, and why."""
    factscope: str
    commit: str | None
    """Of the checkout that it ran from; `None` when it was installed."""
    made: str
