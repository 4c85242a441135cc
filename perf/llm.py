"""CPU that a call to a model costs the client, beside the floor: aiohttp posting the same bytes and reading the reply.

    .venv/bin/python perf/llm.py [--calls 4000] [--repeats 3]

A server in its own process answers each call after 200 ms. Ours and the floor are measured alternately, each in a fresh
process, so that neither benefits from the other's caches. `asked` includes everything: schema, reading the reply, and
storing it in the cache. The first calls are not counted, nor what is loaded by them. Garbage is collected as seldom as
in each command (`factscope.__main__.collect_seldom`), but in the floor at Python's default thresholds; `seldom`
is the floor with garbage collected as in ours.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parent.parent))
from factscope.__main__ import collect_seldom

LATENCY = 0.2
PROMPT = "The quick brown fox jumps over the lazy dog. " * 68  # about 3 kB

_FLOORS = ("floor", "seldom")
WARM_UP = 16
"""Calls before the clock starts."""
Begin = Callable[[], None]


class Opinion(BaseModel):
    """The form of the reply."""

    label: Literal["supported", "contradicted", "not_enough_evidence"]
    reason: str


async def floor(url: str, calls: int, flying: int, begin: Begin) -> None:
    """Make the same calls with aiohttp alone."""
    import aiohttp

    limit = asyncio.Semaphore(flying)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one(number: int) -> str:
            messages = [{"role": "user", "content": f"{number} {PROMPT}"}]
            body = json.dumps({"model": "lab", "messages": messages, "temperature": 0.0, "max_tokens": 2048})
            async with limit, session.post(f"{url}/chat/completions", data=body.encode()) as response:
                return str(json.loads(await response.read())["choices"][0]["message"]["content"])

        await asyncio.gather(*(one(-number) for number in range(1, WARM_UP + 1)))
        begin()
        await asyncio.gather(*(one(number) for number in range(calls)))


async def ours(url: str, calls: int, flying: int, cache: Path | None, begin: Begin) -> None:
    """Make calls through the client; with `cache` also with a schema, reading and storing."""
    from factscope.llm.call import Call, Message
    from factscope.llm.call_cache import Cache
    from factscope.llm.http_calls import HttpSender
    from factscope.llm.limits import CallLimits
    from factscope.llm.model_client import ModelClient
    from factscope.llm.structured import ask, json_reader, schema_of

    live = HttpSender({"OPENAI_BASE_URL": url}, CallLimits(in_flight=flying))
    opened = Cache(cache / "replies.db") if cache else None
    schema, read = (schema_of(Opinion), json_reader(Opinion)) if cache else (None, None)
    async with ModelClient(live, opened) as client:

        async def one(number: int) -> object:
            call = Call("judge", "openai/lab", (Message("user", f"{number} {PROMPT}"),), schema=schema)
            return await ask(client, call, read) if read else await client.complete(call)

        await asyncio.gather(*(one(-number) for number in range(1, WARM_UP + 1)))
        begin()
        await asyncio.gather(*(one(number) for number in range(calls)))
    if opened:
        opened.close()


def measure(way: str, url: str, calls: int, flying: int) -> None:
    """Make the calls in this process and print their cost."""
    importlib.import_module("aiohttp")
    if way not in _FLOORS:
        importlib.import_module("factscope.llm.session")
    if way != "floor":
        collect_seldom()  # as every command does
    began: list[float] = []

    def begin() -> None:
        began[:] = time.perf_counter(), time.process_time()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(
            floor(url, calls, flying, begin)
            if way in _FLOORS
            else ours(url, calls, flying, Path(folder) if way == "asked" else None, begin)
        )
    seconds, used = time.perf_counter() - began[0], time.process_time() - began[1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": 1000 * used / calls, "wall": seconds, "memory": memory}))


def main() -> None:
    """Measure all ways alternately and print the medians."""
    from tests.lab import model_server

    options = argparse.ArgumentParser()
    options.add_argument("--calls", type=int, default=4000)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--one", nargs=4)
    given = options.parse_args()
    if given.one:
        way, url, calls, flying = given.one
        measure(way, url, int(calls), int(flying))
        return
    print(f"{'in flight':>9}  {'way':<6} {'CPU ms/call':>11} {'wall s':>7} {'ideal s':>7} {'peak MB':>8}")
    with model_server() as server:
        for flying in (256, 2000):
            rows: dict[str, list[dict[str, float]]] = {"floor": [], "seldom": [], "call": [], "asked": []}
            for _ in range(given.repeats):
                for way, found in rows.items():
                    server.script([{"do": {"delay": LATENCY}}])
                    command = [sys.executable, __file__, "--one", way, server.base_url, str(given.calls), str(flying)]
                    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    found.append(json.loads(printed))
                    if server.most() > flying:
                        sys.exit(f"{server.most()} calls were in flight, not {flying}")
            for way, found in rows.items():
                cpu, wall, memory = (
                    statistics.median(row[name] for row in found) for name in ("cpu", "wall", "memory")
                )
                ideal = LATENCY * given.calls / flying
                print(f"{flying:>9}  {way:<6} {cpu:>11.2f} {wall:>7.2f} {ideal:>7.2f} {memory:>8.0f}")


if __name__ == "__main__":
    main()
