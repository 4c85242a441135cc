"""Web addresses: their hosts, and a test whether two of them are the same page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, urlsplit

from factscope.core import UsageError
from factscope.evidence.decode import clean

_LONGEST_URL = 2_000  # characters of the address of a text; browsers accept no longer ones
_LONGEST = 4096  # characters of an address
_PASSED_ON = re.compile(
    r"utm_\w+|(?:g|d|y|fb|tt|tw)clid|msclkid|gclsrc|gbraid|wbraid|igsh(?:id)?|mc_[ce]id|_g[al]|_hs(?:enc|mi)|mkt_tok|"
    r"vero_id|oly_\w+_id|srsltid|ref_(?:src|url)|cmpid|at_(?:medium|campaign)|__twitter_impression"
)
"""Parameters that say how a reader came to a page, and do not change the page."""
_SAME_SITE = {"www", "m", "mobile", "amp"}
"""Host labels under which a site shows the same pages."""
_CODED = re.compile(r"%[0-9A-Fa-f]{2}")
_PLAIN = re.compile(r"[A-Za-z0-9._~-]")
_NAME = re.compile(r"[^\s/@:?#\[\]\\%*.]+(?:\.[^\s/@:?#\[\]\\%*.]+)*")


def web_address(value: object) -> str | None:
    """Return the value when it is a web address (http or https, with a host, no password); otherwise None."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return None
    url = value.strip()
    if any(c.isspace() or not c.isprintable() for c in url):
        return None
    try:
        url_parts = urlsplit(url)
        fine = (
            url_parts.scheme.lower() in ("http", "https") and "@" not in url_parts.netloc and (url_parts.port or 1) > 0
        )
    except ValueError:
        return None
    return url if fine and host_of(url) else None


def web_url(value: object) -> str | None:
    """Return a web address unchanged; `None` for anything else."""
    fits = isinstance(value, str) and len(value) <= _LONGEST_URL and re.fullmatch(r"(?i:https?)://\S+", value)
    return value if isinstance(value, str) and fits and clean(value).text == value else None


def host_of(url: str) -> str:
    """Return the host name of an address in lower case, in ASCII where possible.

    Empty when the address has none.
    """
    try:
        return site_name(urlsplit(url).hostname or "") or ""
    except ValueError:
        return ""


def site_name(text: str) -> str | None:
    """Return a host or domain as people write it (`*.Example.ORG`, `https://example.org/page`) in normal form.

    None when there is none.
    """
    if "://" in text:
        return host_of(text) or None
    name = text.strip().removeprefix("*.").strip(".").casefold()
    if not _NAME.fullmatch(name):
        return name if re.fullmatch(r"[0-9a-f:.]*:[0-9a-f:.]*", name) else None
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def site_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return sites in normal form. Raises UsageError for a text that is not a site."""
    sites = []
    for text in texts:
        if not (site := site_name(text)):
            raise UsageError(f"{text!r} is not a site.", "Write it like example.org.")
        sites.append(site)
    return tuple(sites)


def in_site(host: str, site: str) -> bool:
    """Return whether a host is `site` or a subdomain of it: `news.example.org` is in `example.org`, and in `org`."""
    return host == site or host.endswith(f".{site}")


def own_site(url: str) -> str | None:
    """Return the whole site of a page: `blog.example.co.uk` → `example.co.uk`; None when the address has no host.

    This is the registrable domain, by the list of public suffixes that comes with `courlan`; otherwise the host without
    `www`.
    """
    return _site_of(host_of(url))


@lru_cache(maxsize=4_096)
def _site_of(host: str) -> str | None:
    from courlan import extract_domain

    domain = extract_domain(f"https://{host}/") if host else None
    return (site_name(domain) if domain else None) or host.removeprefix("www.") or None


def same_page(url: str) -> str:
    """Return a key that is equal for addresses of the same page.

    It leaves out the scheme, `www` and mobile hosts, default port, fragment, trailing slash, tracking parameters, and
    the order of the others.
    """
    try:
        url_parts = urlsplit(url)
        port = f":{url_parts.port}" if url_parts.port not in (None, 80, 443) else ""
    except ValueError:
        return url
    labels = host_of(url).split(".")
    if not labels[-1].isdigit():
        labels = [label for index, label in enumerate(labels) if index >= len(labels) - 2 or label not in _SAME_SITE]
    query_items = sorted(
        pair for pair in url_parts.query.split("&") if pair and not _PASSED_ON.fullmatch(pair.partition("=")[0].lower())
    )
    query = f"?{_coded('&'.join(query_items))}" if query_items else ""
    return f"{'.'.join(labels)}{port}{_coded(url_parts.path).rstrip('/')}{query}"


def _coded(text: str) -> str:
    """Normalise percent-encoding: unreserved characters unencoded, all others encoded in capitals."""

    def encode_match(match: re.Match[str]) -> str:
        character = chr(int(match[0][1:], 16))
        return character if _PLAIN.fullmatch(character) else match[0].upper()

    return _CODED.sub(encode_match, quote(text, safe="%/&=+,;:@!$'()*?[]|~", errors="replace"))
