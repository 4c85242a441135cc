"""Results, limits and errors of a fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from factscope.core import Boundary, BoundaryError


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A fetched page."""

    url: str
    """Its final address after redirects, normalised."""
    status: int
    content: bytes
    """Content after decompression; never empty."""
    content_type: str
    """Its media type in lower case, guessed from the first bytes if the server states none."""
    charset: str | None
    """The text encoding that the server states, in lower case."""
    fetched_at: str
    """When the server last sent it, or confirmed it: ISO 8601 in UTC."""
    redirects: tuple[str, ...]
    """The addresses before `url`, in order; empty without a redirect."""
    cached: bool
    """Whether it comes from the cache, without a request."""
    modified: str | None = None
    """When it was last changed, in the server's own format."""


class FetchLimits(NamedTuple):
    """Limits for one page, one host and all hosts together."""

    seconds: float = 10.0
    """Seconds for one page, including redirects and robots.txt, without the wait for its turn."""
    wire_bytes: int = 5_000_000
    """Size of a page as sent."""
    decoded_bytes: int = 20_000_000
    """Size of a page after decompression."""
    redirects: int = 5
    """Most redirects in a row (RFC 9309, section 2.3.1.2, asks for at least five)."""
    per_second: int = 2
    """Requests to one host that may start within one second."""
    at_once: int = 2
    """Concurrent requests to one host."""
    in_all: int = 64
    """Concurrent requests to all hosts together."""
    patience: float = 600.0
    """Seconds that a page may wait for its turn: a long text may need a thousand pages of one encyclopaedia."""
    longest_pause: float = 60.0
    """Longest pause in seconds that a host may ask for; if it asks for more, its pages fail at once."""
    longest_delay: float = 10.0
    """Longest delay in seconds between two requests that a robots.txt can ask for; a longer one is not honoured."""


class NotFetchedError(Exception):
    """Reason why there is no page: a clause that follows the address in a message.

    `Fetcher.fetch` turns it into a BoundaryError.
    """

    def __init__(self, reason: str, hint: str = "", boundary: Boundary = "fetch", status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.hint = hint
        self.boundary: Boundary = boundary


class FetchError(BoundaryError):
    """No page at an address, with the server's status, if it sent one."""

    def __init__(self, boundary: Boundary, message: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(boundary, message, hint)
        self.args = (boundary, message, hint, status)  # the arguments from which another process rebuilds it (pickle)
        self.status = status
