"""Results, limits and errors of a fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from factscope.core.errors import Boundary, BoundaryError


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page."""

    url: str
    """Where it was found in the end, normalised."""
    requested_url: str
    """The address as it was asked for."""
    status: int
    content: bytes
    """Content, its content encoding undone; never empty."""
    content_type: str
    """Its media type, in small letters; told from the first bytes where the server states none."""
    charset: str | None
    """The encoding of its text as the server states it, in small letters."""
    fetched_at: str
    """When the server last sent it, or confirmed it: ISO 8601 in UTC."""
    redirects: tuple[str, ...]
    """The addresses passed on the way to `url`, in order; empty without a redirect."""
    cached: bool
    """Whether it comes from the cache, without a request."""
    modified: str | None = None
    """When it was last changed, in the words of its server."""


class FetchLimits(NamedTuple):
    """Limits of one page, one host and all together."""

    seconds: float = 10.0
    """For one page in all, redirects and robots.txt included; waiting for its turn is not."""
    wire_bytes: int = 5_000_000
    """Of a page as it is sent."""
    decoded_bytes: int = 20_000_000
    """Of a page when its content encoding is undone."""
    redirects: int = 5
    """One after the other (RFC 9309, section 2.3.1.2, asks for at least five)."""
    per_second: int = 2
    """Requests to one host that begin within one second."""
    at_once: int = 2
    """Requests to one host under way."""
    in_all: int = 64
    """Requests under way to all hosts together."""
    patience: float = 60.0
    """Seconds that a page may wait for its turns at hosts."""
    longest_delay: float = 10.0
    """Seconds between two requests that a robots.txt can ask for; more is not honoured."""


class NotFetchedError(Exception):
    """Reason why there is no page: a clause that follows the address.

    `Fetcher.fetch` turns it into a BoundaryError.
    """

    def __init__(self, reason: str, hint: str = "", boundary: Boundary = "fetch", status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.hint = hint
        self.boundary: Boundary = boundary


class FetchError(BoundaryError):
    """No page at an address, with the status that its server gave, if it gave one."""

    def __init__(self, boundary: Boundary, message: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(boundary, message, hint)
        self.args = (boundary, message, hint, status)  # what it is made of again in another process
        self.status = status
