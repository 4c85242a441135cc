"""Train the built-in verifier's network in its stages, then export, fit and measure it.

    python -m training.small --data ../shared/data --work build/verifier

Each stage begins from the weights of the one before and goes on from its own checkpoint when it was stopped.
On one core with AVX-512 the first three take about an hour and a half.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

NAME = "builtin-5"
FURTHER_NAME = "builtin-6"
STAGES = (
    "one --rate 2e-4 --fills 2 --made 7000 --easy 4000 --seed 3 "
    "--caps vitaminc=26000,snli=10000,cad_nli=6000,conjnli=6000,med=2700",
    "two --rate 1.6e-4 --fills 6 --made 7000 --easy 4000 --seed 7 "
    "--caps vitaminc=12000,snli=4000,cad_nli=4000,conjnli=3000,med=1500",
    "three --rate 2e-4 --fills 2 --made 4000 --easy 5000 --seed 11 "
    "--caps vitaminc=45000,snli=10000,cad_nli=6000,conjnli=4000,med=1500",
)
"""Name and options of each: human-labelled pairs first, then mostly families. What shipped was made so, save that its
first stage was a pass over all pairs (134,360) stopped after 65,000."""
FURTHER = (
    "four --rate 1.6e-4 --fills 2 --made 5000 --easy 4000 --seed 41 --dropout 0.1 --minutes 33 "
    "--families training/data --caps vitaminc=30000,snli=8000,cad_nli=5000,conjnli=2500,med=1500",
    "five --rate 2e-4 --fills 1 --made 1500 --easy 1500 --seed 51 --dropout 0.1 --minutes 28 "
    "--families training/data --caps vitaminc=3500,snli=1000,cad_nli=800,conjnli=300,med=300,factcheck_stance=400",
    "six --rate 1.8e-4 --fills 1 --made 1500 --easy 1500 --seed 67 --dropout 0.1 --minutes 35 "
    "--families training/data --caps vitaminc=4000,snli=1200,cad_nli=800,conjnli=300,med=300,factcheck_stance=400",
)
"""Stages with the later families too, with `--further`: not shipped. Tried on 2026-11-23 (the mean of five and six, in
8 bits, no condition on accusations but a floor), .615 of the 299 clear pairs were right for .522, and .728 of 831 pairs
of our own for .653; but 73 of 266 true claims beside other numbers were accused, where a test allows 24, and the
README's first example came out wrong. How many pairs a stage with `--minutes` sees depends on the machine."""


def main() -> None:
    """Run each stage that is not done, then finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/verifier"))
    parser.add_argument("--further", action="store_true", help="go on with the stages that are not shipped")
    options = parser.parse_args()
    before: Path | None = None
    for stage in (*STAGES, *(FURTHER if options.further else ())):
        name, *words = stage.split()
        weights = options.work / f"{name}.pt"
        if not weights.with_suffix(".json").is_file():  # written at the end of a stage
            start = ["--start", str(before)] if before else []
            _run("training.train", options.data, "--work", str(options.work), "--stage", name, *words, *start)
        before = weights
    _run("training.finish", options.data, "--weights", str(before), "--name", FURTHER_NAME if options.further else NAME)


def _run(module: str, data: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, "--data", str(data), *words], check=True)


if __name__ == "__main__":
    main()
