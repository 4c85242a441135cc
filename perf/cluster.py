"""A Ray cluster on this machine, bound by the latency of a model server: how near four workers come to the ideal.

    .venv/bin/python perf/cluster.py [RESPONSES]

A loopback server answers each call after a second. One worker has eight responses at once, four have 32, so without a
rate budget four are ideally four times as fast, and with one of `IN_FLIGHT` calls at once no faster than it allows.
Counted is the time from the first call that the server sees to the last, so that starting processes, which a long run
does once, is left out. Each run has a cache and a store of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import lab  # noqa: E402

LATENCY = 1.0
IN_FLIGHT = 16


class Measured(NamedTuple):
    """One run as the server saw it."""

    seconds: float
    calls: int
    at_once: int


def measure(folder: Path, server: lab.Server, name: str, *more: str) -> Measured:
    """Run the command line to its end."""
    server.script([{"do": {"delay": LATENCY}}])
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.base_url, "FACTSCOPE_CACHE": str(folder / name)}
    command = [sys.executable, "-m", "factscope", "run", str(folder / "rows.jsonl"), "--quiet"]
    command += ["--evidence", str(ROOT / "examples" / "harbour"), "--model", "openai/stand-in"]
    command += ["--store", str(folder / f"{name}.db"), "--format", "json", "-o", str(folder / f"{name}.json"), *more]
    subprocess.run(command, env={**os.environ, **keys}, check=True)
    times = [call["time"] for call in server.log()]
    return Measured(max(times) - min(times) + LATENCY, server.count(), server.most())


def main() -> None:
    """Print seconds, calls, and the share of the ideal speed-up."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    rows = [
        {"id": f"r{i}", "text": f"Lighthouse {i} was built in {1700 + i}. It is {i} metres tall."} for i in range(n)
    ]
    with tempfile.TemporaryDirectory() as made, lab.model_server() as server:
        folder = Path(made)
        (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        ray, budget = ("--engine", "ray", "--ray-workers"), ("--in-flight", str(IN_FLIGHT))
        one = measure(folder, server, "one", *ray, "1")
        four = measure(folder, server, "four", *ray, "4")
        held = measure(folder, server, "held", *ray, "4", *budget)
        for name, each in (("1 worker", one), ("4 workers", four), (f"4 workers, {IN_FLIGHT} at once", held)):
            print(f"{name:24} {each.seconds:7.1f} s  {each.calls:6,} calls  at most {each.at_once} at once")
        faster = one.seconds / four.seconds
        print(f"four workers: {faster:.2f} × one; of the ideal 4: {faster / 4:.2f}")
        ideal = held.calls * LATENCY / IN_FLIGHT
        print(f"with the budget: ideal {ideal:.1f} s, share reached {ideal / held.seconds:.2f}")


if __name__ == "__main__":
    main()
