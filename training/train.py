"""Train a verifier's network: human-labelled pairs, pairs by rule, and families.

python -m training.train --base build/train/e5-small --data ../shared/data --work build/verifier
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OMP_NUM_THREADS", os.environ.get("TRAIN_THREADS", "1"))

from .compounds import joined
from .families import FOLDER, fill, fill_beside, read_families
from .labelled import LABELS, Pair, read_pairs
from .made import from_sentences, off_topic, with_distractors, with_leads
from .written_pairs import matched, read_twins, read_written

if TYPE_CHECKING:
    from .network import CrossEncoder

SEED = 20261122
REPEATS = {"fm2": 2, "scifact": 2, "fever_symmetric": 2}
"""Small sets of whole sentences about the world, which are nearest to use."""

TAUGHT_REPEATS = 5
"""How often a stage sees each pair that the large network has read."""


def mixture(options: argparse.Namespace) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs to train on, in mixed order, and those held out."""
    chance = random.Random(options.seed)
    rows = read_pairs(options.data)
    held = [row for row in rows if row.held_out]
    rows = [row for row in rows if not row.held_out]
    human: list[Pair] = []
    for source in dict.fromkeys(row.source for row in rows):
        mine = [row for row in rows if row.source == source]
        human += chance.sample(mine, min(len(mine), options.caps.get(source, len(mine)))) * REPEATS.get(source, 1)
    known = read_families(options.families)
    drawn = [pair for family in known for _ in range(options.fills) for pair in fill(family, chance)]
    short = [family for family in known if len(family["evidence"].split()) <= 50]
    doubled = [pair for family in short for _ in range(options.beside) for pair in fill_beside(family, chance)]
    own = [pair for pair in drawn if not pair.held_out]
    own = chance.sample(own, min(len(own), options.filled or len(own)))
    by_hand = read_written(options.written) if options.written else []
    written = [pair for pair in by_hand if not pair.held_out]
    written += from_sentences(written, options.written_sentences, chance)
    pairs = [
        *with_distractors(human, 0.35, chance),
        *with_distractors(own, 0.4, chance),
        *(pair for pair in doubled if not pair.held_out),
        *from_sentences(own, options.own_sentences, chance),
        *from_sentences(rows, options.made, chance),
        *off_topic(rows, options.easy, chance),
    ]
    pairs = [pair for pair in with_leads(pairs, 0.15, chance) if _words(pair) <= options.longest]
    drawn_written = with_leads(matched(written, options.written_rows, chance), 0.15, chance)
    pairs += [pair for pair in drawn_written if _words(pair) <= (options.longest_written or options.longest)]
    twins = read_twins(options.twins) if options.twins else []
    pairs += with_leads([pair for pair in twins if not pair.held_out], 0.15, chance)
    parts = [pair for pair in (*written, *twins) if not pair.held_out] if options.joined else []
    pairs += with_leads(joined(parts, options.joined, options.longest_written or options.longest, chance), 0.15, chance)
    chance.shuffle(pairs)
    return pairs, [*held, *(pair for pair in (*drawn, *by_hand, *twins) if pair.held_out)]


def mixtures(options: argparse.Namespace) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of as many mixtures as there are passes, each drawn separately, and those held out."""
    if options.passes == 1:
        return mixture(options)
    each = [argparse.Namespace(**{**vars(options), "seed": options.seed + number}) for number in range(options.passes)]
    with ProcessPoolExecutor() as pool:
        drawn = list(pool.map(mixture, each))
    return [pair for pairs, _ in drawn for pair in pairs], drawn[0][1]


def _words(pair: Pair) -> int:
    return len(f"{pair.claim} {pair.passage}".split())


def accuracy(pairs: Sequence[Pair], probabilities: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the share of right labels by source."""
    right: dict[str, list[bool]] = {}
    for pair, values in zip(pairs, probabilities, strict=True):
        ok = LABELS[max(range(3), key=values.__getitem__)] == pair.label
        for name in {pair.source, pair.source.split(":")[0]}:
            right.setdefault(name, []).append(ok)
    return {name: round(sum(values) / len(values), 3) for name, values in sorted(right.items())}


def main() -> None:
    """Run one stage."""
    options = parser().parse_args()
    pairs, held = mixtures(options)
    import torch

    from .check_pairs import read_check_pairs
    from .fit import HEAD_FACTOR, fit, probabilities, smoothed
    from .network import Tokens
    from .teach import read_taught

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    aims: list[list[float] | None] | None = None
    if options.taught:
        pairs, aims = read_taught(options.taught)
        pairs, aims = pairs * TAUGHT_REPEATS, aims * TAUGHT_REPEATS
    if options.texts:
        chance = random.Random(options.seed)
        beside = chance.sample(pairs, min(len(pairs), options.beside_texts))
        rows = [*((pair, True) for pair in beside), *read_check_pairs(options.texts)]
        pairs, aims = [pair for pair, _ in rows], [smoothed(pair.label) if known else None for pair, known in rows]
    held = random.Random(options.seed).sample(held, min(400, len(held)))
    print(f"{options.stage}: {len(pairs):,} pairs, {len(held):,} held out", flush=True)
    model, tokens = load_network(options), Tokens(options.base)

    def report() -> None:
        print(accuracy(held, probabilities(model, tokens, held)), flush=True)

    fit(
        model,
        tokens,
        pairs,
        rate=options.rate,
        seed=options.seed,
        checkpoint=options.work / f"{options.stage}.pt",
        aims=aims,
        frozen_layers=options.frozen,
        head_factor=1.0 if options.adapt or options.begin else HEAD_FACTOR,
        minutes=options.minutes,
        on_checkpoint=report,
    )
    report()


def load_network(options: argparse.Namespace) -> CrossEncoder:
    """Return the network with the weights to begin from."""
    from .adapters import adapt, widened
    from .network import CrossEncoder, mean_weights
    from .rounding import round_embeddings
    from .shipped import read_adapters, read_shipped

    model = CrossEncoder(options.base, options.dropout, options.layers)
    if options.adapt:
        model.load_state_dict(read_shipped(options.adapt))
        adapt(model, options.first_adapted, options.rank)
    if options.begin and options.adapt:
        model.load_state_dict(widened(read_adapters(options.begin), model), strict=False)
    elif options.begin:
        model.load_state_dict(read_shipped(options.begin))
    if options.after:
        weights = mean_weights([options.work / f"{stage}.pt" for stage in options.after])
        model.load_state_dict(widened(weights, model) if options.adapt else weights, strict=not options.adapt)
    if options.layers:
        round_embeddings(model)
    return model


def _caps(text: str) -> dict[str, int]:
    return {name: int(count) for name, _, count in (cap.partition("=") for cap in text.split(","))}


def parser() -> argparse.ArgumentParser:
    """Return the parser of all options."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--base", type=Path, required=True, help="folder of the base model")
    arguments.add_argument("--data", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--families", type=Path, default=FOLDER)
    arguments.add_argument("--work", type=Path, default=Path("build/verifier"))
    arguments.add_argument("--stage", default="one")
    arguments.add_argument("--after", nargs="+", default=[], help="stages to begin from the mean of")
    arguments.add_argument("--adapt", type=Path, help="learn adapters beside the 4-bit matrices of this file")
    arguments.add_argument(
        "--begin", type=Path, help="begin from the weights of this ONNX file, of a network that ships"
    )
    arguments.add_argument("--written", type=Path, help="folder of written pairs")
    arguments.add_argument(
        "--taught", type=Path, help="learn from these pairs and probabilities alone (training.teach)"
    )
    arguments.add_argument("--texts", type=Path, help="pairs that checks of texts read (training.check_pairs)")
    arguments.add_argument("--beside-texts", type=int, default=24000, help="most of the other pairs beside these")
    arguments.add_argument("--joined", type=int, default=0, help="claims joined from two or three of one passage")
    arguments.add_argument("--twins", type=Path, help="folder of pairs of twin passages")
    arguments.add_argument("--written-rows", type=int, default=20000, help="most of the written pairs")
    arguments.add_argument(
        "--longest-written", type=int, default=0, help="words of a written pair, if other than --longest"
    )
    arguments.add_argument("--written-sentences", type=int, default=0, help="pairs by rule from their passages")
    arguments.add_argument("--rank", type=int, default=16, help="rank of the adapters")
    arguments.add_argument("--first-adapted", type=int, default=4, help="lowest layer with adapters")
    arguments.add_argument("--passes", type=int, default=1, help="mixtures in a row, each drawn separately")
    arguments.add_argument("--rate", type=float, default=1.2e-4)
    arguments.add_argument("--fills", type=int, default=8)
    arguments.add_argument("--filled", type=int, help="most pairs of filled families")
    arguments.add_argument("--made", type=int, default=12000)
    arguments.add_argument("--easy", type=int, default=6000)
    arguments.add_argument("--beside", type=int, default=0)
    arguments.add_argument("--own-sentences", type=int, default=0)
    arguments.add_argument("--caps", type=_caps, default={}, help="rows of a set, for example vitaminc=15000,snli=6000")
    arguments.add_argument("--seed", type=int, default=SEED)
    arguments.add_argument("--frozen", type=int, default=0)
    arguments.add_argument("--layers", type=int, help="keep the lowest, and round the embeddings as the file does")
    arguments.add_argument("--dropout", type=float, default=0.0)
    arguments.add_argument("--minutes", type=float, help="stop after this time, the rate falling to zero with it")
    arguments.add_argument("--longest", type=int, default=160, help="words of a pair; longer ones are left out")
    return arguments


if __name__ == "__main__":
    main()
