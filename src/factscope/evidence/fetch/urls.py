"""Addresses of pages, parsed so strictly that every later parser reads them in the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from factscope.evidence.fetch.fetched import NotFetchedError
from factscope.evidence.fetch.public_address import refusal

LONGEST = 4_000
"""Characters of an address; longer ones are not fetched."""
PORTS = {"http": 80, "https": 443}
"""The supported schemes, and their ports."""
ONLY_PUBLIC = "Only pages on the public net are fetched; give files of your own as local evidence."
URL_CHARACTERS = "%/:?@!$&'()*+,;=~[]"
"""Characters that stay as they are in the path and query of an address, besides letters, digits, `-`, `.` and `_`."""
MOVED = (301, 302, 303, 307, 308)
"""States of a reply that names another address; the others from 300 on name none."""

_MAX_CHARACTERS = 300  # characters of an address in a message
_BAD = re.compile(r"[\x00-\x1f\x7f]")
_USER = re.compile(r"^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*)[^/\\?#]*@", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]@%]+))(?::(?P<port>[0-9]{0,5}))?", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x(?P<hex>[0-9a-f]{1,16})|0(?P<oct>[0-7]{0,24})|(?P<dec>[1-9][0-9]{0,19})")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
# Names that are never those of public hosts (RFC 6761, 6762, 7686, 8375; ICANN, 2024).
_LOCAL = (".localhost", ".local", ".internal", ".home.arpa", ".onion", ".invalid")


class FetchTarget(NamedTuple):
    """Address to fetch."""

    scheme: str
    host: str
    """In ASCII and lower case, without a final dot; an IP address in its usual form, without brackets."""
    port: int
    path: str
    """With the query; percent-encoded, begins with a slash and has no dot segments."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, the latter if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != PORTS[self.scheme] else "")

    @property
    def url(self) -> str:
        """The whole address."""
        return self.origin + self.path


def read_url(text: str) -> FetchTarget:
    """Parse the address of a public page at one of `PORTS`. Raises NotFetchedError for anything else."""
    text = text.strip(" ")
    if len(text) > LONGEST:
        raise NotFetchedError(f"the address is longer than {LONGEST:,} characters")
    if _BAD.search(text):
        raise NotFetchedError("the address holds control characters")
    try:
        url_parts = urlsplit(text)
        if url_parts.scheme not in PORTS:
            raise NotFetchedError("it is not an http or https address")
        if "@" in url_parts.netloc:
            raise NotFetchedError("the address holds a user name", "Leave out the part before the @.")
        path = _without_dots(_quoted(url_parts.path) or "/")
        query = "?" + _quoted(url_parts.query) if url_parts.query else ""
        match = _AUTHORITY.fullmatch(url_parts.netloc)
        if not match:
            raise NotFetchedError("its host can't be read")
        host = str(IPv6Address(match["v6"])) if match["v6"] else _host(match["name"])
    except ValueError:
        raise NotFetchedError("the address can't be read") from None
    port = int(match["port"] or PORTS[url_parts.scheme])
    if port not in PORTS.values():
        raise NotFetchedError(f"port {port} is not among {', '.join(map(str, PORTS.values()))}")
    if is_address(host) and (reason := refusal(host)):
        raise NotFetchedError(f"its address {host} is {reason}", ONLY_PUBLIC)
    return FetchTarget(url_parts.scheme, host, port, path + query)


def next_hop(passed: Sequence[FetchTarget], location: str | None, most: int) -> FetchTarget:
    """Resolve a redirect from the last of `passed`. Raises NotFetchedError when it must not be followed."""
    current = passed[-1]
    if not location:
        raise NotFetchedError("it is a redirect that leads nowhere")
    if len(passed) > most:
        raise NotFetchedError(f"it is redirected more than {most} times")
    try:
        absolute = urljoin(current.url, location.strip(" "))
    except ValueError:
        absolute = location
    try:
        target = read_url(absolute)
    except NotFetchedError as error:
        raise NotFetchedError(f"it leads to {printable_url(absolute)}: {error.reason}", error.hint) from None
    if target in passed:
        raise NotFetchedError("its redirects lead in a circle")
    if current.scheme == "https" and target.scheme == "http":
        raise NotFetchedError(f"it leads from https to plain http, {printable_url(target.url)}")
    return target


def printable_url(url: str) -> str:
    """Return an address for a message: without user and password, on one line, not too long."""
    plain = one_line(_USER.sub(r"\1", url.strip()))
    return plain if len(plain) <= _MAX_CHARACTERS else plain[: _MAX_CHARACTERS - 1] + "…"


def one_line(text: str) -> str:
    """Return a server's text on one line, without control characters and characters that a file can't hold."""
    return "".join(character if character.isprintable() else "?" for character in text)


def is_address(host: str) -> bool:
    """Return whether a host that `read_url` gave is an IP address rather than a name."""
    return ":" in host or _ENDS_IN_NUMBER.fullmatch(host) is not None


def _host(name: str) -> str:
    """Return the name as it is looked up, or the IPv4 address that a browser reads in it (WHATWG URL, section 3.5)."""
    if not name.isascii():
        from yarl import URL

        name = URL.build(scheme="http", host=name).raw_host or ""
    name = name.lower()
    # A final dot only marks the name as complete.
    host = name.removesuffix(".")
    if _ENDS_IN_NUMBER.fullmatch(host):
        return _ipv4(host)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise NotFetchedError("its host can't be read")
    if "." not in host or host.endswith(_LOCAL):
        raise NotFetchedError(f"{host} is not a name of a public host", ONLY_PUBLIC)
    return host


def _ipv4(host: str) -> str:
    """Return an IPv4 address in any of its spellings: one to four numbers, each decimal, octal or hexadecimal."""
    numbers = []
    for number_text in host.split("."):
        match = _NUMBER.fullmatch(number_text)
        if not match:
            raise NotFetchedError("its host can't be read")
        numbers.append(int(match["hex"], 16) if match["hex"] else int(match["dec"] or 0) or int(match["oct"] or "0", 8))
    *front, last = numbers
    if len(front) > 3 or any(number > 255 for number in front) or last >= 256 ** (4 - len(front)):
        raise NotFetchedError("its host can't be read")
    return str(IPv4Address(sum(number << 8 * (3 - index) for index, number in enumerate(front)) + last))


def _quoted(text: str) -> str:
    # Bytes that a server sent in another encoding are unpaired surrogates here, and are sent back unchanged.
    return quote(text, safe=URL_CHARACTERS, errors="surrogateescape")


def _without_dots(path: str) -> str:
    """Resolve `.` and `..` (RFC 3986, section 5.2.4), so that robots.txt sees the path that the server will."""
    if "." not in path and "%2" not in path:
        return path
    resolved: list[str] = []
    plain = ""
    for segment in path.split("/")[1:]:
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            del resolved[-1:]
        elif plain != ".":
            resolved.append(segment)
    return "/" + "/".join([*resolved, ""] if plain in {".", ".."} else resolved)
