"""Rules of robots.txt: RFC 9309 rule by rule, and the effect of a missing or failing file."""

from __future__ import annotations

import asyncio
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.evidence.fetch import MAX_BYTES, FetchTarget, HttpResponse, RobotsPolicy, read_robots, read_url
from tests.evidence.fetch.door import QUICK, door
from tests.lab import clock
from tests.lab.growth import growth
from tests.lab.many_cases import try_all
from tests.lab.pages import Asked, Page, moved, paths

# File, path, whether it may be fetched. Sections are of RFC 9309; the last part is common practice beyond it.
TABLE = {
    # 2.2.1 the user-agent line
    "no file to speak of": ("", "/x", True),
    "all forbidden": ("User-agent: *\nDisallow: /", "/x", False),
    "nothing forbidden": ("User-agent: *\nDisallow:", "/x", True),
    "ours": ("User-agent: factscope\nDisallow: /x", "/x", False),
    "ours in capitals": ("USER-AGENT: FactScope\nDISALLOW: /x", "/x", False),
    "ours with a version": ("User-agent: factscope/1.0\nDisallow: /x", "/x", False),
    "another's": ("User-agent: otherbot\nDisallow: /", "/x", True),
    "a part of our name": ("User-agent: fact\nDisallow: /", "/x", True),
    "our name in another": ("User-agent: myfactscope\nDisallow: /", "/x", True),
    "our name at the start of another": ("User-agent: factscope-news\nDisallow: /", "/x", True),
    "ours before all": ("User-agent: *\nDisallow: /\n\nUser-agent: factscope\nDisallow: /y", "/x", True),
    "ours, then all": ("User-agent: factscope\nDisallow: /y\n\nUser-agent: *\nDisallow: /", "/x", True),
    "ours without a rule": ("User-agent: *\nDisallow: /\n\nUser-agent: factscope", "/x", True),
    "several names": ("User-agent: a\nUser-agent: factscope\nUser-agent: b\nDisallow: /x", "/x", False),
    "several names, of which all": ("User-agent: a\nUser-agent: *\nDisallow: /x", "/x", False),
    "groups of one name": ("User-agent: factscope\nDisallow: /x\n\nUser-agent: factscope\nAllow: /y", "/x", False),
    "groups of all": ("User-agent: *\nDisallow: /y\nUser-agent: b\nAllow: /\nUser-agent: *\nDisallow: /x", "/x", False),
    "a rule ends the names": ("User-agent: b\nDisallow: /\nUser-agent: factscope\nDisallow: /y", "/x", True),
    "rules before any name": ("Disallow: /x\nUser-agent: *\nAllow: /", "/x", True),
    "a star and more": ("User-agent: * please\nDisallow: /x", "/x", False),
    # 2.2.2 allow and disallow
    "the longest counts": ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", True),
    "the longest counts, turned round": ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", False),
    "order does not": ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    "of equals the one that allows": ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
    "a rule is a beginning": ("User-agent: *\nDisallow: /fish", "/fishheads/yummy.html", False),
    "letters differ": ("User-agent: *\nDisallow: /Fish", "/fish", True),
    "not in the middle": ("User-agent: *\nDisallow: /fish", "/catfish", True),
    "folder": ("User-agent: *\nDisallow: /fish/", "/fish", True),
    "query": ("User-agent: *\nDisallow: /s?q=", "/s?q=1", False),
    "only with a query": ("User-agent: *\nDisallow: /s?", "/s", True),
    "the file itself": ("User-agent: *\nDisallow: /", "/robots.txt", True),
    "escaped there": ("User-agent: *\nDisallow: /foo/bar/%E3%83%84", "/foo/bar/\u30c4", False),
    "escaped here": ("User-agent: *\nDisallow: /foo/bar/\u30c4", "/foo/bar/%E3%83%84", False),
    "escaped needlessly": ("User-agent: *\nDisallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    "escaped needlessly here": ("User-agent: *\nDisallow: /foo/bar/baz", "/foo/bar/%62%61%7A", False),
    "small and capital hex": ("User-agent: *\nDisallow: /a%3cd", "/a%3Cd", False),
    "an escaped slash is none": ("User-agent: *\nDisallow: /a/b", "/a%2Fb", True),
    "unescaped there": ('User-agent: *\nDisallow: /a"b', "/a%22b", False),
    # 2.2.3 special characters
    "star": ("User-agent: *\nDisallow: /fish*.php", "/fishheads/catfish.php?id=1", False),
    "star that does not fit": ("User-agent: *\nDisallow: /fish*.php", "/Fish.PHP", True),
    "star in front": ("User-agent: *\nDisallow: *.php", "/a/b.php", False),
    "star at the end": ("User-agent: *\nDisallow: /fish*", "/fish", False),
    "stars in a row": ("User-agent: *\nDisallow: /a***b", "/axb", False),
    "end": ("User-agent: *\nDisallow: /*.php$", "/a.php", False),
    "end with more": ("User-agent: *\nDisallow: /*.php$", "/a.php?x", True),
    "end without a star": ("User-agent: *\nDisallow: /a$", "/a", False),
    "end without a star, more": ("User-agent: *\nDisallow: /a$", "/ab", True),
    "end that comes twice": ("User-agent: *\nDisallow: /*ab$", "/abab", False),
    "end that overlaps": ("User-agent: *\nDisallow: /ab*b$", "/ab", True),
    "star, then end": ("User-agent: *\nDisallow: /a*$", "/ax", False),
    "only the root": ("User-agent: *\nDisallow: /\nAllow: /$", "/", True),
    "only the root, more": ("User-agent: *\nDisallow: /\nAllow: /$", "/x", False),
    "a real star": ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
    "a real star is no wildcard": ("User-agent: *\nDisallow: /a%2Ab", "/axb", True),
    "a real dollar": ("User-agent: *\nDisallow: /a%24", "/a$b", False),
    "a dollar inside": ("User-agent: *\nDisallow: /a$b", "/a$b", False),
    "longer by its star": ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
    # 2.2.4 other records, 2.3 the file
    "other lines": ("Sitemap: x\nUser-agent: *\nHost: y\nSitemap: z\nDisallow: /x", "/x", False),
    "other lines do not end the names": ("User-agent: factscope\nSitemap: x\nUser-agent: b\nDisallow: /x", "/x", False),
    "comments": ("# a\nUser-agent: * # all\nDisallow: /x # why\n", "/x", False),
    "comment that leaves nothing": ("User-agent: *\nDisallow: # /x", "/x", True),
    "spaces": (" User-agent : *\t\n\tDisallow :  /x  ", "/x", False),
    "line ends of old Macs": ("User-agent: *\rDisallow: /x", "/x", False),
    "line ends of Windows": ("User-agent: *\r\nDisallow: /x\r\n", "/x", False),
    "a mark of UTF-8": ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
    # Protego reads what the author meant, which can only cost us pages.
    "no colon": ("User-agent *\nDisallow /x", "/x", False),
    "a misspelt rule": ("User-agent: *\nDisalow: /x", "/x", False),
    "a page instead": ("<!doctype html><p>User-agent: no such thing</p>", "/x", True),
    "a line of Unicode is no new line": ("User-agent: *\u2028Disallow: /x", "/x", True),
    # not in the standard
    "a delay ends the names": ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: bad\nDisallow: /", "/x", True),
}  # fmt: skip


@try_all("case", TABLE)
def test_rules_are_read_as_the_standard_says(case: str) -> None:
    text, path, allowed = TABLE[case]
    assert read_robots(text.encode()).allow(path) is allowed


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 5", 5.0),
        ("User-agent: *\nCrawl-delay: 0.5\nDisallow: /x", 0.5),
        ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: factscope\nDisallow: /x", 0.0),
        ("User-agent: factscope\nCrawl-delay: 2\nUser-agent: factscope\nCrawl-delay: 3", 3.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("User-agent: *\nCrawl-delay: -1", 0.0),
        ("User-agent: *\nCrawl-delay: nan", 0.0),
        ("User-agent: *\nCrawl-delay: 1e9", 0.0),
    ],
)
def test_a_delay_is_read(text: str, seconds: float) -> None:
    assert read_robots(text.encode()).delay == seconds


def test_rules_beyond_the_size_limit_are_not_read() -> None:
    filler = b"# filler\n" * (MAX_BYTES // 9)
    assert MAX_BYTES >= 500 * 1024
    assert not read_robots(b"User-agent: *\n" + filler[: 500 * 1024 - 40] + b"\nDisallow: /x").allow("/x")
    assert read_robots(b"User-agent: *\n" + filler + b"\nDisallow: /x").allow("/x")


@given(
    st.binary(max_size=300) | st.text("uU*ser-agnt:dilowA/$%2\n #", max_size=300).map(str.encode), st.text(max_size=50)
)
def test_no_content_or_path_breaks_the_reader(content: bytes, path: str) -> None:
    read_robots(b"User-agent: *\nDisallow: /" + content).allow("/" + path)


@given(st.lists(st.sampled_from(["a", "b", "ab", "*", "*a"]), max_size=6), st.text("ab", max_size=8), st.booleans())
def test_wildcards_match_as_a_regular_expression_would(parts: list[str], path: str, ends: bool) -> None:
    pattern = "".join(parts)
    expected = re.match("/" + pattern.replace("*", ".*") + ("$" if ends else ""), "/" + path) is not None
    rules = read_robots(f"User-agent: *\nDisallow: /{pattern}{'$' if ends else ''}".encode())
    assert rules.allow("/" + path) is not expected


def test_hostile_patterns_take_time_in_proportion_to_pattern_and_path() -> None:
    def match(size: int) -> None:
        pattern = "/" + "*a" * size + "b"
        rules = read_robots(b"User-agent: *\n" + f"Disallow: {pattern}\n".encode() * 250)
        assert rules.allow("/" + "a" * (4 * size))

    assert growth(match, 1_000) < 2.3  # the product of both; a backtracking matcher takes exponential time


DENY_X = Page(b"User-agent: *\nDisallow: /x", type="text/plain")


@try_all(
    ("robots", "why"),
    [
        (DENY_X, "robots.txt of http://site.example forbids it"),
        (Page(b"User-agent: *\nDisallow: /y"), None),
        (Page(b"", 204), None),
        (Page(DENY_X.body, status=404), None),
        (Page(DENY_X.body, status=401), None),
        (Page(DENY_X.body, status=410), None),
        (Page(DENY_X.body, status=429), None),
        (Page(status=500), "answers with 500 (asking for its robots.txt)"),
        (Page(status=503), "answers with 503 (asking for its robots.txt)"),
        (Page(raw=b""), "broke off (asking for its robots.txt)"),
        (Page(raw=b"x\r\n\r\n"), "proper HTTP (asking for its robots.txt)"),
        (moved("http://10.0.0.1/robots.txt"), "10.0.0.1 is private (asking for its robots.txt)"),
        (moved("/robots.txt"), "circle (asking for its robots.txt)"),
        (Page(DENY_X.body + b"\n" + b"# filler\n" * 600_000), "forbids it"),
        (Page(b"", length=-1, endless=b"# filler\n" * 1_000), None),
        (Page(b"User-agent: *\nDisallow: /x\n" + b"#" * 600_000, length=10**9), "forbids it"),
    ],
)
def test_the_response_for_robots_txt_decides_whether_a_page_is_fetched(robots: Page, why: str | None) -> None:
    async def run() -> None:
        async with door(lambda asked: robots if asked.path == "/robots.txt" else Page()) as way:
            if why is None:
                assert (await way.fetch("http://site.example/x")).status == 200
            else:
                assert why in await way.why("http://site.example/x")
                assert not way.site.asked("/x")

    clock.run(run())


@pytest.mark.parametrize(("hops", "allowed"), [(5, False), (6, True)])
def test_rules_are_found_after_five_redirects_but_not_after_six(hops: int, allowed: bool) -> None:
    rules = Page(b"User-agent: *\nDisallow: /page")

    def answer(asked: Asked) -> Page:
        number = int(asked.host[1]) if asked.host[0] == "h" else 0
        if asked.path == "/page":
            return Page()
        return rules if number == hops else moved(f"http://h{number + 1}.example/robots.txt", 301 + number % 2)

    async def run() -> None:
        async with door(answer) as way:
            if allowed:
                await way.fetch("http://site.example/page")
            else:
                assert "forbids it" in await way.why("http://site.example/page")

    clock.run(run())


def test_each_site_is_asked_once_including_the_target_of_a_redirect() -> None:
    def answer(asked: Asked) -> Page:
        if asked.path == "/robots.txt":
            return DENY_X if asked.host == "b.example" else Page(status=404)
        return moved("http://b.example/x") if asked.path == "/to-x" else Page()

    async def run() -> None:
        async with door(answer) as way:
            await asyncio.gather(*(way.fetch(f"http://a.example/{number}") for number in range(20)))
            assert way.site.asked("/robots.txt") == 1
            why = await way.why("http://a.example/to-x")
            assert "it leads to http://b.example/x: robots.txt of http://b.example forbids it" in why
            assert not way.site.asked("/x")
            await way.fetch("http://b.example/y")
            assert way.site.asked("/robots.txt") == 2

    clock.run(run())


def test_rules_are_valid_for_a_day_and_a_failure_for_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    real, shift, robots = time.time, 0.0, Page(status=500)
    monkeypatch.setattr(time, "time", lambda: real() + shift)

    async def run() -> None:
        nonlocal shift, robots
        async with door(lambda asked: robots if asked.path == "/robots.txt" else Page()) as way:
            await way.why("http://site.example/x")
            await way.why("http://site.example/x")
            assert way.site.asked("/robots.txt") == 1
            shift, robots = 400.0, Page(status=404)
            await way.fetch("http://site.example/x")
            shift, robots = 400.0 + 86_000, DENY_X
            await way.fetch("http://site.example/x")
            assert way.site.asked("/robots.txt") == 2
            shift = 400.0 + 86_500
            assert "forbids it" in await way.why("http://site.example/x")
            assert way.site.asked("/robots.txt") == 3

    clock.run(run())


def test_dotted_or_escaped_paths_do_not_evade_a_rule() -> None:
    robots = Page(b"User-agent: *\nDisallow: /private/")

    async def run() -> None:
        async with door(lambda asked: robots if asked.path == "/robots.txt" else Page(), QUICK) as way:
            for path in ("/a/../private/x", "/a/%2e%2E/private/x", "/./private/x", "/%70rivate/x"):
                assert "forbids it" in await way.why(f"http://site.example{path}")

    clock.run(run())


def test_rules_of_a_site_can_be_requested_ahead_of_its_pages() -> None:
    async def work() -> None:
        pages = {"/robots.txt": Page(b"User-agent: *\nDisallow: /no", type="text/plain"), "/yes": Page(), "/no": Page()}
        async with door(paths(pages)) as way:
            way.fetcher.announce("http://marlow.example/yes")
            way.fetcher.announce("not an address")
            assert (await way.fetch("http://marlow.example/yes")).status == 200
            way.fetcher.announce("http://marlow.example/no")
            assert "forbids" in await way.why("http://marlow.example/no")
            assert [asked.path for asked in way.site.log] == ["/robots.txt", "/yes"]

    asyncio.run(work())


def test_an_internal_error_is_reported_once_and_the_site_is_asked_again() -> None:
    answers = iter([RuntimeError("out of threads"), RuntimeError("again"), HttpResponse(404, {}, b"")])

    async def ask(_target: FetchTarget) -> HttpResponse:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def work() -> None:
        policy, target = RobotsPolicy(ask, 5, None), read_url("http://marlow.example/x")
        with pytest.raises(RuntimeError, match="out of threads"):
            await policy.enter(target)
        policy.announce(target)
        with pytest.raises(RuntimeError, match="again"):
            await policy.enter(target)
        assert await policy.enter(target) == 0.0
        await policy.close()

    asyncio.run(work())
