"""Requests to one host: neither too frequent nor too many at once, and waiting as long as the host asks."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from factscope.evidence.fetch import FetchLimits
from tests.evidence.fetch.door import QUICK, door
from tests.lab import clock
from tests.lab.pages import Asked, Page, only


def test_a_host_gets_two_requests_a_second_and_two_at_once_while_others_continue() -> None:
    async def run() -> None:
        async with door(only(Page(delay=0.3)), FetchLimits()) as way:
            loop = asyncio.get_running_loop()
            began = loop.time()
            busy = [way.fetch(f"http://busy.example/{number}") for number in range(5)]
            others = [way.fetch(f"http://h{number}.example/") for number in range(20)]
            await asyncio.gather(*others, *busy)
            seconds = loop.time() - began
            starts = [asked.time for asked in way.site.log if asked.host == "busy.example"]
            assert len(starts) == 6
            assert all(third - first >= 0.95 for first, third in zip(starts, starts[2:], strict=False))
            # Three pairs of requests, the last taking its 0.3 s; the other hosts need not wait.
            assert seconds > 2.1
            assert max(asked.time for asked in way.site.log if asked.host != "busy.example") < starts[-1]

    clock.run(run())


def test_no_more_requests_run_at_once_than_allowed_per_host_and_in_total() -> None:
    async def run() -> None:
        async with door(only(Page(delay=0.05)), QUICK) as way:
            await asyncio.gather(*(way.fetch(f"http://one.example/{number}") for number in range(10)))
            assert way.site.most == 2
        async with door(only(Page(delay=0.05)), QUICK._replace(in_all=7)) as way:
            await asyncio.gather(*(way.fetch(f"http://h{number}.example/") for number in range(30)))
            assert way.site.most == 7

    clock.run(run())


def test_waiting_for_a_turn_does_not_count_as_slowness_but_has_its_own_limit() -> None:
    async def run() -> None:
        slow = only(Page(delay=0.1))
        async with door(slow, QUICK._replace(seconds=0.5, at_once=1)) as way:
            found = await asyncio.gather(*(way.fetch(f"http://one.example/{number}") for number in range(10)))
            assert len(found) == 10
        async with door(slow, QUICK._replace(at_once=1, patience=0.35)) as way:
            results = await asyncio.gather(
                *(way.fetcher.fetch(f"http://one.example/{number}") for number in range(10)), return_exceptions=True
            )
            failures = [str(result) for result in results if isinstance(result, Exception)]
            assert 5 <= len(failures) <= 9
            assert all("its turn at one.example did not come within 0.35 s" in failure for failure in failures)

    clock.run(run())


def test_hundreds_of_pages_of_one_host_all_get_their_turn() -> None:
    """As a check of a long text against an encyclopaedia needs them: two a second take longer than a minute."""

    async def run() -> None:
        async with door(only(Page()), FetchLimits()) as way:
            await asyncio.gather(*(way.fetch(f"http://one.example/{number}") for number in range(300)))

    clock.run(run())


@pytest.mark.parametrize(("asked", "longest", "between"), [("0.25", 10.0, 0.25), ("3600", 0.3, 0.3)])
def test_a_crawl_delay_is_honoured_up_to_a_bound(asked: str, longest: float, between: float) -> None:
    robots = Page(f"User-agent: *\nCrawl-delay: {asked}".encode())

    async def run() -> None:
        limits = QUICK._replace(longest_delay=longest)
        async with door(lambda asked: robots if asked.path == "/robots.txt" else Page(), limits) as way:
            await asyncio.gather(*(way.fetch(f"http://slow.example/{number}") for number in range(3)))
            starts = [asked.time for asked in way.site.log]
            assert all(later - earlier >= between - 0.05 for earlier, later in pairwise(starts))

    clock.run(run())


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_for_a_short_wait_is_asked_again_afterwards(status: int) -> None:
    def answer(asked: Asked) -> Page:
        if asked.path != "/busy" or any(each.path == "/busy" for each in log[:-1]):
            return Page() if asked.path != "/robots.txt" else Page(status=404)
        return Page(b"", status, headers={"Retry-After": "1"})

    log: list[Asked] = []

    async def run() -> None:
        async with door(lambda asked: (log.append(asked), answer(asked))[1]) as way:
            found, other = await asyncio.gather(
                way.fetch("http://busy.example/busy"), way.fetch("http://free.example/")
            )
            assert (found.status, other.status) == (200, 200)
            first, second = (asked.time for asked in way.site.log if asked.path == "/busy")
            assert second - first >= 0.95

    clock.run(run())


def test_a_host_that_asks_to_wait_long_is_left_alone() -> None:
    busy = Page(b"", 429, headers={"Retry-After": "3600"})

    async def run() -> None:
        async with door(only(busy)) as way:
            assert "fewer requests (429), and asks to come back in 3,600 s" in await way.why("http://busy.example/1")
            for number in range(2, 5):
                assert "busy.example asks to wait 3,600 s" in await way.why(f"http://busy.example/{number}")
            assert len(way.site.log) == 2

    clock.run(run())


def test_requests_identify_factscope() -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            await way.fetch("http://page.example/")
            for asked in way.site.log:
                assert asked.headers["user-agent"].startswith("Factscope/")
                assert "https://pypi.org/project/factscope/" in asked.headers["user-agent"]
                assert asked.headers["accept-encoding"] == "gzip, deflate"
                assert asked.headers.keys() == {"host", "user-agent", "accept", "accept-encoding"}

    clock.run(run())
