"""Memory and time of a run over many responses, at two sizes.

    .venv/bin/python perf/many.py [--claims 10000 100000] [--method standard]

Responses of 25 sentences, each a claim, with a collection of documents about them; the model is the laboratory's
stand-in on the loopback interface, so the time is that of the stand-in and of us. Each size is a fresh process and a
fresh store. Then the finished run is started again. Prints the peak memory of the process, the time per claim, and
the processor time of the second start; exits with 1 above 500 MB, or when a claim of the larger run takes over 1.2
times the processor time of one of the smaller.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

SENTENCES = 25
MOST_MEGABYTES = 500
STEEPEST = 1.2


def main() -> int:
    """Run each size in a process of its own and print what it used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, nargs=2, default=[10_000, 100_000])
    parser.add_argument("--method", default="standard")
    parser.add_argument("--alone", nargs=2, metavar=("CLAIMS", "URL"))
    asked = parser.parse_args()
    if asked.alone:
        print(json.dumps(asyncio.run(_run(int(asked.alone[0]), asked.alone[1], asked.method))))
        return 0
    from tests import lab

    rows = []
    for claims in asked.claims:
        with lab.model_server() as server:
            command = [sys.executable, __file__, "--method", asked.method, "--alone", str(claims), server.url]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout.splitlines()[-1])
        rows.append(row)
        print(
            f"{row['claims']:>8,} claims, {row['responses']:,} responses: {row['seconds']:,.1f} s,"
            f" {1000 * row['seconds'] / row['claims']:.2f} ms a claim ({1000 * row['work'] / row['claims']:.2f} ms of"
            f" work), peak {row['megabytes']:,.0f} MB,"
            f" {row['failed']} failed, summary in {row['summary']:.1f} s, started again: {row['again']:.2f} s of work",
            flush=True,
        )
    slope = (rows[1]["work"] / rows[1]["claims"]) / (rows[0]["work"] / rows[0]["claims"])
    more = (rows[1]["again"] - rows[0]["again"]) / (rows[1]["claims"] - rows[0]["claims"])
    print(f"work per claim, larger to smaller: {slope:.2f}; again, {1000 * more:.3f} ms of work for each claim more")
    return int(slope > STEEPEST or max(row["megabytes"] for row in rows) > MOST_MEGABYTES)


async def _run(claims: int, url: str, name: str) -> dict[str, float]:
    from dataclasses import replace

    from tests.lab import Server
    from tests.lab.tools import models_for

    from factscope.core.records import Response
    from factscope.engine import Provenance, fold
    from factscope.engine.find_method import find_method
    from factscope.engine.open_tools import open_tools
    from factscope.engine.run import Runner, run_many
    from factscope.engine.run_store import Store
    from factscope.engine.settings import Settings
    from factscope.llm.call_cache import Cache
    from factscope.scoring import summarise_all

    def sentences(number: int) -> str:
        return " ".join(
            f"House {number * SENTENCES + n} of Marlow was built in {1800 + (number + n) % 200}."
            for n in range(SENTENCES)
        )

    def responses() -> Iterator[Response]:
        for number in range(claims // SENTENCES):
            yield Response(id=f"r{number + 1}", text=sentences(number))

    with tempfile.TemporaryDirectory() as folder:
        evidence = Path(folder) / "evidence"
        evidence.mkdir()
        for number in range(40):
            (evidence / f"{number}.txt").write_text(sentences(number), encoding="utf-8")
        tools = open_tools(evidence, settings=Settings(cache=Path(folder) / "cache"))
        server = Server(int(url.rpartition(":")[2]))
        with Cache(Path(folder) / "replies.db") as cache, Store(Path(folder) / "runs.db") as store:
            tools = replace(tools, models=models_for(server, cache=cache, in_flight=64))
            began, worked = time.monotonic(), time.process_time()
            async with tools:
                many = await run_many(responses(), find_method(name), Runner(tools, store), "perf")
                seconds, work = time.monotonic() - began, time.process_time() - worked
            worked = time.process_time()
            async with replace(tools, models=models_for(server, cache=cache, in_flight=64)) as tools:
                again = await run_many(responses(), find_method(name), Runner(tools, store), "perf")
            repeated = time.process_time() - worked
            if again.reused != many.done:
                sys.exit(f"{again.reused} of {many.done} responses were kept")
            how = Provenance(find_method(name))
            began = time.monotonic()
            summarise_all(fold(store.events(many.run, one), how) for one in store.ended(many.run))
            summary = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "claims": claims, "responses": many.done, "seconds": seconds, "work": work, "megabytes": peak,
        "failed": many.with_failures, "summary": summary, "again": repeated,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
