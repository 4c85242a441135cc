"""Searches for a claim, and the use of each result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from factscope.core import Failure, Query, SearchHit, plurals
from factscope.report.evidence_cards import Card

Use = Literal["used", "unread", "aside"]
"""`used`: a passage of it is evidence on the claim; `unread`: it could not be fetched or read; `aside`: no passage of
it was used."""

USE_WORDS: dict[Use, str] = {"used": "used as evidence", "unread": "could not be read", "aside": "not used"}


class ListedHit(NamedTuple):
    """A result that a search engine listed."""

    hit: SearchHit
    use: Use

    @property
    def title(self) -> str:
        """Return its title."""
        return self.hit.title or self.hit.url


class QuerySearch(NamedTuple):
    """One query with its results."""

    query: Query
    results: tuple[ListedHit, ...]
    online: bool
    """Whether a search engine answered it."""

    @property
    def counted(self) -> str | None:
        """Such as `3 results: 1 used as evidence, 2 not used`; `None` when no search engine answered."""
        if not self.results:
            return "no result" if self.online else None
        uses = Counter(result.use for result in self.results)
        uses_text = ", ".join(f"{uses[use]} {words}" for use, words in USE_WORDS.items() if uses[use])
        return f"{plurals.many(len(self.results), 'result')}: {uses_text}"


def searches(
    queries: Iterable[Query],
    hits: Mapping[str, Sequence[SearchHit]],
    cards: Iterable[Card],
    failures: Iterable[Failure],
    *,
    online: bool,
) -> tuple[QuerySearch, ...]:
    """Return the queries for one claim, each with its results; `hits` are by query. Results are matched by address."""
    uses: dict[str, Use] = {_page(failure.about): "unread" for failure in failures if failure.about}
    uses |= {_page(card.document.url): "used" for card in cards if card.document and card.document.url}

    def listed_hits(query: Query) -> tuple[ListedHit, ...]:
        listed = sorted(hits.get(query.id, ()), key=lambda hit: hit.rank)
        return tuple(ListedHit(hit, uses.get(_page(hit.url), "aside")) for hit in listed)

    return tuple(QuerySearch(query, listed_hits(query), online) for query in queries)


def _page(address: str) -> str:
    """Return an address without the parts that redirects often change."""
    return re.sub(r"^https?://(www\.)?|/?(#.*)?\Z", "", address, flags=re.IGNORECASE | re.DOTALL)
