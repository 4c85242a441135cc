"""Host names: their normal form, their parents, and the registered name within them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

LONGEST = 253
"""Characters of the longest host name (RFC 1035, section 2.3.4)."""

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")
_LOCAL = frozenset({"example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test"})
_DOOR = re.compile(r"^(www?[0-9]{0,2}|m|mobile|amp)\.")


def plain_host(host: str) -> str | None:
    """Return a host name in lower case and punycode, without port, final dot and `www.`.

    None unless it is a public name: for an empty text, an IP address, a single label, a name of local networks (RFC
    6761), and anything that can't be a host name.
    """
    name = re.sub(r"\.?(:[0-9]{1,5})?$", "", host.strip()).lower()
    if len(name) > LONGEST:
        return None
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    top = name.rpartition(".")[2]
    if not _NAME.fullmatch(name) or top.isdigit() or top in _LOCAL:
        return None
    host_name = _DOOR.sub("", name)
    return host_name if "." in host_name else name


def with_parents(host: str) -> Iterator[str]:
    """Yield the host, then the host without its first label, without its first two, … down to two labels."""
    while "." in host:
        yield host
        host = host.partition(".")[2]


def registered(host: str, second_level: Collection[str]) -> str:
    """Return the part of a host that someone registered: `bbc.co.uk` of `news.bbc.co.uk`.

    `second_level` are the labels under which country codes register.
    """
    labels = host.split(".")
    deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in second_level
    return ".".join(labels[-3 if deep else -2 :])


def readable(host: str) -> str:
    """Return a host name with punycode decoded, for a reader; unchanged if that fails."""
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host
