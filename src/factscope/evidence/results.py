"""Results of a search for evidence, the same for local documents and for the web."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from factscope.core.errors import BoundaryError
from factscope.core.records import Document, Span
from factscope.evidence.file_kinds import KINDS

if TYPE_CHECKING:
    from factscope.evidence.search.engine import EngineHit


class FoundPassage(NamedTuple):
    """A passage from a search."""

    document: Document
    """Its document, without the text."""
    span: Span
    """Span in the document's text."""
    text: str
    """Its exact characters."""
    score: float
    """Share of the query's words, weighted by rarity, that the best sentence contains: 0 to 1. Words that are only in
    the title or in neighbouring sentences count less."""
    reading: str | None = None
    """Text that a judge reads instead of `text`; None when it reads `text`."""


class ListedResult(NamedTuple):
    """A result of a search engine, whether it was read or not."""

    url: str
    title: str
    snippet: str
    published: str | None = None


def listed_result(hit: EngineHit) -> ListedResult:
    """Return the fields of a hit that a record keeps."""
    return ListedResult(hit.url, hit.title, hit.snippet, hit.published)


class QueryResults(NamedTuple):
    """All results of one query."""

    passages: tuple[FoundPassage, ...] = ()
    """Best first."""
    listed: tuple[ListedResult, ...] = ()
    """Results that a search engine listed, in its order."""
    failures: tuple[tuple[str, BoundaryError], ...] = ()
    """Sources that could not be fetched or read: address and error."""


def subject(document: Document) -> str:
    """Return the informative part of a title: a file's name without its extension."""
    title = document.title or ""
    return re.sub(rf"({'|'.join(re.escape(ending) for ending in KINDS)})$", "", title, flags=re.IGNORECASE)
