"""Search engines: options of a search, its results, and the protocol that every engine implements."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, NamedTuple, Protocol, get_args, runtime_checkable

from factscope.core import UsageError
from factscope.evidence.addresses import site_names
from factscope.llm.call import one_line

Limit = Literal["language", "region", "published_after", "published_before", "exclude"]
"""Restrictions on a search, besides the number of results."""


class EngineHit(NamedTuple):
    """A page that the engine listed."""

    rank: int
    """Position in the engine's results, from 1."""
    url: str
    """Address, always http or https, as the engine gave it."""
    title: str
    snippet: str
    """The engine's snippet of the page; may be empty."""
    published: str | None = None
    """Day of publication, ISO 8601, if the engine states it."""
    attributes: tuple[tuple[str, str], ...] = ()
    """Name and value of the details that the engine lists below a page."""


class DirectAnswer(NamedTuple):
    """A text that the engine shows besides pages."""

    kind: Literal["answer", "knowledge"]
    """An answer to the query, or facts about an entity that it names."""
    texts: tuple[str, ...]
    """Its parts in the engine's order, never empty."""
    url: str | None = None
    """The page that it was taken from, if the engine states it."""


class SearchResults(NamedTuple):
    """Results of a search.

    Empty means that the engine found nothing; a failure is a `SearchError`.
    """

    hits: tuple[EngineHit, ...] = ()
    """Best first."""
    direct: tuple[DirectAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search.

    Raises UsageError for an impossible value.
    """

    n: int = 10
    """Most results, 1 to 100; engines return fewer on one page, see `EngineService.most`."""
    language: str | None = None
    """Language of the results, as in BCP 47: `en`, `pt-BR`."""
    region: str | None = None
    """Presumed region of the searcher, ISO 3166-1: `US`."""
    published_after: date | None = None
    """First day of publication."""
    published_before: date | None = None
    """Last day of publication."""
    exclude: tuple[str, ...] = ()
    """Sites that are left out, with their subdomains; in order, each once."""

    def __post_init__(self) -> None:
        after, before = self.published_after, self.published_before
        if not 1 <= self.n <= 100:
            raise UsageError(f"A search gives 1 to 100 results, not {self.n}.")
        if self.language is not None and not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}", self.language):
            raise UsageError(f"{self.language!r} is not a language.", "Write it like en or pt-BR.")
        if self.region is not None and not re.fullmatch(r"[A-Z]{2}", self.region):
            raise UsageError(f"{self.region!r} is not a region.", "Write it like US.")
        if after and before and after > before:
            raise UsageError(f"No day is on or after {after} and on or before {before}.")
        object.__setattr__(self, "exclude", tuple(sorted({*site_names(self.exclude)})))

    def of(self, n: int) -> SearchOptions:
        """Return the same options with another number of results."""
        return replace(self, n=n)

    def limits(self) -> frozenset[Limit]:
        """Return the restrictions that are set."""
        names: tuple[Limit, ...] = get_args(Limit)
        return frozenset(name for name in names if getattr(self, name))

    def values(self) -> dict[str, Any]:
        """Return the options as JSON values."""
        return {
            "n": self.n,
            "language": self.language,
            "region": self.region,
            "published_after": self.published_after and self.published_after.isoformat(),
            "published_before": self.published_before and self.published_before.isoformat(),
            "exclude": list(self.exclude),
        }


class SearchPrice(NamedTuple):
    """A vendor's price."""

    dollars: float
    """US dollars for 1,000 searches, in the vendor's smallest package; 0 when searching is free."""
    as_of: str
    """Day on which this was the price, ISO 8601."""


class EngineTraits(NamedTuple):
    """Properties of an engine, known before the first search."""

    can: frozenset[Limit] = frozenset()
    """The restrictions that it supports. The others are up to the caller, see `WebSearch.ignored`."""
    address: str = ""
    """Its base address; searches at different addresses are cached separately."""
    in_flight: int = 4
    """Concurrent searches when the user sets no number."""
    per_second: int | None = None
    """Searches started in any second when the user sets no number; None does not limit them."""
    price: SearchPrice | None = None
    """None when it is unknown."""
    own_pages: bool = False
    """Whether it finds only pages of its own site, whose robots.txt can be requested while it searches."""

    def address_for(self, language: str | None) -> str:
        """Return the base address of searches in a language: some engines have a site for each."""
        return self.address.replace("{language}", (language or "en").partition("-")[0].lower())


@runtime_checkable
class SearchEngine(Protocol):
    """A search engine. It makes one attempt; `WebSearch` retries, limits and caches searches."""

    name: str
    """Name by which users select it."""
    traits: EngineTraits

    async def search(self, query: str, options: SearchOptions) -> SearchResults:
        """Search, best results first.

        Raises SearchError, also when a reply can't be read; never returns an empty result for a failure.
        """

    async def close(self) -> None:
        """Close connections."""


def results_to_json(results: SearchResults) -> str:
    """Return results as one line of JSON."""
    return one_line({"hits": [hit._asdict() for hit in results.hits], "direct": [d._asdict() for d in results.direct]})


def results_from_json(line: str) -> SearchResults:
    """Parse the results that `results_to_json` wrote. Raises ValueError for anything else."""
    try:
        values: Mapping[str, Any] = json.loads(line)
        return SearchResults(
            tuple(
                EngineHit(**hit | {"attributes": tuple((k, v) for k, v in hit["attributes"])}) for hit in values["hits"]
            ),
            tuple(DirectAnswer(**direct | {"texts": tuple(direct["texts"])}) for direct in values["direct"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not results of a search: {error}") from None
