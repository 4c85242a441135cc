"""Checks answers that no one here wrote against the evidence that people gathered for them: no crash, counts add up.

    .venv/bin/python perf/real_input.py ../shared/data/facts_factcheck_bench.jsonl

Each row is one response with claims labelled by people (Factcheck-Bench, Wang et al. 2024). Every evidence text of a
row goes into a JSONL file of its own, and the response is checked against it with the method `builtin`.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from factscope.engine import check_sync
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings


def main(data: Path) -> None:
    """Check every row and print the results."""
    method, total, seconds, skipped = find_method("builtin"), Counter[str](), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(data.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            texts = [
                f["human_evidence"]
                for s in row["sentences"]
                for f in s["facts"]
                if (f.get("human_evidence") or "").strip()
            ]
            if not texts:
                skipped += 1
                continue
            evidence = Path(folder, f"{number}.jsonl")
            evidence.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
            began = time.perf_counter()
            tools = open_tools(evidence, settings=Settings(cache=Path(folder, "cache")))
            report = check_sync(row["response"], method, tools)
            seconds.append(time.perf_counter() - began)
            if sum(report.counts.values()) != len(report.unit_ids()):
                sys.exit(f"{row['id']}: the counts do not add up")
            if report.failures:
                sys.exit(f"{row['id']}: {report.failures[0].message}")
            total.update(report.counts)
    seconds.sort()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(f"{len(seconds)} responses checked, {skipped} without any evidence text left out, 0 failures")
    print(f"units: {total.total()}, of which {dict(total)}")
    print(f"seconds per response: median {seconds[len(seconds) // 2]:.3f}, worst {seconds[-1]:.3f}")
    print(f"peak memory: {peak:.0f} MB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: real_input.py FILE.jsonl")
    main(Path(sys.argv[1]))
