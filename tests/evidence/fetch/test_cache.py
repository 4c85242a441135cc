"""Pages requested once: while the request is running and on the same day; fetched later only if changed."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core import BoundaryError, StoreError
from factscope.evidence.fetch import Fetcher
from tests.evidence.fetch.door import door
from tests.lab import clock
from tests.lab.pages import Asked, Page, moved, only

DAY = 86_400.0


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "pages.db"


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    real, shift = time.time, 0.0
    monkeypatch.setattr(time, "time", lambda: real() + shift)

    def later(seconds: float) -> None:
        nonlocal shift
        shift += seconds

    return later


def test_the_same_page_is_requested_once_while_in_progress() -> None:
    async def run() -> None:
        async with door(only(Page(delay=0.05))) as way:
            spelt = ["http://page.example/a", "HTTP://Page.example:80/a", "http://page.example./b/../a#part"] * 10
            found = await asyncio.gather(*map(way.fetch, spelt))
            assert way.site.asked("/a") == 1
            assert {each.url for each in found} == {"http://page.example/a"}

    clock.run(run())


def test_a_cancelled_caller_does_not_cancel_the_fetch_for_others() -> None:
    async def run() -> None:
        async with door(only(Page(delay=0.1))) as way:
            tasks = [asyncio.create_task(way.fetch("http://page.example/")) for _ in range(3)]
            await asyncio.sleep(0.03)
            tasks[0].cancel()
            assert (await tasks[1]).status == 200
            assert (await tasks[2]).status == 200
            alone = asyncio.create_task(way.fetch("http://page.example/alone"))
            await asyncio.sleep(0.03)
            alone.cancel()
            await asyncio.gather(alone, return_exceptions=True)
            assert (await way.fetch("http://page.example/alone")).status == 200

    clock.run(run())


def test_closing_ends_fetches_in_progress() -> None:
    async def run() -> None:
        async with door(lambda asked: Page(delay=60)) as way:
            tasks = [asyncio.create_task(way.fetch(f"http://h{number}.example/")) for number in range(5)]
            await asyncio.sleep(0.05)
            began = asyncio.get_running_loop().time()
            await way.fetcher.close()
            assert asyncio.get_running_loop().time() - began < 1
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)

    clock.run(run())


def test_a_page_is_cached_for_the_day_with_all_its_metadata(pages: Path) -> None:
    body = bytes(range(256)) * 100
    there = {"/a": moved("/b"), "/b": Page(body, type="text/html; charset=Latin1")}

    async def run() -> None:
        async with door(lambda asked: there.get(asked.path, Page(status=404)), cache=pages) as way:
            first = await way.fetch("http://page.example/a")
        async with door(lambda asked: there.get(asked.path, Page(status=404)), cache=pages) as way:
            second = await way.fetch("http://page.example/a#again")
            assert not way.site.log
            assert second.cached
            assert not first.cached
            assert (second.content, second.url, second.redirects) == (body, "http://page.example/b", first.redirects)
            assert (second.fetched_at, second.charset, second.status) == (first.fetched_at, "latin1", 200)

    clock.run(run())


@pytest.mark.parametrize("marks", [{"ETag": '"1"'}, {"Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT"}, {}])
def test_on_a_later_day_a_page_is_fetched_only_if_it_has_changed(
    marks: dict[str, str], pages: Path, pass_time: Callable[[float], None]
) -> None:
    version = b"one"

    def answer(asked: Asked) -> Page:
        if asked.path != "/b":
            return moved("/b") if asked.path == "/a" else Page(status=404)
        known = asked.headers.get("if-none-match"), asked.headers.get("if-modified-since")
        if version == b"one" and any(known):
            return Page(b"", 304, None, marks, length=-1)
        return Page(version, type="text/plain", headers=marks)

    async def run() -> None:
        nonlocal version
        async with door(answer, cache=pages) as way:
            first = await way.fetch("http://page.example/a")
            pass_time(DAY)
            second = await way.fetch("http://page.example/a")
            assert way.site.asked("/b") == 2
            sent = way.site.log[-1].headers
            assert (sent.get("if-none-match"), sent.get("if-modified-since")) == (
                marks.get("ETag"),
                marks.get("Last-Modified"),
            )
            assert (second.content, second.status, second.cached) == (b"one", 200, False)
            assert second.redirects == first.redirects
            assert (await way.fetch("http://page.example/a")).cached
            pass_time(DAY)
            version = b"two"
            assert (await way.fetch("http://page.example/a")).content == b"two"
            assert (await way.fetch("http://page.example/a")).content == b"two"
            assert way.site.asked("/b") == 3

    clock.run(run())


def test_failures_are_not_cached(pages: Path) -> None:
    there = Page(b"no", status=500)

    async def run() -> None:
        nonlocal there
        async with door(lambda asked: there if asked.path == "/x" else Page(status=404), cache=pages) as way:
            await way.why("http://page.example/x")
            there = Page(b"yes")
            assert (await way.fetch("http://page.example/x")).content == b"yes"

    clock.run(run())


def test_a_robots_txt_is_cached_for_a_day_and_a_page_for_a_month(
    pages: Path, pass_time: Callable[[float], None]
) -> None:
    async def run() -> None:
        for hours, asked in ((0, 1), (20, 0), (20, 1)):
            pass_time(hours * 3_600)
            async with door(only(Page()), cache=pages) as way:
                await way.fetch(f"http://page.example/{hours}-{asked}")
                assert way.site.asked("/robots.txt") == asked

    clock.run(run())
    pass_time(31 * DAY)

    async def later() -> None:
        async with door(only(Page()), cache=pages):
            pass

    clock.run(later())
    with sqlite3.connect(pages) as database:
        assert database.execute("SELECT count(*) FROM pages").fetchone() == (0,)
    database.close()


def test_a_page_whose_cache_row_is_damaged_is_fetched_again(pages: Path) -> None:
    async def run() -> None:
        async with door(only(Page()), cache=pages) as way:
            await way.fetch("http://page.example/")
        for damage in (
            "value = 'x'",
            "value = x''",
            "value = CAST('{}\n' AS BLOB)",
            "value = substr(value, 1, 20)",
            "value = 5",
        ):
            database = sqlite3.connect(pages)
            database.execute(f"UPDATE pages SET {damage}")
            database.commit()
            database.close()
            async with door(only(Page()), cache=pages) as way:
                assert not (await way.fetch("http://page.example/")).cached
                assert (await way.fetch("http://page.example/")).cached

    clock.run(run())


def test_an_unwritable_cache_loses_no_page(pages: Path) -> None:
    async def run() -> None:
        async with door(only(Page()), cache=pages) as way:
            database = sqlite3.connect(pages)
            database.executescript("DROP TABLE pages; DROP TABLE robots;")
            database.close()
            assert (await way.fetch("http://page.example/")).status == 200

    clock.run(run())


def test_a_cache_that_cannot_be_opened_is_named(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("These are notes, and no database at all. " * 100)
    with pytest.raises(StoreError, match="not a database"):
        Fetcher(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text().startswith("These are notes")
    with pytest.raises(StoreError, match=r"notes\.txt"):
        Fetcher(tmp_path / "notes.txt" / "pages.db")
    pages.parent.mkdir()
    database = sqlite3.connect(pages)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer Factscope"):
        Fetcher(pages)


def test_two_fetchers_share_a_cache(pages: Path) -> None:
    async def run() -> None:
        async with door(only(Page()), cache=pages) as one, door(only(Page()), cache=pages) as two:
            both = [each.fetch(f"http://page.example/{number}") for number in range(50) for each in (one, two)]
            found = await asyncio.gather(*both, return_exceptions=True)
            assert not [each for each in found if isinstance(each, BoundaryError)]
            assert (await two.fetch("http://page.example/1")).cached

    clock.run(run())
