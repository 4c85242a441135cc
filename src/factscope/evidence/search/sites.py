"""Filter of search results by address, before anything is fetched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from factscope.core.errors import UsageError
from factscope.evidence.addresses import host_of, in_site, own_site, same_page, site_name, web_address

from .engine import EngineHit, SearchOptions, SearchResults


@dataclass(frozen=True, slots=True)
class Sites:
    """The sites that a check takes evidence from. Raises UsageError for a text that is not a site.

    A site includes its subdomains: `example.org` includes `news.example.org`, `gov` every host that ends in `.gov`.
    """

    allow: tuple[str, ...] = ()
    """Only these sites; all if empty."""
    deny: tuple[str, ...] = ()
    """Never these sites, even if `allow` names them."""
    also: Callable[[str], bool] | None = None
    """Further test of an address, such as a choice of source categories."""

    def __post_init__(self) -> None:
        for name in ("allow", "deny"):
            sites_given = getattr(self, name)
            sites = tuple(site_name(site) for site in sites_given)
            for text, site in zip(sites_given, sites, strict=True):
                if not site:
                    raise UsageError(f"{text!r} is not a site.", "Write it like example.org.")
            object.__setattr__(self, name, sites)

    def without_own(self, url: str) -> Sites:
        """Return the filter without the site of the page that makes the claims, which can't be its own evidence."""
        own_host = own_site(url)
        return Sites(self.allow, (*self.deny, own_host), self.also) if own_host else self

    def admits(self, url: str) -> bool:
        """Return whether the page at an address may be evidence."""
        host = host_of(url) if web_address(url) else ""
        if not host or any(in_site(host, site) for site in self.deny):
            return False
        allowed = not self.allow or any(in_site(host, site) for site in self.allow)
        return allowed and (self.also is None or self.also(url))

    def sift(self, results: SearchResults) -> SearchResults:
        """Return the results that may be evidence, with their ranks. Direct answers without a page stay too."""
        return SearchResults(
            tuple(hit for hit in results.hits if self.admits(hit.url)),
            tuple(each for each in results.direct if each.url is None or self.admits(each.url)),
        )


def filter_results(results: SearchResults, options: SearchOptions) -> SearchResults:
    """Filter the results by the options: excluded sites, days of publication, equal pages, and the number `n`.

    Ranks and addresses do not change; of two addresses of the same page the first stays.
    """
    sifted = Sites(deny=options.exclude).sift(results)
    pages: dict[str, EngineHit] = {}
    for hit in sifted.hits:
        if _in_time(hit, options):
            pages.setdefault(same_page(hit.url), hit)
    return SearchResults(tuple(pages.values())[: options.n], sifted.direct)


def _in_time(hit: EngineHit, options: SearchOptions) -> bool:
    after, before = options.published_after or date.min, options.published_before or date.max
    return hit.published is None or after.isoformat() <= hit.published[:10] <= before.isoformat()
