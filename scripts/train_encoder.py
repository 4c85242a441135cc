"""Trains the cross-encoder of the built-in verifier in two passes: pairs made by rule, then pairs labelled by people.

    python scripts/train_encoder.py made --data ../shared/data --out build/verifier/made.pt
    python scripts/train_encoder.py human --data ../shared/data --start build/verifier/made.pt --out all.pt

`--without fm2,scifact` leaves sets out of the second pass, for figures on sets that were never seen.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from verifier_data import SEED, Row, load_rows
from verifier_made import off_topic, with_distractors
from verifier_pairs import made_pairs, read_sources

UNSEEN = ("feverous", "begin")
"""Never trained on, so that a figure on them is one on sets of another kind; word overlap nearly solves both."""
MADE = {
    "fm2": 2400,
    "factcheck_stance": 2400,
    "scifact": 1600,
    "fever_symmetric": 900,
    "conjnli": 3200,
    "cad_nli": 1500,
    "halueval_general": 2400,
    "factscore": 3200,
}
"""Pairs made by rule of the passages of each set."""
TIMES = {"fm2": 3, "scifact": 3, "fever_symmetric": 3, "factcheck_stance": 1, "cad_nli": 1, "conjnli": 1}
"""How often a set's labelled pairs are shown in the second pass."""
CAP = {"conjnli": 5000}
"""Word overlap settles most of conjnli, so a part of it is enough."""
RATE = {"made": 1.5e-4, "human": 1.2e-4}


def main() -> int:
    """Run one pass; the exit status."""
    parser = argparse.ArgumentParser(description="Train the cross-encoder of the built-in verifier.")
    parser.add_argument("stage", choices=("made", "human"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", default="", help="sets to leave out, with commas")
    parser.add_argument("--minutes", type=float, default=1e9, help="end by then")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    rows = [row for row in load_rows(options.data) if not row.held_out and row.dataset not in UNSEEN]
    if options.stage == "made":
        chosen = made_pairs(read_sources(options.data, rows), MADE)
    else:
        chosen = labelled([row for row in rows if row.dataset not in options.without.split(",")], options.seed)
    train(chosen, options)
    return 0


def labelled(rows: Sequence[Row], seed: int) -> list[Row]:
    """Pairs labelled by people, the small sets repeated with other sentences around; a few off-topic ones."""
    chance = random.Random(seed)
    chosen: list[Row] = []
    for dataset in TIMES:
        mine = [row for row in rows if row.dataset == dataset]
        mine = chance.sample(mine, min(len(mine), CAP.get(dataset, len(mine))))
        for time in range(TIMES[dataset]):
            chosen += with_distractors(mine, seed=seed + time) if time else mine
    easy = [row for row in off_topic(rows) if row.dataset not in ("cad_nli", "conjnli")]
    return chosen + chance.sample(easy, min(len(easy), 1200))


def train(rows: Sequence[Row], options: argparse.Namespace) -> None:
    """One pass over the rows; writes the weights and the curve."""
    import torch
    from verifier_encoder import CrossEncoder, examples, fit

    torch.manual_seed(options.seed)
    model = CrossEncoder()
    if options.start is not None:
        model.load_state_dict(torch.load(options.start))
    outcome = {"irrelevant": "not_enough_evidence"}
    data = examples([(row.claim, row.passage, outcome.get(row.label, row.label)) for row in rows])
    print(f"{len(data)} pairs, {sum(len(one.claim) + len(one.evidence) + 3 for one in data)} word pieces", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    fit(model, data, rate=RATE[options.stage], seed=options.seed, save=options.out, minutes=options.minutes)


if __name__ == "__main__":
    sys.exit(main())
