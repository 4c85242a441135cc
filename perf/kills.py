"""A run over many responses, killed without warning again and again, and started again by the same call.

    .venv/bin/python perf/kills.py [--kills 500] [--method standard] [--share]

A child process checks responses with the laboratory's model and is killed at random moments (SIGKILL, from a seed),
from the first of its calls to the writing of its last record. After each kill the store is read: no verdict that was
there before may be missing. At the end the reports must be those of an undisturbed run, and the server may have seen
at most as many calls more as were in flight at the kills. With `--share` short responses share calls. Exits with 1 if
anything does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

IN_FLIGHT = 8


def main() -> int:
    """Kill, start again, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--method", default="standard")
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--child", nargs=3, metavar=("URL", "FOLDER", "RESPONSES"))
    asked = parser.parse_args()
    if asked.child:
        url, folder, number = asked.child
        asyncio.run(_run(url, Path(folder), int(number), asked.method, share=asked.share))
        return 0
    from tests import lab

    chance, kills, lost, began = random.Random(7), 0, 0, time.monotonic()
    responses = 2 * asked.kills  # enough that the work does not end before the kills
    with tempfile.TemporaryDirectory() as folder, lab.model_server([{"do": {"delay": 0.05}}]) as server:
        _evidence(Path(folder))
        known: set[tuple[str, str, str]] = set()
        while True:
            command = [
                sys.executable,
                __file__,
                "--method",
                asked.method,
                "--child",
                server.url,
                folder,
                str(responses),
                *(["--share"] if asked.share else []),
            ]
            before, wanted = server.count(), chance.randrange(1, 25)
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            while process.poll() is None and (kills >= asked.kills or server.count() < before + wanted):
                time.sleep(0.002)
            if process.poll() is not None:
                break
            time.sleep(chance.random() * 0.05)
            process.kill()
            process.wait()
            kills += 1
            now = _verdicts(Path(folder))
            lost += len(known - now)
            known |= now
            if kills % 50 == 0:
                print(f"{kills} kills, {len(known):,} verdicts on disk, {lost} lost", flush=True)
        made, ended = server.count(), _verdicts(Path(folder))
    with tempfile.TemporaryDirectory() as folder, lab.model_server() as server:
        _evidence(Path(folder))
        asyncio.run(_run(server.url, Path(folder), responses, asked.method, share=asked.share))
        needed, undisturbed = server.count(), _verdicts(Path(folder))
    print(
        f"{kills} kills in {time.monotonic() - began:,.0f} s: {lost} verdicts lost; {made:,} calls where {needed:,} are"
        f" needed, {made - needed:,} more with at most {kills * IN_FLIGHT:,} in flight; exit code {process.returncode};"
        f" {len(ended ^ undisturbed)} verdicts differ from an undisturbed run's {len(undisturbed):,}"
    )
    return int(lost > 0 or process.returncode != 0 or made - needed > kills * IN_FLIGHT or ended != undisturbed)


def _evidence(folder: Path) -> None:
    (folder / "evidence.txt").write_text("The Marlow bridge was opened in 1931. It has four arches.", encoding="utf-8")


def _verdicts(folder: Path) -> set[tuple[str, str, str]]:
    """Read the stored verdicts: response, claim and outcome."""
    from factscope.core.records import Verdict
    from factscope.engine.run_store import Store

    with Store(folder / "runs.db") as store:
        return {
            (response, event.unit_id, event.outcome)
            for run in store.runs()
            for response in store.ended(run.id)
            for event in store.events(run.id, response)
            if isinstance(event, Verdict) and event.level == "claim"
        }


async def _run(url: str, folder: Path, number: int, method: str, *, share: bool) -> None:
    from dataclasses import replace

    from tests.lab import Server
    from tests.lab.tools import models_for

    from factscope.core.records import Response
    from factscope.engine.find_method import find_method
    from factscope.engine.open_tools import open_tools
    from factscope.engine.run import Runner, run_many
    from factscope.engine.run_store import Store
    from factscope.engine.settings import Settings
    from factscope.llm.call_cache import Cache

    responses = (
        Response(id=f"r{n}", text=f"The Marlow bridge {n} was opened in 1931. It has four arches.")
        for n in range(number)
    )
    tools = open_tools(folder / "evidence.txt", settings=Settings(cache=folder / "cache"))
    server = Server(int(url.rpartition(":")[2]))
    with Cache(folder / "replies.db") as cache, Store(folder / "runs.db") as store:
        models = models_for(server, cache=cache, in_flight=IN_FLIGHT)
        async with replace(tools, models=models, share_calls=share) as using:
            await run_many(responses, find_method(method), Runner(using, store), "kills")


if __name__ == "__main__":
    sys.exit(main())
