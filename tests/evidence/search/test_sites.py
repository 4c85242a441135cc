"""Pages that may be evidence, and addresses of the same page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import UsageError
from factscope.evidence import host_of, own_site, same_page, site_name, web_address
from factscope.evidence.search import DirectAnswer, EngineHit, SearchOptions, SearchResults, Sites, filter_results
from tests.lab.many_cases import try_all


def hits(*urls: str) -> SearchResults:
    return SearchResults(tuple(EngineHit(rank, url, "", "") for rank, url in enumerate(urls, 1)))


@try_all(
    ("site", "url", "within"),
    [
        ("example.org", "https://example.org/page", True),
        ("example.org", "https://news.EXAMPLE.org:8443/page", True),
        ("example.org", "http://example.org./", True),
        ("example.org", "https://notexample.org/", False),
        ("example.org", "https://example.org.evil.com/", False),
        ("example.org", "https://evil.com/?example.org", False),
        ("example.org", "https://example.org@evil.com/", False),
        ("https://www.Example.org/about", "https://www.example.org/", True),
        ("*.gov", "https://www.nasa.gov/", True),
        (".gov", "https://gov.example.org/", False),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("xn--bcher-kva.example", "https://shop.bücher.example/", True),
        ("127.0.0.1", "http://127.0.0.1:99/", True),
    ],
)
def test_a_site_covers_its_host_and_subdomains(site: str, url: str, within: bool) -> None:
    assert Sites(allow=(site,)).admits(url) is within
    if web_address(url):
        assert Sites(deny=(site,)).admits(url) is not within


def test_a_denied_site_is_denied_whatever_is_allowed() -> None:
    sites = Sites(allow=("example.org", "gov"), deny=("blog.example.org",))
    assert sites.admits("https://www.example.org/")
    assert sites.admits("https://nasa.gov/")
    assert not sites.admits("https://blog.example.org/")
    assert not sites.admits("https://example.com/")
    assert not sites.admits("no address")


def test_direct_answers_from_an_excluded_site_are_excluded_too() -> None:
    results = SearchResults(
        hits("https://a.org/", "https://b.org/").hits,
        (DirectAnswer("answer", ("x",), "https://a.org/"), DirectAnswer("knowledge", ("y",))),
    )
    sifted = Sites(deny=("a.org",)).sift(results)
    assert [(hit.rank, hit.url) for hit in sifted.hits] == [(2, "https://b.org/")]
    assert sifted.direct == (DirectAnswer("knowledge", ("y",)),)


@pytest.mark.parametrize(
    ("claims", "url", "own"),
    [
        ("https://news.acme.co.uk/story", "https://www.acme.co.uk/", True),
        ("https://news.acme.co.uk/story", "https://other.co.uk/", False),
        ("https://acme.com/", "https://blog.acme.com/", True),
        ("https://jane.github.io/", "https://john.github.io/", False),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:9/", True),
    ],
)
def test_the_site_making_the_claims_is_not_evidence_for_them(claims: str, url: str, own: bool) -> None:
    assert Sites().without_own(claims).admits(url) is not own


def test_a_text_from_a_file_has_no_site() -> None:
    assert Sites().without_own("notes.txt") == Sites()
    assert own_site("file:///etc/passwd") is None


SAME = [
    ["https://example.org/page", "http://example.org/page/", "https://www.example.org/page#part",
     "https://m.example.org/page", "https://EXAMPLE.org:443/page?utm_source=x&utm_medium=y",
     "https://mobile.example.org/page?fbclid=1", "https://amp.example.org/page?gclid=2#:~:text=words",
     "https://example.org./page?"],
    ["https://en.wikipedia.org/wiki/K%C3%B6ln", "https://en.m.wikipedia.org/wiki/Köln", "http://en.wikipedia.org/wiki/K%c3%b6ln"],
    ["https://example.org/page?a=1&b=2", "https://example.org/page?b=2&a=1&srsltid=z", "https://example.org/page/?a=1&b=2"],
    ["https://example.org/Page"],
    ["https://example.org/page?id=1"],
    ["https://example.org/page?id=2"],
    ["https://example.org:8080/page"],
    ["https://other.org/page"],
    ["https://example.org/a%2Fb"],
    ["https://example.org/a/b"],
]  # fmt: skip


def test_addresses_of_the_same_page_have_the_same_key() -> None:
    keys = [{same_page(url) for url in group} for group in SAME]
    assert [len(each) for each in keys] == [1] * len(SAME)
    assert len(set.union(*keys)) == len(SAME)


def test_each_page_is_returned_once_with_its_first_address() -> None:
    results = filter_results(hits(*SAME[0], "https://b.org/", *SAME[1]), SearchOptions())
    assert [hit.url for hit in results.hits] == [SAME[0][0], "https://b.org/", SAME[1][0]]
    assert [hit.rank for hit in results.hits] == [1, 9, 10]


@pytest.mark.parametrize("site", ["", "a b", "/", "..", "a/b", "x@y", "https:///", "*"])
def test_a_name_that_is_not_a_site_is_refused(site: str) -> None:
    with pytest.raises(UsageError, match="not a site"):
        Sites(deny=(site,))


@try_all(
    "url",
    [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://a.org/", "//a.org/", "a.org", "http://",
        "https://user:secret@a.org/", "https://a.org:99999/", "https://a.org/a b", "https://a.org/\x00", "https://[::1",
        "https://a.org/\u202e", "https://" + "a" * 5000, "", None, 7, ["https://a.org/"],
    ],
)  # fmt: skip
def test_only_web_addresses_are_accepted(url: object) -> None:
    assert web_address(url) is None


@pytest.mark.parametrize("url", ["https://a.org", " http://[::1]:80/x ", "HTTPS://Köln.example/ü", "http://127.0.0.1/"])
def test_web_addresses_are_taken_unchanged(url: str) -> None:
    assert web_address(url) == url.strip()


@given(st.text(max_size=60) | st.from_regex(r"https?://[^ ]{0,40}(/[^ ]{0,40})?(\?[^ ]{0,40})?", fullmatch=True))
def test_no_text_breaks_the_reading_of_addresses(url: str) -> None:
    host_of(url), same_page(url), site_name(url)
    address = web_address(url)
    if address:
        assert host_of(address)
        assert same_page(address) == same_page(address + "#part")
        assert Sites(allow=(host_of(address),)).admits(address)
        assert not Sites(deny=(host_of(address),)).admits(address)
