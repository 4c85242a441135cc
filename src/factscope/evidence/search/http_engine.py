"""Search engines over HTTP: each engine's specifics are an `EngineService` value; the shared code is here.

Keys are sent in one header of requests to one address, and nowhere else: redirects are not followed, and the key is
removed from an engine's messages before anybody sees them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlencode

from factscope.core import UsageError, asked_wait, by_proxy, connection_reason, must_fit_a_header, proxy_hint, proxy_of
from factscope.core.version import __version__
from factscope.evidence.search.engine import (
    EngineTraits,
    Limit,
    SearchEngine,
    SearchOptions,
    SearchPrice,
    SearchResults,
)
from factscope.evidence.search.search_errors import (
    Kind,
    SearchError,
    error_words,
    kind_of,
    listed_wait,
    message_of,
)
from factscope.llm.providers import first_set, plain_address
from factscope.llm.wire import strike, strike_secret

if TYPE_CHECKING:
    import aiohttp

USER_AGENT = f"factscope/{__version__}"
_CONNECT_SECONDS = 10.0  # an engine that has not accepted by then counts as unreachable
_LARGEST_REPLY = 4 * 2**20  # bytes; a reply of an engine has some 100 kB


class EngineRequest(NamedTuple):
    """A request to an engine, without its address and key."""

    query: Mapping[str, str] = {}
    """Parameters of the address."""
    body: Mapping[str, Any] | None = None
    """Body to post as JSON; None makes it a GET."""


class EngineResponse(NamedTuple):
    """Response of an engine."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class EngineService:
    """Definition of one search engine."""

    name: str
    """Name by which users select it."""
    title: str
    """Name in messages."""
    address: str | None
    """Base address, with `{language}` where the language is part of it; None when only the environment can tell."""
    path: str
    """Path of searches, below the address."""
    ask: Callable[[str, SearchOptions], EngineRequest]
    """Returns the request for a search."""
    read: Callable[[Mapping[str, Any], date], SearchResults]
    """Reads a reply, given the current day. Raises ValueError for an invalid reply, with the reason, or SearchError for
    a failure that came with status 200."""
    keys: tuple[str, ...] = ()
    """Variables that may hold the key; the first one that is set is used. Empty when it needs no key."""
    key_header: Literal["Authorization", "X-API-KEY", "X-Subscription-Token"] = "Authorization"
    """Header that carries the key; in `Authorization` after `Bearer `."""
    addresses: tuple[str, ...] = ()
    """Variables that may hold another base address."""
    can: frozenset[Limit] = frozenset()
    """The restrictions that it supports."""
    most: int = 20
    """Most results of one search."""
    longest: tuple[int, int] = (400, 50)
    """Most characters and words of a query; the rest is cut off."""
    in_flight: int = 4
    per_second: int | None = None
    price: SearchPrice | None = None
    """Price at its own address; for software that users run themselves, at any address."""
    codes: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of failure by the engine's own words, for failures that its status does not distinguish."""
    own_pages: bool = False
    """See `EngineTraits`."""
    refused: str = ""
    """Advice when it refuses a search, if it needs no key."""
    contact: tuple[str, ...] = ()
    """Variables that may hold an address at which its operators can reach the user."""

    def open(self, environment: Mapping[str, str]) -> SearchEngine:
        """Return the engine as the environment configures it. Raises UsageError naming the variable to set."""
        variable, base = first_set(environment, self.addresses) or ("", self.address)
        if base is None:
            raise UsageError(
                f"The address of {self.title} is unknown: {self.addresses[0]} is not set.",
                f"Set it in the environment: export {self.addresses[0]}=http://127.0.0.1:8888.",
            )
        address = _base_address(base, variable).removesuffix(self.path)
        key_variable, key = first_set(environment, self.keys) or ("".join(self.keys[:1]), "")
        if self.keys and not key:
            others = f" (or {', '.join(self.keys[1:])})" if self.keys[1:] else ""
            raise UsageError(
                f"No key for {self.title}: {self.keys[0]}{others} is not set.",
                f"Set it in the environment: export {self.keys[0]}=…",
            )
        must_fit_a_header(key, key_variable)
        _, contact = first_set(environment, self.contact) or ("", "")
        if not contact.isprintable() or not contact.isascii():
            raise UsageError(f"{self.contact[0]} is not an address.", "It looks like name@example.org.")
        return HttpEngine(self, EngineAddress(address, key, key_variable, contact))


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """Address of an engine, and the key."""

    address: str
    key: str = field(repr=False)
    """The secret; empty for none."""
    key_variable: str
    """Variable of the key, for messages."""
    contact: str = ""
    """Address at which its operators can reach the user."""


class HttpEngine:
    """A service at an address. Belongs to one event loop."""

    def __init__(self, service: EngineService, engine_address: EngineAddress) -> None:
        self.name = service.name
        at_home = service.address in (None, engine_address.address)
        self.traits = EngineTraits(
            can=service.can,
            address=engine_address.address,
            in_flight=service.in_flight,
            per_second=service.per_second,
            price=service.price if at_home else None,
            own_pages=service.own_pages,
        )
        self._service, self._endpoint = service, engine_address
        self._hints: dict[Kind, str] = {
            "auth": service.refused or f"Check {engine_address.key_variable or 'who may search there'}.",
            "quota": f"Top up the account behind {engine_address.key_variable or 'it'}, or search with another engine.",
            "not_found": f"Is the address right? {' or '.join(service.addresses) or 'Its package'} can set it.",
        }
        self._session: aiohttp.ClientSession | None = None

    async def search(self, query: str, options: SearchOptions) -> SearchResults:
        """Make one attempt. Raises SearchError."""
        service, where = self._service, self._where(options)
        answer = await self._send(service.ask(shortened(query, *service.longest), options), options)
        if answer.status != 200:
            words = error_words(answer.content, self._endpoint.key)
            raise self._refusal(where, kind_of(answer.status, words, service.codes), answer, words)
        try:
            return self._without_key(_read(answer.content, service))
        except SearchError as failure:
            raise self._refusal(where, failure.kind, answer, strike(failure.message, self._endpoint.key)) from None
        except ValueError as error:
            message = f"{where} sent no results: {error}."
            raise SearchError("bad_reply", message, self._hints["not_found"]) from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session:
            await self._session.close()
            self._session = None

    def _address(self, options: SearchOptions) -> str:
        return self.traits.address_for(options.language)

    def _where(self, options: SearchOptions) -> str:
        return f"{self._service.title} at {self._address(options)}"

    def _refusal(self, where: str, kind: Kind, answer: EngineResponse, words: str) -> SearchError:
        wait = asked_wait(answer.headers, time.time())
        if wait is None:
            wait = listed_wait(answer.headers)
        message = message_of(kind, where, answer.status, words, has_key=bool(self._endpoint.key))
        return SearchError(kind, message, self._hints.get(kind, ""), wait=wait)

    async def _send(self, engine_request: EngineRequest, options: SearchOptions) -> EngineResponse:
        import aiohttp

        where = self._where(options)
        url = f"{self._address(options)}{self._service.path}"
        if engine_request.query:
            url += f"?{urlencode(engine_request.query)}"
        data = None if engine_request.body is None else json.dumps(engine_request.body).encode()
        failure: SearchError
        proxy = proxy_of(url)
        try:
            async with self._open().request(
                "GET" if data is None else "POST",
                url,
                data=data,
                headers=self._headers(data is not None),
                allow_redirects=False,
                proxy=proxy,
            ) as response:
                return EngineResponse(response.status, response.headers, await self._content(response, where))
        except (aiohttp.ClientError, OSError, ValueError) as error:
            never = isinstance(error, aiohttp.ClientConnectorError)
            message = f"{where}{by_proxy(proxy)}: {connection_reason(error, url)}."
            hint = proxy_hint(url) if proxy else self._hints["not_found"]
            failure = SearchError("connection", message, hint if never else "")
        raise failure  # outside the block: aiohttp's exceptions hold the headers, and with them the key

    async def _content(self, response: aiohttp.ClientResponse, where: str) -> bytes:
        chunks, size = [], 0
        async for chunk in response.content.iter_any():
            chunks.append(chunk)
            size += len(chunk)
            if size > _LARGEST_REPLY:
                raise SearchError("bad_reply", f"{where} sent more than {_LARGEST_REPLY >> 20} MB.")
        return b"".join(chunks)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            # `WebSearch` limits the searches. Cookies and redirects are off, since a search API needs neither.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            )
        return self._session

    def _headers(self, posted: bool) -> dict[str, str]:
        address = self._endpoint
        headers = {"User-Agent": f"{USER_AGENT} ({address.contact})" if address.contact else USER_AGENT}
        headers |= {"Accept": "application/json"} | ({"Content-Type": "application/json"} if posted else {})
        if address.key:
            name = self._service.key_header
            headers[name] = f"Bearer {address.key}" if name == "Authorization" else address.key
        return headers

    def _without_key(self, results: SearchResults) -> SearchResults:
        """Return the results without the key, in case the engine repeats it."""

        def strike_key(value: Any) -> Any:
            if isinstance(value, str):
                return strike_secret(value, self._endpoint.key)
            return tuple(strike_key(each) for each in value) if type(value) is tuple else value

        return SearchResults(
            tuple(type(hit)(*map(strike_key, hit)) for hit in results.hits),
            tuple(type(each)(*map(strike_key, each)) for each in results.direct),
        )


def shortened(query: str, characters: int, words: int) -> str:
    """Return the query, cut at the end of a word where it is longer than the engine allows."""
    words_left = query.split()[:words]
    while len(words_left) > 1 and len(" ".join(words_left)) > characters:
        words_left.pop()
    return " ".join(words_left)[:characters]


def without_sites(query: str, sites: tuple[str, ...]) -> str:
    """Return the query with the sites excluded, for engines that support this as an operator.

    At most ten sites are excluded, since engines count them as words.
    """
    return " ".join([query, *(f"-site:{site}" for site in sites[:10])])


def _read(content: bytes, service: EngineService) -> SearchResults:
    """Read a response. Raises SearchError, ValueError."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):  # a broken encoding is a ValueError too
        raise ValueError(f"{len(content):,} bytes that are not JSON, or only part of it") from None
    if not isinstance(values, dict):
        raise ValueError("JSON that is not an object")
    return service.read(values, datetime.now(UTC).date())


def _base_address(text: str, variable: str) -> str:
    """Complete a base address from the settings, without a final slash."""
    text = text.rstrip("/")
    plain_address(text.replace("{language}", "en"), variable, "https://HOST")
    return text
