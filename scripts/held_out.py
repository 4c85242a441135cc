"""Writes the labelled pairs that no training saw, a file for each set, for `factscope verifiers bench --data FOLDER`.

    python scripts/held_out.py --data ../shared/data --out build/held_out

At most 500 pairs of a set, drawn by the seed: the groups kept out of training, and of the sets that the encoder never
sees the rows on which nothing was fitted either.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from verifier_data import SEED, Row, load_rest, load_rows
from verifier_encoder_settings import UNSEEN

MOST = 500


def main() -> int:
    """Run; the exit status."""
    parser = argparse.ArgumentParser(description="Write the labelled pairs that were kept out of training.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of claim_*.jsonl")
    parser.add_argument("--out", type=Path, default=Path("build/held_out"))
    options = parser.parse_args()
    if not (options.data / "manifest.json").is_file():
        print(f"No labelled data in {options.data}: give its folder with --data.", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    held = [row for row in load_rows(options.data) if row.held_out and row.dataset not in UNSEEN]
    chance = random.Random(SEED)
    rows = [*held, *load_rest(options.data)]
    for dataset in dict.fromkeys(row.dataset for row in rows):
        mine = [row for row in rows if row.dataset == dataset]
        chosen = chance.sample(mine, min(MOST, len(mine)))
        (options.out / f"{dataset}.jsonl").write_text("".join(map(line, chosen)), encoding="utf-8")
        print(f"{dataset}: {len(chosen)} of {len(mine):,} pairs")
    return 0


def line(row: Row) -> str:
    """A row in the plain form of labelled pairs."""
    return json.dumps({"claim": row.claim, "evidence": row.passage, "label": row.label}, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main())
