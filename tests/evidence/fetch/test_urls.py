"""Addresses of any content: each is refused, or read alike by every later step."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from factscope.evidence.fetch import NotFetchedError, next_hop, printable_url, read_url
from tests.lab.many_cases import try_all

PIECES = st.sampled_from([
    "http://", "https://", "/", "//", "\\", "@", ":", "?", "#", "[", "]", "%", ".", "..", ";", "&", "=", "+", "-", "_",
    "~", " ", "0x7f", "127", "0", "1", ".1", "2130706433", "::1", "ffff:", "%2e", "%00", "%41", "example", ".com",
    "user", "pw", "80", "443", "8080", "xn--", "localhost", "\u3002", "\uff11", "\u00fc", "\u00df", "\u00ad", "\u202e",
    "\u2100", "\t", "\n", "\x00", "\x7f", "\udce9",
])  # fmt: skip


@given(st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=40).map("http://{}".format))
@example("http://a.b\\@c.d/")
@example("http://a.b/\udce9")
def test_an_address_is_refused_or_parsed_alike_by_all_libraries(text: str) -> None:
    try:
        target = read_url(text)
    except NotFetchedError:
        return
    url = URL(target.url, encoded=True)
    assert (url.scheme, url.raw_host, url.port, url.raw_path_qs) == (*target[:3], target.path)
    assert url.user is None
    assert target.url.isascii()
    assert target.url.isprintable()
    assert read_url(target.url) == target


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_redirect_is_refused_or_parsed_alike_by_all_libraries(start: str, location: str) -> None:
    here = read_url("https://example.com/a/b?c")
    try:
        target = next_hop([here], start + location, 5)
    except NotFetchedError:
        return
    assert target.scheme == "https"
    assert read_url(target.url) == target


@pytest.mark.parametrize("host", ["10.0.0.1", "0x7f.1", "[::1]", "[64:ff9b::8.8.8.8]"])
def test_an_address_that_is_not_public_is_refused_before_any_lookup(host: str) -> None:
    with pytest.raises(NotFetchedError, match=r"its address .* is "):
        read_url(f"http://{host}/")


@try_all(
    ("text", "url"),
    [
        ("http://example.com", "http://example.com/"),
        (" http://EXAMPLE.com.:80/A ", "http://example.com/A"),
        ("https://example.com:443/?q", "https://example.com/?q"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/../../x/..", "http://example.com/"),
        ("http://example.com/a/%2E%2e/b/.", "http://example.com/b/"),
        ("http://example.com/a...b/..c", "http://example.com/a...b/..c"),
        ("http://example.com/a b\u00fc?x y#z", "http://example.com/a%20b%C3%BC?x%20y"),
        ("http://example.com/%2F%41%zz?a=%2B+b", "http://example.com/%2F%41%zz?a=%2B+b"),
        ("http://[2606:2800:0220:1:248:1893:25C8:1946]/", "http://[2606:2800:220:1:248:1893:25c8:1946]/"),
        ("http://0x5db8d822/", "http://93.184.216.34/"),
        ("http://stra\u00dfe.de/", "http://xn--strae-oqa.de/"),
    ],
)
def test_addresses_are_normalised(text: str, url: str) -> None:
    assert read_url(text).url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@example.com/",
        "https://secret@example.com",
        "http:\\\\me:secret@example.com/",
        "//me:secret@example.com/",
        " http://a:b:secret@x@example.com/",
        "HTTP://me:secret@[::1]:80/",
    ],
)
def test_no_password_is_shown(url: str) -> None:
    assert "secret" not in printable_url(url)
    assert "example.com" in printable_url(url) or "[::1]" in printable_url(url)


@given(st.text(max_size=1_000))
def test_an_address_is_shown_as_one_short_line(text: str) -> None:
    assert len(printable_url(text)) <= 300
    assert printable_url(text).isprintable()
