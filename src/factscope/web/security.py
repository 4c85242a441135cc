"""Access checks that every request must pass before it reaches a route, and security headers of every reply.

Host and Origin (against pages of other sites and rebound names), the token of a server that is open to other machines,
who the user is, how often they may ask, and how much they may send.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factscope.web.problems import ProblemError, respond

USER_COOKIE = "factscope_user"
TOKEN_COOKIE = "factscope_token"  # noqa: S105 - the name of a cookie
MAX_BODY = 48_000_000
"""Bytes of a request: a text of two million characters and documents of 25 MB in Base64."""
_MOST_LET_PASS = 200_000_000
"""Bytes of a too large body that are still read, and dropped, so that its sender gets an answer."""
_BODY_SECONDS = 60.0  # a body that is sent more slowly is refused
_YEAR = 365 * 86_400  # seconds; lifetime of the cookie
_SECRET = 16
"""Least characters of a secret by which a program may identify itself."""
_LOCAL = ("127.0.0.1", "localhost", "::1")
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RateLimiter:
    """Rate limit per user: a number of requests per minute, half of which may come at once."""

    def __init__(self, per_minute: float) -> None:
        self._per_second, self._room = per_minute / 60, per_minute / 2
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, user: str) -> float:
        """Return 0 when the user may send a request now, otherwise the seconds until then."""
        now = time.monotonic()
        left, when = self._left.pop(user, (self._room, now))
        left = min(self._room, left + (now - when) * self._per_second)
        wait = (1 - left) / self._per_second if left < 1 else 0.0
        self._left[user] = (left if wait else left - 1, now)
        if len(self._left) > _MOST_KNOWN:
            del self._left[next(iter(self._left))]  # who has been silent for longest
        return wait


_MOST_KNOWN = 20_000  # users whose rates are held in memory
_GUESSES_PER_MINUTE = 30
"""Wrong tokens that one address may send in a minute; after that its tokens are not compared, unless it had a right
one."""


@dataclass
class SecurityRules:
    """Rules for access to the server."""

    hosts: tuple[str, ...] = _LOCAL
    """Host names of this server; `*` for any numeric address."""
    tokens: tuple[str, ...] = ()
    """Accepted tokens; empty when none is needed."""
    requests_per_minute: float = 1_800
    """For one user; one address may send four times as many."""
    changes_per_minute: float = 240
    """Requests among these that create or change something."""
    max_body: int = MAX_BODY
    refused: Callable[[str], None] = field(default=lambda reason: None)
    """Called with the reason of each refusal."""


def rules_for(host: str, tokens: Iterable[str], names: Iterable[str] = ()) -> SecurityRules:
    """Return the rules of a server bound to `host`, reached under these other `names` too."""
    open_to_all = host in ("0.0.0.0", "::", "")  # noqa: S104 - asked for by its user, with a token
    own_names = (socket.gethostname().casefold(), "*") if open_to_all else (host.casefold(),)
    return SecurityRules(hosts=(*_LOCAL, *own_names, *(name.casefold() for name in names)), tokens=tuple(tokens))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server bound to `host`."""
    address = _numeric(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _numeric(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class Guard:
    """The access check, as ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, rules: SecurityRules) -> None:
        self._app, self._rules = app, rules
        self._requests = RateLimiter(rules.requests_per_minute)
        self._changed = RateLimiter(rules.changes_per_minute)
        self._from = RateLimiter(4 * rules.requests_per_minute)
        self._guesses = RateLimiter(_GUESSES_PER_MINUTE)
        self._locked: dict[str, float] = {}
        self._welcome: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        cookies: list[str] = []
        send = _with_headers(send, cookies)
        try:
            if redirect := self._signed_in(scope):
                await redirect(scope, receive, send)
                return
            user, fresh = self._admit(scope)
            if fresh and scope["path"].startswith("/api/"):
                cookies.append(_cookie(scope, USER_COOKIE, fresh))
            scope.setdefault("state", {})["user"] = user
            body = await self._body(scope, receive)
        except ProblemError as error:
            self._rules.refused(error.problem.title)
            await respond(error.problem, error.headers)(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    def _signed_in(self, scope: Scope) -> RedirectResponse | None:
        """Move the token of a page opened with `?token=` from the address into a cookie."""
        if not self._rules.tokens or scope["method"] != "GET" or scope["path"].startswith("/api/"):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        token = query.pop("token", [""])[0]
        if not token or not self._is_valid_token(token, _address(scope)):
            return None
        _must_be_named(Headers(scope=scope), self._rules.hosts)
        query_text = urlencode(query, doseq=True)
        response = RedirectResponse(quote(scope["path"]) + (f"?{query_text}" if query_text else ""), 303)
        response.raw_headers.append((b"set-cookie", _cookie(scope, TOKEN_COOKIE, token).encode("latin-1")))
        return response

    def _admit(self, scope: Scope) -> tuple[str, str | None]:
        """Identify the user; return their name, and a new secret for them to use from now on, if there is one.

        Raises ProblemError.
        """
        headers = Headers(scope=scope)
        _must_be_named(headers, self._rules.hosts)
        _must_be_of_here(headers, scope)
        cookies = {name: unquote(value) for name, value in HTTPConnection(scope).cookies.items()}
        bearer = _bearer(headers)
        address = _address(scope)
        if self._rules.tokens and scope["path"] != "/healthz":
            self._must_show_token(bearer, cookies, address)
        secret = cookies.get(USER_COOKIE) or bearer or ""
        if secret and secret == bearer and len(secret) < _SECRET and scope["path"].startswith("/api/"):
            # As a new user each time, a program would never see its checks again.
            raise ProblemError(
                401,
                f"The secret in Authorization has {len(secret)} characters; it could be guessed.",
                f"Choose one of {_SECRET} characters or more.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        fresh = secrets.token_urlsafe(32) if len(secret) < _SECRET else None
        user = hashlib.sha256((fresh or secret).encode("utf-8", "replace")).hexdigest()
        self._must_not_hurry(scope, f"at {address}" if fresh else user, address)
        return user, fresh

    def _must_show_token(self, bearer: str | None, cookies: Mapping[str, str], address: str) -> None:
        secret = bearer or cookies.get(TOKEN_COOKIE) or ""
        if not secret or not self._is_valid_token(secret, address):
            raise ProblemError(
                401,
                "This server needs its token.",
                "Open the address that it printed when it started, or send the header Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )

    def _is_valid_token(self, token: str, address: str) -> bool:
        """Return whether a token is one of ours. Raises ProblemError for an address that has guessed too often."""
        wait = self._locked.get(address, 0.0) - time.monotonic()
        if wait > 0 and address not in self._welcome:
            raise _hurried(wait)
        token_bytes = token.encode("utf-8", "replace")
        right = any([hmac.compare_digest(token_bytes, token_known.encode()) for token_known in self._rules.tokens])  # noqa: C419 - no early end
        if right and len(self._welcome) < _MOST_KNOWN:
            self._welcome.add(address)
        elif not right and (wait := self._guesses.take(address)):
            if len(self._locked) >= _MOST_KNOWN:
                self._locked.clear()
            self._locked[address] = time.monotonic() + wait
            raise _hurried(wait)
        return right

    def _must_not_hurry(self, scope: Scope, user: str, address: str) -> None:
        waits = [self._from.take(address), self._requests.take(user)]
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            waits.append(self._changed.take(user))
        if wait := max(waits):
            raise _hurried(wait)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Return the whole body. Raises ProblemError when it is too large, too slow or not JSON."""
        headers, most = Headers(scope=scope), self._rules.max_body
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise _too_large(most)
        if int(length) > most:
            await _let_pass(receive, int(length))
            raise _too_large(most)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                more = length != "0" or "transfer-encoding" in headers
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    more = message.get("more_body", False)
                    if size > most:
                        if more:
                            await _let_pass(receive)
                        raise _too_large(most)
        except TimeoutError:
            raise ProblemError(408, "The request took too long to arrive.") from None
        kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
        if size and not (kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))):
            raise ProblemError(
                415, f"The body is of the type {kind[:100] or 'none'}; only application/json is read.", "Send JSON."
            )
        return b"".join(chunks)


def _hurried(wait: float) -> ProblemError:
    return ProblemError(
        429,
        "Too many requests.",
        f"Try again in {wait:.0f} s." if wait >= 1 else "Try again in a moment.",
        headers={"Retry-After": str(int(wait) + 1)},
    )


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("", 0))[0])


async def _let_pass(receive: Receive, length: int = 0) -> None:
    """Read the rest of a body and drop it, up to a limit.

    Closing a connection with unread data resets it, and the sender might not see the answer.
    """
    left, more = _MOST_LET_PASS, length <= _MOST_LET_PASS
    with suppress(TimeoutError):
        async with asyncio.timeout(_BODY_SECONDS):
            while more and left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                more = message["type"] != "http.disconnect" and message.get("more_body", False)


def _too_large(most: int) -> ProblemError:
    return ProblemError(
        413, f"The request is too large; at most {most:,} bytes are read.", "Check a shorter text, or fewer documents."
    )


def _must_be_named(headers: Headers, hosts: tuple[str, ...]) -> None:
    """Raise ProblemError when the request names another host: another site may have bound its name to our address."""
    host = headers.get("host", "")
    name = (urlsplit(f"//{host}").hostname if _plain_host(host) else None) or ""
    is_ours = name in hosts or ("*" in hosts and _numeric(name) is not None)
    if len(headers.getlist("host")) != 1 or not is_ours:
        raise ProblemError(
            421,
            "This server does not answer under this name.",
            "Open it under the address that it printed, or start it with --name for other names.",
        )


def _plain_host(host: str) -> bool:
    try:
        urlsplit(f"//{host}").port  # noqa: B018 - raises for what is not a port
    except ValueError:
        return False
    return not set(host) & set("/@?#\\ \t")


def _must_be_of_here(headers: Headers, scope: Scope) -> None:
    """Raise ProblemError when a browser states that a page of another site made the request."""
    origin = headers.get("origin")
    current = f"{scope['scheme']}://{headers.get('host', '')}"
    elsewhere = origin is not None and origin.casefold() != current.casefold()
    visit = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
    api = scope["path"].startswith("/api/")
    if elsewhere or (headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and (api or not visit)):
        raise ProblemError(403, "The request comes from a page of another site.", "Use the page of this server.")


def _bearer(headers: Headers) -> str | None:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() or None if kind.casefold() == "bearer" else None


def _cookie(scope: Scope, name: str, value: str) -> str:
    secure = "; Secure" if scope["scheme"] == "https" else ""
    return f"{name}={quote(value, safe='')}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict{secure}"


def _with_headers(send: Send, cookies: Sequence[str]) -> Send:
    """Add the security headers to a reply, and the cookies that are known when it begins."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_HEADERS)
            headers.setdefault("Cache-Control", "no-store")
            for cookie in cookies:
                headers.append("Set-Cookie", cookie)
        await send(message)

    return send_with_headers


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that yields the body read so far, then the messages after it."""
    first: Iterator[Message] = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay_then_receive() -> Message:
        return next(first, None) or await receive()

    return replay_then_receive
