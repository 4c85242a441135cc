"""What a search for evidence gives, from documents at hand and from the web alike."""

from __future__ import annotations

from typing import NamedTuple

from factscope.core.errors import BoundaryError
from factscope.core.records import Document, Span


class Found(NamedTuple):
    """A passage that a search found."""

    document: Document
    """Where it comes from, without its text."""
    span: Span
    """Where it stands in the document's text."""
    text: str
    """Its exact characters."""
    score: float
    """Share of the query, weighted by how rare its words are, that the best sentence holds: 0 to 1. Words found
    only in the title or beside it count less."""


class Seen(NamedTuple):
    """A result of a search engine, read or not."""

    url: str
    title: str
    snippet: str
    published: str | None = None


class Findings(NamedTuple):
    """All that came of one query."""

    passages: tuple[Found, ...] = ()
    """Best first."""
    seen: tuple[Seen, ...] = ()
    """What a search engine listed, in its order."""
    failures: tuple[tuple[str, BoundaryError], ...] = ()
    """Sources that could not be had or read: address and why."""
