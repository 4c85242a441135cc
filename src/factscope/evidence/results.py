"""Results of a search for evidence, the same for local documents and for the web; and passages as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from factscope.core import BoundaryError
from factscope.core.records import Document, Passage, Span
from factscope.evidence.formats import KINDS
from factscope.evidence.near_duplicates import near_copies
from factscope.evidence.page.injection import instruction_spans

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
    failures: tuple[tuple[str | None, BoundaryError], ...] = ()
    """Pages that could not be fetched or read, each with its address; None for a source that could not be searched."""


class HeldText(NamedTuple):
    """A document without its text, and the text."""

    document: Document
    text: str


def with_texts(documents: Iterable[Document]) -> list[HeldText]:
    """Return the documents that have text."""
    return [
        HeldText(document.model_copy(update={"text": None}), document.text)
        for document in documents
        if document.text and document.text.strip()
    ]


def subject(document: Document) -> str:
    """Return the informative part of a title: a file's name without its extension."""
    title = document.title or ""
    return re.sub(rf"({'|'.join(re.escape(ending) for ending in KINDS)})$", "", title, flags=re.IGNORECASE)


def passage_record(
    passage: FoundPassage,
    claim_id: str,
    rank: int,
    *,
    query_id: str | None = None,
    copy_of: int | None = None,
) -> Passage:
    """Return the record of a passage for a claim, or for none if `claim_id` is empty.

    `copy_of` is the rank of the first passage that is nearly the same.
    """
    return Passage(
        id=_passage_id(claim_id, rank),
        claim_id=claim_id,
        document_id=passage.document.id,
        span=passage.span,
        text=passage.text,
        reading=passage.reading,
        rank=rank,
        score=passage.score,
        query_id=query_id,
        instructions=_instructions(passage.text),
        copy_of=None if copy_of is None else _passage_id(claim_id, copy_of),
    )


def passage_records(
    new: Sequence[FoundPassage], claim_id: str, earlier: Sequence[Passage] = (), query_id: str | None = None
) -> list[Passage]:
    """Return the records of further passages for a claim; near-identical texts are marked as copies of the first."""
    copies = copies_of([*(passage.text for passage in earlier), *(passage.text for passage in new)])
    return [
        passage_record(passage, claim_id, rank, query_id=query_id, copy_of=copies.get(rank))
        for rank, passage in enumerate(new, len(earlier) + 1)
    ]


def copies_of(texts: Sequence[str]) -> dict[int, int]:
    """Return the rank of each text that is nearly the same as one before it, with the rank of the first of these."""
    return {copy + 1: group[0] + 1 for group in near_copies(texts) for copy in group[1:]}


def _passage_id(claim_id: str, rank: int) -> str:
    return f"{claim_id}.p{rank}".removeprefix(".")


@lru_cache(maxsize=4_096)
def _instructions(text: str) -> tuple[Span, ...]:
    return tuple(Span(start=order.start, end=order.end) for order in instruction_spans(text))
