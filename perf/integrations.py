"""Overhead of the integrations over the bare check, in CPU time.

    .venv/bin/python perf/integrations.py [ROUNDS]

The same answer is checked bare, through the loop that all integrations share, and with traces (without an exporter).
Each is measured `ROUNDS` times in turn; the medians are compared.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import factscope as fs
from factscope.integrations.assessment import Assessor
from factscope.integrations.opentelemetry import TracedChecker

CONTEXTS = ["In 1858 a first-order Fresnel lens was fitted. Electric light came to the lighthouse in 1937."] * 3
ANSWER = " ".join(f"The Fresnel lens number {n} was fitted in {1850 + n}." for n in range(10))


def main() -> None:
    """Measure and print a line for each."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    assessor = Assessor()
    with fs.Checker() as bare, TracedChecker() as traced:
        ways: dict[str, Callable[[], object]] = {
            "bare": lambda: bare.check(ANSWER, contexts=CONTEXTS),
            "shared loop": lambda: assessor.assess(ANSWER, CONTEXTS),
            "traced": lambda: traced.check(ANSWER, contexts=CONTEXTS),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, work in ways.items():
                before = time.process_time()
                work()
                seconds[name].append(time.process_time() - before)
    medians = {name: statistics.median(times[1:]) for name, times in seconds.items()}
    for name, median in medians.items():
        print(f"{name}: {1000 * median:.1f} ms of CPU, {100 * (median / medians['bare'] - 1):+.1f} %")


if __name__ == "__main__":
    main()
