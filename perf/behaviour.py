"""Results of the installed verifiers on the behaviour suite, as the table in the documentation.

    .venv/bin/python perf/behaviour.py --write docs/verifier-figures.md

Runs `factscope verifiers behaviour`. Its tables take the place of those between the marks in the page named.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from held_out import pasted

from factscope.judging.verifiers.builtin.large import is_installed

MARKS = ("<!-- behaviour: made by perf/behaviour.py -->", "<!-- behaviour: end -->")


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="page to write the tables into")
    asked = parser.parse_args()
    bench = [sys.executable, "-m", "factscope", "verifiers", "behaviour", "--format", "md"]
    if is_installed():  # then `builtin` is the large one, which would stand there twice
        bench += [word for name in ("small", "large", "features") for word in ("--verifier", f"builtin-{name}")]
    tables = subprocess.run(bench, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    print(tables)
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(pasted(page, tables, MARKS), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
