"""A row as it is in the source, before its columns are interpreted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from factscope.evidence.decode import SURROGATE, clean


class ResponseRow(NamedTuple):
    """A row that could be read."""

    number: int
    """The line number in a file of JSON lines, otherwise the row number; from 1."""
    values: dict[str, Any]
    """Cells by column."""


class BadRow(NamedTuple):
    """A row that can't be used, although the rows after it can."""

    number: int
    """The line number in a file of JSON lines, otherwise the row number; from 1."""
    reason: str
    """The problem with it."""
    more: bool = False
    """Whether further rows are lost with it, as when a file breaks off."""
    model: str | None = None
    """The model that wrote its response, where its cells say so."""


def message_text(content: Any) -> Any:
    """Return the texts among the parts of a chat message, one per line; content of any other form unchanged."""
    if isinstance(content, list) and all(isinstance(block, Mapping) for block in content):
        return "\n".join(block["text"] for block in content if isinstance(block.get("text"), str))
    return content


def plain_id(name: str) -> str:
    """Return the id of a response that a file names so: on one line, and unlike a segment's."""
    name = " ".join(clean(name).text.split())
    return f"r-{name}" if re.match(r"s\d+(\.|$)", name) else name


def is_broken(text: str) -> bool:
    """Return whether a text has unpaired surrogates, which a record must not contain: a file can't hold them."""
    return not text.isascii() and SURROGATE.search(text) is not None
