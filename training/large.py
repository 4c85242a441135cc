"""Train the large verifier's network in ten stages, most bounded by time, then export, fit and measure it.

    python -m training.large --data ../shared/data --base build/train/all-mpnet-base-v2 --work build/verifier-large

A stage goes on from its own checkpoint when it was stopped. What shipped saw 33,000 pairs in two hours on a busy core,
then 34,000, 29,000, 46,000, 39,000, 44,000, 5,000 and 27,000 in stages that learn adapters beside the matrices that the
first two left, on two cores (RANK and WORLD_SIZE, batches of 64; in the last three of 48). The tenth ran on one H200
with batches of 256 (TRAIN_BATCH), and saw 666,000 in four and a half minutes; two cores would take eighteen hours.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from factscope.judging.verifiers.builtin.cross_encoder import ENCODER_FILE as ENCODER

from .labelled import must_have

NAME = "builtin-large-16"
"""The network of `builtin-large-14`, whose probabilities are pooled with those of the small verifier."""
PACKAGE = Path("packages/verifier-large/src/factscope_verifier_large")
STAGES = (
    "one --rate 6e-5 --fills 2 --made 5000 --easy 2500 --seed 3 --minutes 92 "
    "--caps vitaminc=20000,snli=3500,cad_nli=3000,conjnli=2500,med=1300,factcheck_stance=1500",
    "two --after one --rate 4e-5 --fills 1 --made 1500 --easy 800 --seed 17 --minutes 27 "
    "--caps vitaminc=4000,snli=800,cad_nli=600,conjnli=500,med=300,factcheck_stance=500",
)
"""Name and options of each: a mixture of all sources, then one with more families."""
WIDE = "--rank 32 --first-adapted 0"
"""Wider adapters, in all layers: those of the stages before become part of them."""
EVERYTHING = (
    "--families training/data --written training/written --twins training/twins --longest 130 --longest-written 150 "
    "--fills 2 --filled 20000 --own-sentences 3000 --made 2000 --easy 2000 --written-rows 60000 "
    "--written-sentences 2000 "
    "--caps vitaminc=12000,snli=4000,cad_nli=4000,conjnli=2500,med=600,factcheck_stance=800,fm2=3000"
)
"""A mixture of all written pairs and a share of the labelled sets; each pass draws another."""
ADAPTERS = (
    "three --rate 5e-4 --fills 1 --beside 1 --own-sentences 5000 --made 3000 --easy 2500 "
    "--seed 91 --minutes 62 --longest 80 "
    "--caps vitaminc=6000,snli=1200,cad_nli=1200,conjnli=400,med=300,factcheck_stance=400,fm2=1500",
    "four --after three --rate 4e-4 --fills 2 --beside 1 --own-sentences 6000 --made 3000 --easy 3000 "
    "--seed 207 --minutes 72 --longest 80 "
    "--caps vitaminc=7000,snli=1500,cad_nli=1200,conjnli=500,med=300,factcheck_stance=400,fm2=1500",
    "five --after four --rate 4e-4 --fills 2 --beside 1 --own-sentences 6000 --made 3000 --easy 3000 "
    "--seed 313 --minutes 80 --longest 80 "
    "--caps vitaminc=7000,snli=1500,cad_nli=1200,conjnli=500,med=300,factcheck_stance=400,fm2=1500",
    "six --after five --rate 4e-4 --fills 2 --beside 1 --own-sentences 6000 --made 3000 --easy 3000 "
    "--seed 419 --minutes 97 --longest 80 "
    "--caps vitaminc=7000,snli=1500,cad_nli=1200,conjnli=500,med=300,factcheck_stance=400,fm2=1500",
    "seven --after six --rate 4e-4 --fills 1 --filled 6000 --own-sentences 800 --made 500 --easy 500 "
    "--seed 2027 --minutes 95 --longest 80 --written training/written --written-rows 60000 --longest-written 110 "
    "--written-sentences 600 "
    "--caps vitaminc=2500,snli=600,cad_nli=1200,conjnli=800,med=150,factcheck_stance=300,fm2=1200",
    "eight --after seven --rate 3.5e-4 --fills 1 --filled 6000 --own-sentences 800 --made 500 --easy 500 "
    "--seed 2131 --minutes 10 --longest 80 --written training/written --written-rows 60000 --longest-written 115 "
    "--written-sentences 600 "
    "--caps vitaminc=2500,snli=600,cad_nli=1200,conjnli=800,med=150,factcheck_stance=300,fm2=1200",
    "nine --after eight --rate 3.5e-4 --fills 1 --filled 2500 --own-sentences 300 --made 250 --easy 250 "
    "--seed 2203 --minutes 55 --longest 80 --twins training/twins --written training/written --written-rows 12000 "
    "--longest-written 115 --written-sentences 200 "
    "--caps vitaminc=1000,snli=250,cad_nli=500,conjnli=300,med=80,factcheck_stance=150,fm2=500",
    f"ten --after nine --rate 8e-4 --seed 3001 --passes 4 --dropout 0.05 {WIDE} {EVERYTHING}",
)
"""The stages that train adapters, with all families; most pairs of the last four are written ones. The eighth was
broken off at its full rate to go on with twins; of these, the ninth had the files up to `twins53`, the tenth all."""
COMMON = "--families training/data/earlier --frozen 4 --longest 75"
"""The lowest four layers are frozen, which saves a quarter of the time; long pairs cost more than they teach."""


def main() -> None:
    """Run each unfinished stage, then finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--work", type=Path, default=Path("build/verifier-large"))
    options = parser.parse_args()
    must_have(options.data)
    common = ["--data", str(options.data), "--base", str(options.base)]
    for stage in STAGES:
        _train(options.work, common, stage, COMMON)
    finish = ["--name", NAME, "--package", str(PACKAGE), "--large"]
    if not _is_done(options.work, ADAPTERS[0]):
        _run("training.finish", *common, "--weights", str(options.work / "two.pt"), *finish)
    for stage in ADAPTERS:
        _train(options.work, common, stage, f"--adapt {PACKAGE / ENCODER}")
    _run("training.finish", *common, "--adapted", str(options.work / "ten.pt"), *finish)


def _train(work: Path, common: list[str], stage: str, more: str) -> None:
    if not _is_done(work, stage):
        name, *words = stage.split()
        _run("training.train", *common, "--work", str(work), "--stage", name, *words, *more.split())


def _is_done(work: Path, stage: str) -> bool:
    return (work / f"{stage.split()[0]}.json").is_file()  # written at the end of a stage


def _run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True)


if __name__ == "__main__":
    main()
