"""Train the built-in verifier's network in its stages, then export, fit and measure it.

    python -m training.small --data ../shared/data --work build/verifier

Each stage begins from the weights of earlier ones and goes on from its own checkpoint when it was stopped.
On one core with AVX-512 the first three take about an hour and a half.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

NAME = "builtin-12"
_EARLIER = "--families training/data/earlier"
_ALL = "--dropout 0.1"
STAGES = (
    f"one {_EARLIER} --rate 2e-4 --fills 2 --made 7000 --easy 4000 --seed 3 "
    "--caps vitaminc=26000,snli=10000,cad_nli=6000,conjnli=6000,med=2700",
    f"two --after one {_EARLIER} --rate 1.6e-4 --fills 6 --made 7000 --easy 4000 --seed 7 "
    "--caps vitaminc=12000,snli=4000,cad_nli=4000,conjnli=3000,med=1500",
    f"three --after two {_EARLIER} --rate 2e-4 --fills 2 --made 4000 --easy 5000 --seed 11 "
    "--caps vitaminc=45000,snli=10000,cad_nli=6000,conjnli=4000,med=1500",
    f"four --after three {_ALL} --rate 1.6e-4 --fills 2 --made 5000 --easy 4000 --seed 41 --minutes 33 "
    "--caps vitaminc=30000,snli=8000,cad_nli=5000,conjnli=2500,med=1500",
    f"five --after four {_ALL} --rate 2e-4 --fills 1 --made 1500 --easy 1500 --seed 51 --minutes 28 "
    "--caps vitaminc=3500,snli=1000,cad_nli=800,conjnli=300,med=300,factcheck_stance=400",
    f"six --after five {_ALL} --rate 1.8e-4 --fills 1 --made 1500 --easy 1500 --seed 67 --minutes 35 "
    "--caps vitaminc=4000,snli=1200,cad_nli=800,conjnli=300,med=300,factcheck_stance=400",
    f"seven --after five six {_ALL} --rate 1.7e-4 --fills 1 --beside 2 --own-sentences 9000 --made 2500 --easy 2500 "
    "--seed 77 --minutes 56 --longest 150 "
    "--caps vitaminc=4000,snli=1000,cad_nli=800,conjnli=300,med=300,factcheck_stance=400,fm2=1500",
)
"""Name and options of each: human-labelled pairs first, then mostly families, from stage four on the later ones too.
What shipped was made so, save that its first stage was a pass over all pairs (134,360) stopped after 65,000. How many
pairs a stage with `--minutes` sees depends on the machine; stage seven ran as two processes (RANK and WORLD_SIZE), with
batches of 64."""
SHIPPED = ("seven", "seven", "three")
"""Stages whose mean is the network; the last one is of the network before, which accuses less."""


def main() -> None:
    """Run each unfinished stage, then finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/verifier"))
    options = parser.parse_args()
    for stage in STAGES:
        name, *words = stage.split()
        if not (options.work / f"{name}.json").is_file():  # written at the end of a stage
            run("training.train", options.data, "--work", str(options.work), "--stage", name, *words)
    weights = [str(options.work / f"{name}.pt") for name in SHIPPED]
    run("training.finish", options.data, "--weights", *weights, "--name", NAME)


def run(module: str, data: Path, *words: str) -> None:
    """Run a module of the training in a process of its own. Raises CalledProcessError."""
    subprocess.run([sys.executable, "-m", module, "--data", str(data), *words], check=True)


if __name__ == "__main__":
    main()
