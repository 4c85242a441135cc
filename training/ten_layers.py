"""Train the next small network, on the lowest ten of twelve layers of e5-small; it does not ship yet.

    make build/train/e5-small/model.safetensors build/train/all-mpnet-base-v2/model.safetensors
    python -m training.ten_layers --data ../shared/data --work build/verifier-ten

What it reached, stage by stage, is in docs/verifiers.md. As two processes (RANK and WORLD_SIZE, batches of 64) on two
cores with AVX-512 a stage takes 35 minutes; one that was stopped goes on from its checkpoint. Let one process alone run
until the large network has read its pairs, since all of them would write the same file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .small import run

BASE = "build/train/e5-small"
LARGE_BASE = "build/train/all-mpnet-base-v2"
LAYERS = 10
"""With 8-bit matrices and 4-bit embeddings as many as 25 MB hold."""
_COMMON = "--families training/data --written training/written --fills 1"
_STAGE = f"{_COMMON} --base {BASE} --dropout 0.1 --longest 80"
_LATER = f"{_STAGE} --layers {LAYERS} --made 2500 --easy 2500 --written-sentences 1000"
_RARE = "snli=3000,cad_nli=3500,conjnli=2500,med=800,factcheck_stance=800,fm2=3000"
TAUGHT_PAIRS = 7168
TAUGHT = (
    f"{_COMMON} --base {LARGE_BASE} --most {TAUGHT_PAIRS} --filled 5000 --own-sentences 2000 --made 2000 --easy 1500 "
    "--longest 110 --written-rows 30000 --written-sentences 3000 "
    "--caps vitaminc=5000,snli=1000,med=500,conjnli=2000,cad_nli=2000,fm2=2000,factcheck_stance=2000"
)
"""Pairs that the large network reads for the later stages."""
STAGES = (
    f"one {_STAGE} --rate 2e-4 --seed 1201 --filled 14000 --own-sentences 3500 --made 4000 --easy 3500 "
    "--written-rows 9000 --written-sentences 1500 "
    "--caps vitaminc=20000,snli=5000,cad_nli=5000,conjnli=3500,med=1200,factcheck_stance=800,fm2=3000",
    f"two --after one {_LATER} --rate 1.6e-4 --seed 1302 --filled 14000 --own-sentences 3000 "
    f"--written-rows 7000 --caps vitaminc=12000,{_RARE}",
    f"three --after two {_LATER} --rate 1.5e-4 --seed 1409 --filled 17000 --own-sentences 4000 "
    f"--written-rows 10000 --caps vitaminc=9000,{_RARE}",
    f"four --after three {_LATER} --rate 1.5e-4 --seed 1511 --filled 17000 --own-sentences 4000 "
    f"--written-rows 10000 --caps vitaminc=9000,{_RARE}",
)
"""Name and options of each: all twelve layers first, then the lowest ten with rounded embeddings."""


def main() -> None:
    """Let the large network read its pairs, then run each unfinished stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/verifier-ten"))
    options = parser.parse_args()
    file = options.work / "taught.jsonl"
    taught = ["--taught", str(file)]
    for stage in STAGES:
        name, *words = stage.split()
        if (options.work / f"{name}.json").is_file():  # written at the end of a stage
            continue
        if "--layers" in words:
            if not file.is_file() or file.read_bytes().count(b"\n") < TAUGHT_PAIRS:
                run("training.teach", options.data, *taught, *TAUGHT.split())
            words += taught
        run("training.train", options.data, "--work", str(options.work), "--stage", name, *words)


if __name__ == "__main__":
    main()
