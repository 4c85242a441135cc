"""The documents that came with a request as evidence: each in full, in the given order, without a search."""

from __future__ import annotations

from factscope.core.records import Searched, Span
from factscope.evidence.results import FoundPassage, QueryResults
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence


class Context:
    """A source that returns the documents of the response's context for every query."""

    searched = Searched(id="context", n_documents=0, n_passages=0)
    asks: tuple[Ask, ...] = ()

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return every document of the response's context that has text, as one passage."""
        return QueryResults(
            tuple(
                FoundPassage(
                    document.model_copy(update={"text": None}),
                    Span(start=0, end=len(document.text)),
                    document.text,
                    1.0,
                )
                for document in job.response.context
                if document.text and document.text.strip()
            )
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
