"""Faults at every call of every method: what they cost, and whether anything was lost or made up.

    .venv/bin/python perf/faults.py [--methods verify safe] [--share 1]

Each fault of `tests.engine.faults` is put into each call of a check, once lasting and once passing, and so are the
failures that affect all calls. After a lasting one the same check is made again with a healthy server. The texts are a
short one and, for methods with few calls, the reference response. With `--share n` one of n faults is put in.

`no trace`: lasting faults that cost nothing, as the call could be cut in halves or was not needed. `half judged`:
claims that something failed for and that have a verdict all the same; `otherwise`: those of them that end otherwise
for it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))


async def measure(name: str, text: str, documents: dict[str, str], share: int) -> Counter[str]:
    """Put faults into checks by one method and count what came of them. Prints what does not hold."""
    from tests import lab
    from tests.engine.conftest import tools_over
    from tests.engine.faults import FATAL, FAULTS, NEVER_TRIED_AGAIN, ground, half_judged, on_units, plain, wrong

    from factscope.engine.find_method import find_method

    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, lab.model_server() as server:
        tools = tools_over(documents, Path(folder))
        async with ground(text, find_method(name), tools, server) as checked:
            before = on_units(checked.whole)
            for site in checked.sites():
                seen["calls"] += 1
                for number, (kind, do) in enumerate(FAULTS.items()):
                    if (site.number + number) % share:
                        continue
                    report = await checked.strike(site, do)
                    seen["lasting"] += 1
                    problems = wrong(report, checked.whole)
                    halves = half_judged(report)
                    seen["units failed"] += report.counts["failed"]
                    seen["no trace"] += plain(report) == plain(checked.whole)
                    seen["half judged"] += len(halves)
                    seen["otherwise"] += sum(v.outcome != before[v.unit_id].outcome for v in halves)
                    if plain(await checked.again()) != plain(checked.whole):
                        problems.append("trying again did not make it whole")
                    if kind not in NEVER_TRIED_AGAIN:
                        seen["passing"] += 1
                        if plain(await checked.strike(site, do, once=True)) != plain(checked.whole):
                            problems.append("a fault that passed left a trace")
                    tell(name, site.number, kind, problems, seen)
                for number, (kind, do) in enumerate(FATAL.items()):
                    if (site.number + number) % share == 0:
                        seen["fatal"] += 1
                        stopped = await checked.stops(site, do)
                        tell(name, site.number, kind, [] if stopped else ["it did not stop the check"], seen)
    return seen


def tell(method: str, call: int, kind: str, problems: Sequence[str], seen: Counter[str]) -> None:
    """Print what does not hold, and count it."""
    seen["wrong"] += bool(problems)
    for problem in problems:
        print(f"{method}, call {call}, {kind}: {problem}")


def main() -> None:
    """Measure all methods and print what was counted. Ends with 1 when something does not hold."""
    from tests.conftest import DOCUMENTS, TEXT
    from tests.engine import reference

    short, long = (TEXT, DOCUMENTS), (reference.TEXT, reference.DOCUMENTS)
    few_calls = ["facts-and-evidence", "factscore", "veriscore", "standard"]
    options = argparse.ArgumentParser()
    options.add_argument("--methods", nargs="+", default=["verify", "safe", *few_calls])
    options.add_argument("--share", type=int, default=1)
    given = options.parse_args()
    columns = ["calls", "lasting", "passing", "fatal", "units failed", "no trace", "half judged", "otherwise", "wrong"]
    print(f"{'method':<20}" + "".join(f"{column:>14}" for column in columns) + f"{'seconds':>10}")
    total: Counter[str] = Counter()
    for name in given.methods:
        for text, documents in (short, long) if name in few_calls else (short,):
            began = time.perf_counter()
            seen = asyncio.run(measure(name, text, documents, given.share))
            total += seen
            row = "".join(f"{seen[column]:>14,}" for column in columns)
            print(f"{name:<20}{row}{time.perf_counter() - began:>10.0f}", flush=True)
    faults = total["lasting"] + total["passing"] + total["fatal"]
    print(f"{faults:,} faults; {total['wrong']} after which something did not hold")
    sys.exit(1 if total["wrong"] else 0)


if __name__ == "__main__":
    main()
