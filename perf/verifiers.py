"""Accuracy of the installed verifiers, on labelled pairs that the built-in one was not trained on.

    .venv/bin/python perf/verifiers.py --data DATA --write docs/verifier-figures.md

Writes the pairs into `build/held_out`, a file for each set, and runs `factscope verifiers bench` on them. Its tables
take the place of those between the marks in the page named with `--write`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from held_out import ROOT, held_out, pasted

MARKS = ("<!-- figures: made by perf/verifiers.py -->", "<!-- figures: end -->")
PAIRS = ROOT / "build" / "held_out"


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--write", type=Path, help="page to write the tables into")
    asked = parser.parse_args()
    PAIRS.mkdir(parents=True, exist_ok=True)
    for name, rows in held_out(asked.data):
        lines = [json.dumps({"claim": row.claim, "evidence": row.passage, "label": row.label}) for row in rows]
        (PAIRS / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bench = [sys.executable, "-m", "factscope", "verifiers", "bench", "--data", str(PAIRS), "--format", "md"]
    tables = subprocess.run(bench, check=True, stdout=subprocess.PIPE, text=True).stdout
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    text = f"Commit {commit.stdout.strip() or 'unknown'}. {tables.strip()}"
    print(text)
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(pasted(page, text, MARKS), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
