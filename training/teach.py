"""The large network's probabilities for pairs, for the small one to learn from (Hinton et al. 2015, section 2).

    python -m training.teach --base MPNET --rank 32 --first-adapted 0 --most 12000 --taught build/taught.jsonl
    python -m training.train --base build/train/e5-small --layers 10 --taught build/taught.jsonl --begin ENCODER

MPNET is build/train/all-mpnet-base-v2; rank and first layer are those of the adapters that ship. Takes the mixture of
`training.train`, with its options. Each line is a pair with its label and the probabilities of `LABELS`; a file that
was interrupted is continued.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from .labelled import LABELS, Pair
from .made import sentences
from .train import load_network, mixtures, parser

PACKAGE = Path("packages/verifier-large/src/factscope_verifier_large")
_AT_ONCE = 512
"""Pairs between two writes."""
TEACHER = 0.7
"""Weight of the large network's probabilities beside those of the label."""
_SHORTENED = 0.3
"""Share of the pairs whose passage loses a sentence: of what is left, the large network alone knows the label."""


def read_taught(path: Path) -> tuple[list[Pair], list[list[float] | None]]:
    """Read the pairs of a file, and the probabilities to learn for each. Raises OSError, ValueError."""
    from .fit import smoothed

    rows = [(Pair(*row[:4]), row[4]) for row in map(json.loads, path.read_text("utf-8").splitlines())]
    return [pair for pair, _ in rows], [_between(smoothed(pair.label), taught) for pair, taught in rows]


def _between(label: Sequence[float], taught: Sequence[float]) -> list[float]:
    return [(1 - TEACHER) * own + TEACHER * its for own, its in zip(label, taught, strict=True)]


def main() -> None:
    """Read the pairs with the large network, and write what it gives them."""
    arguments = parser()
    arguments.set_defaults(adapt=PACKAGE / "encoder.onnx", begin=PACKAGE / "adapted.onnx")
    arguments.add_argument("--most", type=int, default=9000, help="pairs to read")
    options = arguments.parse_args()
    pairs, _ = mixtures(options)
    chance = random.Random(options.seed)
    pairs = chance.sample(pairs, min(len(pairs), options.most))
    pairs = [_shortened(pair, chance) if chance.random() < _SHORTENED else pair for pair in pairs]
    known = _complete_lines(options.taught)
    with options.taught.open("a", encoding="utf-8") as file:
        for done, lines in _read(pairs[known:], options):
            file.write("".join(f"{line}\n" for line in lines))
            file.flush()
            print(f"{known + done:,} of {len(pairs):,}", flush=True)


def _shortened(pair: Pair, chance: random.Random) -> Pair:
    parts = sentences(pair.passage)
    if len(parts) > 1:
        parts.pop(chance.randrange(len(parts)))
    return pair._replace(source="shortened", passage=" ".join(parts))


def _complete_lines(path: Path) -> int:
    """Cut off a line that was interrupted, and return how many there are."""
    text = path.read_text("utf-8") if path.is_file() else ""
    complete = text[: text.rfind("\n") + 1]
    if complete != text:
        path.write_text(complete, encoding="utf-8")
    return complete.count("\n")


def _read(pairs: list[Pair], options: argparse.Namespace) -> Iterator[tuple[int, list[str]]]:
    """Yield how many pairs are done, and the lines of the last ones."""
    import torch

    from .fit import DEVICE, probabilities
    from .network import Tokens

    model, tokens = load_network(options).to(DEVICE), Tokens(options.base)
    at_once = _AT_ONCE if DEVICE == "cpu" else 32 * _AT_ONCE
    for start in range(0, len(pairs), at_once):
        some = pairs[start : start + at_once]
        with torch.inference_mode():
            taught = probabilities(model, tokens, some)
        rows = zip(map(_relabelled, some, taught), taught, strict=True)
        yield start + len(some), [json.dumps([*pair[:4], [round(p, 3) for p in row]]) for pair, row in rows]


def _relabelled(pair: Pair, row: Sequence[float]) -> Pair:
    """Return a shortened pair with the label that the large network gives it, any other as it is."""
    return pair._replace(label=LABELS[max(range(3), key=row.__getitem__)]) if pair.source == "shortened" else pair


if __name__ == "__main__":
    main()
