"""Trains the cross-encoder of the built-in verifier. Needs the dependency group `train` (torch, transformers).

    python scripts/train_encoder.py --data ../shared/data --work build/verifier

Five passes, each from the weights of an earlier one (`BEFORE`), written into the folder `--work`. A pass whose file is
there is not run again. It is about 45 minutes of work for one thread; on a machine that others use, the longer.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from verifier_data import SEED, Row, load_rows
from verifier_encoder_settings import BEFORE, CAPS, EASY, MADE, RATE, TIMES, TRANSFER, UNSEEN
from verifier_made import off_topic, with_distractors
from verifier_pairs import made_pairs, read_sources


def main() -> int:
    """Run the passes; the exit status."""
    parser = argparse.ArgumentParser(description="Train the cross-encoder of the built-in verifier.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of claim_*.jsonl")
    parser.add_argument("--work", type=Path, default=Path("build/verifier"), help="where weights and curves go")
    options = parser.parse_args()
    if not (options.data / "manifest.json").is_file():
        print(f"No labelled data in {options.data}: give its folder with --data.", file=sys.stderr)
        return 2
    rows = [row for row in load_rows(options.data) if not row.held_out and row.dataset not in UNSEEN]
    for stage in RATE:
        after = options.work / f"{stage}.pt"
        if not after.with_suffix(".json").is_file():
            made = stage == "made"
            chosen = made_pairs(read_sources(options.data, rows), MADE) if made else labelled(rows, stage)
            train(stage, chosen, None if made else options.work / f"{BEFORE[stage]}.pt", after)
    return 0


def labelled(rows: Sequence[Row], stage: str) -> list[Row]:
    """Pairs labelled by people, the small sets repeated with other sentences around; a few off-topic ones."""
    seed = SEED + list(TIMES).index(stage)
    chance = random.Random(seed)
    rows = [row for row in rows if stage != "without" or row.dataset not in TRANSFER]
    chosen: list[Row] = []
    for dataset, times in TIMES[stage].items():
        mine = [row for row in rows if row.dataset == dataset]
        mine = chance.sample(mine, min(len(mine), CAPS[stage].get(dataset, len(mine))))
        for time in range(times):
            chosen += with_distractors(mine, seed=seed + time) if time else mine
    easy = [row for row in off_topic(rows) if row.dataset not in ("cad_nli", "conjnli")]
    return chosen + chance.sample(easy, min(len(easy), EASY[stage]))


def train(stage: str, rows: Sequence[Row], before: Path | None, after: Path) -> None:
    """One pass over the rows from the weights `before`; writes weights and curve."""
    import torch  # type: ignore[import-not-found,unused-ignore]
    from verifier_encoder import CrossEncoder, examples, fit

    torch.manual_seed(SEED)
    model = CrossEncoder()
    if before is not None:
        model.load_state_dict(torch.load(before))
    outcome = {"irrelevant": "not_enough_evidence"}
    data = examples([(row.claim, row.passage, outcome.get(row.label, row.label)) for row in rows])
    print(f"{stage}: {len(data):,} pairs", flush=True)
    after.parent.mkdir(parents=True, exist_ok=True)
    fit(model, data, rate=RATE[stage], seed=SEED, save=after)


if __name__ == "__main__":
    sys.exit(main())
