"""One helper process that loads the parsers once and forks children that read pages; pages survive any kill."""

import asyncio
import os
import signal
import subprocess
import textwrap
import time
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from pathlib import Path

import pytest

from factscope.core import BoundaryError
from factscope.evidence import ForkServer, fork_server
from factscope.evidence.page import PageReader, ReadPage
from tests.evidence.example_files import text_pdf
from tests.evidence.page.tricks import page
from tests.lab import warm

URL = "https://example.org/bridge"
GOOD = page("")
SLOW = b"<html><body>" + b"<p>some <b>words</b> <i>more</i></p>" * 300_000
LONG = b"<html><body><article>" + b"<p>The bridge was opened in 1932, and it is still in use.</p>" * 5_000
COUNTER = """
import os, sys

class Counter:
    def find_spec(self, name, path=None, target=None):
        if name in ("trafilatura", "pypdf"):
            with open({log!r}, "a") as log:
                log.write(f"{{name}} {{os.getpid()}}\\n")

sys.meta_path.insert(0, Counter())
"""


@pytest.fixture
def server() -> Iterator[ForkServer]:
    """Return the fork server of this process, not yet started."""
    server = fork_server()
    server.close()
    yield server
    server.close()


def in_loop(test: Callable[..., Coroutine[object, object, None]]) -> Callable[..., None]:
    """Run a coroutine test in its own event loop."""

    @wraps(test)
    def run(*args: object, **fixtures: object) -> None:
        asyncio.run(test(*args, **fixtures))

    return run


async def read(reader: PageReader, content: bytes = GOOD) -> ReadPage:
    return await reader.read(content, None, None, URL)


def gone(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().split()[2] == "Z":
            return True
        time.sleep(0.05)
    return False


def sleeps(pid: int) -> bool:
    """Tell whether a child waits for its page, where the system shows it."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().split()[2] == "S"


def children_of(server: ForkServer) -> list[int] | None:
    """Return process ids, or None where the system does not show them."""
    path = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    return [int(pid) for pid in path.read_text().split()] if path.exists() else None


@pytest.mark.medium
@in_loop
async def test_parsers_are_imported_once_for_25_pages_and_two_readers(
    server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "imports"
    (tmp_path / "sitecustomize.py").write_text(COUNTER.format(log=str(log)))
    monkeypatch.syspath_prepend(tmp_path)
    async with PageReader(at_once=4) as reader:
        pages = await asyncio.gather(*(read(reader) for _ in range(25)))
        assert {page.title for page in pages} == {"The Marlow bridge"}
        assert len({child.pid for child in reader.idle}) == 4
        assert log.read_text().split() == ["trafilatura", str(server.pid)]  # without a PDF, no PDF parser
    async with PageReader(at_once=2) as reader:
        pdf = text_pdf("It opened in 1932.")
        assert {page.text for page in await asyncio.gather(*(read(reader, pdf) for _ in range(5)))} == {
            "It opened in 1932."
        }
        assert len(reader.idle) == 2
        await read(reader)
        assert len(reader.idle) == 2
    assert log.read_text().split() == ["trafilatura", str(server.pid), "pypdf", str(server.pid)]


@pytest.mark.medium
@in_loop
async def test_a_killed_reader_loses_its_page_and_no_other(server: ForkServer) -> None:
    async with PageReader(at_once=2) as reader:
        await asyncio.gather(read(reader), read(reader))
        before = {child.pid for child in reader.idle}
        slow = asyncio.create_task(read(reader, SLOW))
        await asyncio.sleep(0)
        [other] = [child.pid for child in reader.idle]
        [busy] = before - {other}
        good = asyncio.create_task(read(reader, LONG))
        while sleeps(busy):  # noqa: ASYNC110 - one that has no page yet would be replaced
            await asyncio.sleep(0.001)
        os.kill(busy, signal.SIGKILL)
        with pytest.raises(BoundaryError, match="broke the process"):
            await slow
        assert "1932" in (await good).text
        assert (await read(reader)).kind == "article"
        assert server.pid
        assert gone(busy)


@pytest.mark.medium
@in_loop
async def test_a_killed_server_is_started_again_and_every_page_is_read(server: ForkServer) -> None:
    async with PageReader(at_once=2) as reader:
        await asyncio.gather(read(reader), read(reader))
        children = [child.pid for child in reader.idle]
        for turns in (0, 10):  # at their start, and halfway
            first = server.pid
            assert first
            pages = [asyncio.create_task(read(reader, LONG)) for _ in range(4)]
            for _ in range(turns):
                await asyncio.sleep(0.01)
            os.kill(first, signal.SIGKILL)
            assert all("1932" in page.text for page in await asyncio.gather(*pages))
        await read(reader)
        assert server.pid not in (None, first)
        assert all(gone(pid) for pid in children if pid)


@in_loop
async def test_ctrl_c_is_left_to_the_caller(server: ForkServer) -> None:
    async with PageReader(at_once=2) as reader:
        await read(reader)
        pids = (server.pid, reader.idle[-1].pid)
        for pid in pids:
            assert pid
            os.kill(pid, signal.SIGINT)
        await read(reader)
        assert (server.pid, reader.idle[-1].pid) == pids


@pytest.mark.parametrize("turns", [0, 1, 3])
@in_loop
async def test_a_page_cancelled_before_the_server_is_ready_leaves_no_child(server: ForkServer, turns: int) -> None:
    async with PageReader(at_once=2) as reader:
        tasks = [asyncio.create_task(read(reader, SLOW)) for _ in range(4)]
        for _ in range(turns):
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        assert all(isinstance(end, BaseException) for end in await asyncio.gather(*tasks, return_exceptions=True))
        await read(reader)
        assert children_of(server) in (None, [reader.idle[0].pid])


def test_a_killed_process_leaves_nothing_behind_and_its_fork_has_its_own_server() -> None:
    script = """
        import asyncio, os, signal
        from factscope.evidence.forked import fork_server
        from factscope.evidence.page.reader import PageReader

        async def work(kill):
            async with PageReader() as reader:
                await reader.read(b"<p>The bridge was opened in 1932.</p>", "text/html", None, "http://a.example/")
                print(fork_server().pid, reader.idle[0].pid, flush=True)
                if kill:
                    os.kill(os.getpid(), signal.SIGKILL)

        asyncio.run(work(False))
        if (child := os.fork()) == 0:
            asyncio.run(work(False))
            fork_server().close()
            os._exit(0)
        os.waitpid(child, 0)
        asyncio.run(work(True))
    """
    ended = subprocess.run([warm.python(), "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    pids = [int(pid) for pid in ended.stdout.split()]
    assert pids[0] == pids[4] != pids[2]
    assert len({*pids}) == 5
    assert all(gone(pid) for pid in pids)
