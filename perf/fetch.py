"""Time that the fetcher takes for many pages, beside the minimum set by its own limits and the servers' latency.

    .venv/bin/python perf/fetch.py [--pages 200] [--bytes 100000] [--latency 0.3]

A server in a process of its own answers every request after the latency; a pretended net gives its hosts public
addresses. Each host is asked for its robots.txt first, so that a page alone takes two latencies. What is dictated for p
pages on h hosts, with limits on requests per second and host (r), at once per host (c) and in all (a):

    the longest of  2 · latency                                        nothing waits
                    ceil((p + h) / a) · latency                        all slots are full all the time
                    latency + ceil(p/h / c) · latency                  a host's pages after its robots.txt, c at a time
                    floor(p/h / r) · 1 s + latency                     the last of a host's p/h + 1 requests, r a second

Exits with 1 when a run takes more than 1.2 times that and 0.5 s, or the event loop works for over 0.2 s without
a pause; what it stands still because other programs have the processor is printed beside.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

WITHIN, GRACE, LONGEST_LAG = 1.2, 0.5, 0.2


def dictated(pages: int, hosts: int, latency: float) -> float:
    """Return the seconds that any fetcher with these limits needs."""
    from factscope.evidence.fetch import FetchLimits

    limits, each = FetchLimits(), pages // hosts
    return max(
        2 * latency,
        math.ceil((pages + hosts) / limits.in_all) * latency,
        latency + math.ceil(each / limits.at_once) * latency,
        each // limits.per_second + latency,
    )


HOSTILE = b"<html><body>" + b"<p>some <b>words</b> <i>more</i></p>" * 500_000
"""A page of 18 MB that takes longer to read than a page may."""


async def measure(
    port: int, pages: int, hosts: int, cache: Path, read: bool = False
) -> tuple[float, float, float, float]:
    """Return wall seconds, CPU seconds, and the event loop's worst lag by the wall and by its own work.

    With `read` each page is read in the child processes too, and a hostile one among them.
    """
    from tests.lab.pages import Net

    from factscope.core.errors import BoundaryError
    from factscope.evidence.fetch import Fetcher
    from factscope.evidence.page.reader import PageReader

    net, worst, own = Net(port), 0.0, 0.0

    async def watch() -> None:
        nonlocal worst, own
        while True:
            began, used = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.002)
            worst = max(worst, time.perf_counter() - began - 0.002)
            own = max(own, time.thread_time() - used)

    async def one(number: int) -> None:
        page = await fetcher.fetch(f"http://h{number % hosts}.example/{number}")
        if read:
            content = HOSTILE if number == pages // 2 else page.content
            with suppress(BoundaryError):
                await reader.read(content, page.content_type, page.charset, page.url)

    async with PageReader() as reader, Fetcher(cache, resolve=net.resolve, open_socket=net.open_socket) as fetcher:
        await fetcher.fetch("http://first.example/")  # what is loaded and made once
        watcher = asyncio.create_task(watch())
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*map(one, range(pages)))
        seconds, used = time.perf_counter() - wall, time.process_time() - cpu
        watcher.cancel()
    return seconds, used, worst, own


def run(port: int, most: int, latency: float) -> bool:
    """Print the rows; whether one of them was slow."""
    slow = False
    names = f"{'CPU a page':>11} {'worst lag':>10} {'of it own':>9}"
    print(f"{'hosts':>6} {'seconds':>8} {'dictated':>9} {'ratio':>6} {names}")
    with tempfile.TemporaryDirectory() as folder:
        for hosts in (most, 50, 10):
            pages = most // hosts * hosts
            for again in (False, True):
                wall, cpu, lag, own = asyncio.run(measure(port, pages, hosts, Path(folder) / f"{hosts}.db"))
                least = 0.0 if again else dictated(pages, hosts, latency)
                slow |= wall > WITHIN * least + GRACE or own > LONGEST_LAG
                ratio = "cached" if again else f"{wall / least:.2f}"
                costs = f"{cpu / pages * 1000:>8.2f} ms {lag * 1000:>7.0f} ms {own * 1000:>6.0f} ms"
                print(f"{hosts:>6} {wall:>8.2f} {least:>9.2f} {ratio:>6} {costs}", flush=True)
        wall, cpu, lag, own = asyncio.run(measure(port, most, 50, Path(folder) / "read.db", read=True))
        slow |= own > LONGEST_LAG
        print(
            f"Fetched and read, one page of them hostile: {wall:.1f} s; the event loop lagged by {lag * 1000:.0f} ms at"
        )
        print(f"most, {own * 1000:.0f} ms of it its own work", flush=True)
    return slow


def main() -> int:
    """Print a row for each way to spread the pages over hosts, and one for pages that are in the cache."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--latency", type=float, default=0.3)
    given = parser.parse_args()
    command = [sys.executable, "-m", "tests.lab.pages", "--bytes", str(given.bytes), "--latency", str(given.latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            slow = run(int(server.stdout.readline()), given.pages, given.latency)
        finally:
            server.terminate()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
