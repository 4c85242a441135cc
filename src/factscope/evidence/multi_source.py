"""Several sources as one: all are searched, and the best passages of each come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from factscope.core import BoundaryError
from factscope.core.records import Searched
from factscope.evidence.results import QueryResults
from factscope.llm.session import CheckContext, gather_all
from factscope.methods import Ask, Evidence

if TYPE_CHECKING:
    from factscope.evidence.gather import EvidenceSource


class MultiSource:
    """Sources that are searched together."""

    def __init__(self, sources: tuple[EvidenceSource, ...]) -> None:
        self._sources = sources

    @property
    def searched(self) -> Searched:
        """Descriptions of all sources: numbers added up, problems and engines concatenated."""
        descriptions = [source.searched for source in self._sources]
        return Searched(
            id="+".join(description.id for description in descriptions),
            n_documents=sum(description.n_documents for description in descriptions),
            n_passages=sum(description.n_passages for description in descriptions),
            engines=tuple(engine for description in descriptions for engine in description.engines),
            problems=tuple(problem for description in descriptions for problem in description.problems),
        )

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Return the questions of all sources."""
        return tuple(dict.fromkeys(ask for source in self._sources for ask in source.asks))

    async def _find_in(self, source: EvidenceSource, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Search one source. Its failure stops no other source, unless it would affect every search.

        A claim that the others leave open has failed then: this source may have settled it.
        """
        try:
            return await source.find(query, spec, job)
        except BoundaryError as error:
            if getattr(error, "fatal", False):
                raise
            return QueryResults(failures=((None, error),))

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Search all sources concurrently. Raises BoundaryError for a wrong key and similar errors."""
        all_results = await gather_all(self._find_in(source, query, spec, job) for source in self._sources)
        return QueryResults(
            passages=tuple(
                sorted(
                    (passage for each in all_results for passage in each.passages), key=lambda passage: -passage.score
                )
            ),
            listed=tuple(result for each in all_results for result in each.listed),
            failures=tuple(failure for each in all_results for failure in each.failures),
        )

    async def close(self) -> None:
        """Close the connections of all sources."""
        for source in self._sources:
            await source.close()
