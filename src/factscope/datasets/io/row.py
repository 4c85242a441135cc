"""A row as it stands in the source, before its columns mean anything."""

from __future__ import annotations

from typing import Any, NamedTuple

from factscope.evidence.decode import SURROGATE


class ResponseRow(NamedTuple):
    """A row that could be read."""

    number: int
    """The line in a file of JSON lines, else the place among the rows; from 1."""
    values: dict[str, Any]
    """Cells by column."""


class BadRow(NamedTuple):
    """A row that can't be used. The rows after it can."""

    number: int
    """The line in a file of JSON lines, else the place among the rows; from 1."""
    reason: str
    """The problem with it."""
    more: bool = False
    """Whether other rows are lost with it, as where a file breaks off."""


def is_broken(text: str) -> bool:
    """Return whether it holds lone halves of surrogate pairs, which no record may: they can't be written down."""
    return not text.isascii() and SURROGATE.search(text) is not None
