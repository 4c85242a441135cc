"""Train the built-in verifier's network in its stages, then export, fit and measure it.

    python -m training.small --data ../shared/data --work build/verifier

Each stage begins from the weights of the one before and goes on from its own checkpoint when it was stopped.
On one core with AVX-512 the three take about an hour and a half.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

NAME = "builtin-5"


class Stage(NamedTuple):
    """One pass over a mixture of pairs."""

    name: str
    rate: str
    fills: str
    """How often each family is filled."""
    made: str
    easy: str
    seed: str
    caps: str
    """Most rows of a labelled set."""


STAGES = (
    Stage("one", "2e-4", "2", "7000", "4000", "3", "vitaminc=26000,snli=10000,cad_nli=6000,conjnli=6000,med=2700"),
    Stage("two", "1.6e-4", "6", "7000", "4000", "7", "vitaminc=12000,snli=4000,cad_nli=4000,conjnli=3000,med=1500"),
    Stage("three", "2e-4", "2", "4000", "5000", "11", "vitaminc=45000,snli=10000,cad_nli=6000,conjnli=4000,med=1500"),
)
"""Human-labelled pairs first, then mostly families, then more of the former. What shipped was made so, save that its
first stage was a pass over all pairs (134,360) stopped after 65,000, with the families that there were then."""


def main() -> None:
    """Run each stage that is not done, then finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/verifier"))
    options = parser.parse_args()
    before: Path | None = None
    for stage in STAGES:
        weights = options.work / f"{stage.name}.pt"
        if not weights.with_suffix(".json").is_file():  # written at the end of a stage
            _run("training.train", options.data, *_words(stage, options.work, before))
        before = weights
    _run("training.finish", options.data, "--weights", str(before), "--name", NAME)


def _words(stage: Stage, work: Path, before: Path | None) -> list[str]:
    words = ["--work", str(work), "--stage", stage.name]
    for option in ("rate", "fills", "made", "easy", "seed", "caps"):
        words += [f"--{option}", getattr(stage, option)]
    return [*words, *(["--start", str(before)] if before else [])]


def _run(module: str, data: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, "--data", str(data), *words], check=True)


if __name__ == "__main__":
    main()
