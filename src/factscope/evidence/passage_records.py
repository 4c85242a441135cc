"""Passages of a search as records, with the instructions to a model that they contain."""

from __future__ import annotations

from functools import lru_cache

from factscope.core.records import Passage, Span
from factscope.evidence.page.injection import instruction_spans
from factscope.evidence.results import FoundPassage


def passage_record(
    passage: FoundPassage,
    claim_id: str,
    rank: int,
    *,
    name: str | None = None,
    query_id: str | None = None,
    copy_of: str | None = None,
) -> Passage:
    """Return the record of a passage for a claim; its id is `name`, or made from the claim's and the rank."""
    return Passage(
        id=name or f"{claim_id}.p{rank}",
        claim_id=claim_id,
        document_id=passage.document.id,
        span=passage.span,
        text=passage.text,
        reading=passage.reading,
        rank=rank,
        score=passage.score,
        query_id=query_id,
        instructions=_instructions(passage.text),
        copy_of=copy_of,
    )


@lru_cache(maxsize=4_096)
def _instructions(text: str) -> tuple[Span, ...]:
    return tuple(Span(start=order.start, end=order.end) for order in instruction_spans(text))
