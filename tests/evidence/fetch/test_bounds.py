"""Pages too large, slow, broken or useless: they cost little, are named, and delay nothing else."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from factscope.evidence.fetch import FetchLimits, unpack
from tests.evidence.example_files import zeros
from tests.evidence.fetch.door import QUICK, Lag, door
from tests.lab import clock
from tests.lab.many_cases import try_all
from tests.lab.pages import Asked, Page, moved, only, paths

HTML = b"<!doctype html><p>The bridge opened in 1931.</p>"
SMALL = QUICK._replace(wire_bytes=50_000, decoded_bytes=200_000)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def coded(body: bytes, coding: str) -> Page:
    return Page(body, headers={"Content-Encoding": coding})


GOOD = {
    "/plain": Page(HTML),
    "/gzip": coded(gzip.compress(HTML, mtime=0), "gzip"),
    "/x-gzip": coded(gzip.compress(HTML, mtime=0), "X-GZIP"),
    "/trailing": coded(gzip.compress(HTML, mtime=0) + bytes(20), "gzip"),
    "/deflate": coded(zlib.compress(HTML), "deflate"),
    "/raw": coded(raw_deflate(HTML), "deflate"),
    "/identity": coded(HTML, "identity"),
    "/until-end": Page(HTML, length=-1, headers={"Connection": "close"}),
    "/chunked": Page(
        raw=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"%x\r\n%s\r\n0\r\n\r\n" % (len(HTML), HTML)
    ),
    "/203": Page(HTML, status=203),
}


@pytest.mark.parametrize("path", GOOD)
def test_intact_pages_are_fetched_completely(path: str) -> None:
    async def run() -> None:
        async with door(paths(GOOD)) as way:
            found = await way.fetch(f"http://page.example{path}")
            assert found.content == HTML
            assert found.content_type == "text/html"

    clock.run(run())


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
BAD = {
    "/stated": (Page(b"", length=10**9), "larger than 50,000 bytes"),
    "/stated-absurdly": (Page(b"", length=10**25), "larger than 50,000 bytes|proper HTTP"),
    "/endless": (Page(b"", length=-1, endless=b"x" * 10_000), "larger than 50,000 bytes"),
    "/endless-chunks": (Page(raw=CHUNKED, endless=b"1\r\nx\r\n" * 1_000), "larger than 50,000 bytes"),
    "/bomb": (coded(gzip.compress(bytes(10**7)), "gzip"), "larger than 200,000 bytes when unpacked"),
    "/bomb-deflate": (coded(zeros(10), "deflate"), "larger than 200,000 bytes when unpacked"),
    "/bomb-raw": (coded(raw_deflate(bytes(10**7)), "deflate"), "larger than 200,000 bytes when unpacked"),
    "/twice": (coded(gzip.compress(gzip.compress(HTML, mtime=0)), "gzip, gzip"), "not asked for"),
    "/members": (coded(gzip.compress(HTML, mtime=0) * 100, "gzip"), "several parts"),
    "/brotli": (coded(b"\x1b\x00", "br"), "not asked for"),
    "/zstd": (coded(b"\x28\xb5\x2f\xfd", "zstd"), "not asked for"),
    "/giant-coding": (coded(HTML, "x" * 10_000), "not asked for"),
    "/broken-gzip": (coded(b"\x1f\x8b" + HTML, "gzip"), "encoding is broken"),
    "/no-gzip": (coded(HTML, "gzip"), "encoding is broken"),
    "/half-gzip": (coded(gzip.compress(HTML, mtime=0)[:-12], "gzip"), "cut short"),
    "/half": (Page(HTML, length=len(HTML) + 5), "cut short"),
    "/more-than-said": (Page(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nThe bridge"), "proper HTTP"),
    "/half-chunk": (Page(raw=CHUNKED + b"ff\r\n" + HTML), "cut short"),
    "/bad-chunk": (Page(raw=CHUNKED + b"zz\r\n" + HTML), "cut short|proper HTTP"),
    "/empty": (Page(b""), "it is empty"),
    "/no-http": (Page(raw=b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "proper HTTP"),
    "/two-lengths": (Page(HTML, headers={"content-length": "3"}), "proper HTTP"),
    "/giant-header": (Page(HTML, headers={"X": "x" * 100_000}), "proper HTTP"),
    "/many-headers": (Page(HTML, headers={f"X-{number}": "x" for number in range(2_000)}), "proper HTTP"),
    "/nothing": (Page(raw=b""), "broke off"),
    "/picture": (Page(b"\x89PNG", type="image/png"), "not an HTML, PDF or plain text, but image/png"),
    "/giant-type": (Page(HTML, type="x" * 10_000), "not an HTML, PDF or plain text"),
    "/escapes": (Page(HTML, type="image/\x1b[31m\xff\u00a0"), "but image/?[31m"),
    "/script": (Page(b"x()", type="text/javascript"), "not an HTML, PDF or plain text"),
    "/zip": (Page(b"PK\x03\x04\0\0", type="application/octet-stream"), "its type is not stated"),
    "/204": (Page(b"", status=204), "it is empty"),
    "/304": (Page(b"", status=304), "no earlier one is known"),
    "/300": (Page(HTML, status=300), "does not give it"),
    "/401": (Page(HTML, status=401), "requires a password (401)"),
    "/403": (Page(HTML, status=403), "refuses it (403)"),
    "/404": (Page(HTML, status=404), "no such page (404)"),
    "/418": (Page(HTML, status=418), "does not give it (418)"),
    "/429": (Page(HTML, status=429), "fewer requests (429)"),
    "/500": (Page(HTML, status=500), "has failed (500)"),
    "/503": (Page(HTML, status=503, headers={"Retry-After": "nonsense"}), "has failed (503)"),
    "/nowhere": (Page(b"", status=302), "leads nowhere"),
    "/circle": (moved("/circle"), "in a circle"),
    "/ring": (moved("/ring2"), "in a circle"),
    "/down": (moved("ftp://page.example/"), "leads to ftp://page.example/: it is not an http or https"),
    "/user": (moved("http://me:secret@page.example/"), "leads to http://page.example/: the address holds a user name"),
    "/lost": (moved("/404"), "leads to http://page.example/404: there is no such page"),
    "/giant-place": (moved("/" + "x" * 20_000), "longer than"),
}


@try_all("path", BAD)
def test_incomplete_pages_are_refused_with_a_reason(path: str) -> None:
    page, says = BAD[path]
    others = {"/ring2": moved("/ring"), "/404": Page(HTML, status=404), "/good": Page(HTML), path: page}

    async def run() -> None:
        async with door(paths(others), SMALL) as way:
            failure = await way.failure(f"http://page.example{path}")
            assert any(word in failure.message for word in says.split("|")), failure
            assert failure.boundary == "fetch"
            assert "secret" not in failure.message
            assert len(failure.message) < 800
            assert (await way.fetch("http://page.example/good")).content == HTML

    clock.run(run())


def test_five_redirects_are_followed_and_not_six() -> None:
    hops = {f"/{number}": moved(f"{number + 1}?x=/../é") for number in range(5)} | {"/5": Page(HTML)}

    async def run() -> None:
        def answer(asked: Asked) -> Page:
            return hops.get(asked.path.partition("?")[0], Page(status=404))

        async with door(answer) as way:
            found = await way.fetch("http://page.example/0")
            assert found.url == "http://page.example/5?x=/../%E9"
            assert found.redirects[0] == "http://page.example/0"
            assert len(found.redirects) == 5
            hops["/5"] = moved("/6")
            assert "redirected more than 5 times" in await way.why("http://page.example/0")

    clock.run(run())


@pytest.mark.parametrize(
    ("page", "kind", "charset"),
    [
        (Page(b"%PDF-1.7 ", type="application/pdf"), "application/pdf", None),
        (Page(b"%PDF-1.7 ", type="application/octet-stream"), "application/pdf", None),
        (Page(b"\xef\xbb\xbf <HTML>", type=None), "text/html", None),
        (Page(b"<!-- a --><body>", type=""), "text/html", None),
        (Page(b"It opened in 1931, says <html>.", type=None), "text/plain", None),
        (Page(b"x", type="Text/HTML ; a=b; Charset='Windows-1252' "), "text/html", "windows-1252"),
        (Page(b"x", type='text/plain;charset="utf-8";x=y'), "text/plain", "utf-8"),
        (Page(b"x", type="text/html; charset=" + "a" * 9_000), "text/html", None),
        (Page(b"x", type="text/html; charset=../../etc"), "text/html", None),
        (Page(b"x", type="application/xhtml+xml; charset="), "application/xhtml+xml", None),
    ],
)
def test_a_fetched_page_has_its_content_type_and_charset(page: Page, kind: str, charset: str | None) -> None:
    async def run() -> None:
        async with door(only(page)) as way:
            found = await way.fetch("http://page.example/")
            assert (found.content_type, found.charset, found.content) == (kind, charset, page.body)
            assert found.redirects == ()
            assert not found.cached
            assert found.fetched_at.endswith("+00:00")

    clock.run(run())


SLOW = {
    "head": Page(delay=60),
    "body": Page(b"x" * 1_000, drip=0.05),
    "forever": Page(b"", length=-1, endless=b""),
    "hops": moved("/hops", 302),
}


@pytest.mark.parametrize("kind", ["head", "body", "robots", "hops"])
def test_slow_servers_end_at_the_deadline(kind: str) -> None:
    """Servers that are silent, drip, withhold robots.txt, or redirect for too long in total."""
    count = 0

    def answer(asked: Asked) -> Page:
        nonlocal count
        if asked.path == "/robots.txt":
            return Page(delay=60) if kind == "robots" else Page(status=404)
        if kind == "hops":
            count += 1
            return Page(b"", 302, None, {"Location": f"/{count}"}, delay=0.15)
        return SLOW[kind]

    async def run() -> None:
        async with door(answer, QUICK._replace(seconds=0.4)) as way:
            began = asyncio.get_running_loop().time()
            failure = await way.failure("http://slow.example/")
            assert asyncio.get_running_loop().time() - began == pytest.approx(0.4, abs=0.01)
            assert "took longer than 0.4 s" in failure.message
            assert failure.boundary == "timeout"

    clock.run(run())


def test_a_server_that_takes_no_connection_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            way.net.ports[80] = 1  # no server listens there
            assert "connection refused" in await way.why("http://dead.example/")
            way.net.hosts["none.example"] = []
            assert "host name is not known" in await way.why("http://none.example/")

    clock.run(run())


def test_other_tasks_continue_while_a_page_is_unpacked() -> None:
    async def run() -> int:
        async def count() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticks, counter = 0, asyncio.create_task(count())
        assert len(await unpack(zeros(10), "deflate", 10**7, cut=False)) == 10**7
        counter.cancel()
        return ticks

    assert clock.run(run()) >= 9


@pytest.mark.medium
def test_the_event_loop_stays_free() -> None:
    """A bomb, twenty megabytes, half a megabyte in one-byte chunks, and long rules, all at once."""
    pages = {
        "/bomb": coded(zeros(100), "deflate"),
        "/whole": coded(gzip.compress(bytes(range(256)) * 78_000, 1), "gzip"),
        "/chunks": Page(raw=CHUNKED, endless=b"1\r\nx\r\n" * 10_000),
        "/rules": Page(HTML),
    }
    robots = Page(b"User-agent: *\n" + b"Disallow: /*a*b*c*d$\n" * 25_000)

    def answer(asked: Asked) -> Page:
        path = asked.path
        return robots if path == "/robots.txt" and asked.host == "rules.example" else pages.get(path, Page(status=404))

    async def run() -> None:
        async with door(answer, FetchLimits(seconds=60, wire_bytes=500_000)) as way, Lag() as lag:
            results = await asyncio.gather(
                *(way.fetcher.fetch(f"http://{path[1:]}.example{path}") for path in pages), return_exceptions=True
            )
            assert "larger than 20,000,000 bytes when unpacked" in str(results[0])
            assert len(results[1].content) == 256 * 78_000
            assert "larger than 500,000 bytes" in str(results[2])
            assert results[3].content == HTML
            assert lag.worst <= lag.total / 5

    asyncio.run(run())
