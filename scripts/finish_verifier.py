"""Exports the trained cross-encoder, fits the mixture on the 8-bit file, measures it and writes the cards.

    python scripts/finish_verifier.py --data ../shared/data --work build/verifier

In the folder `--work` are the weights of the passes. The mean of the last ones is shipped; those of the pass that left
sets out show how it does on them. Everything but the export needs no torch.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from verifier_data import SEED, Row, load_rest, load_rows
from verifier_encoder_settings import FITTED_ON, RATE, SHIPPED, TRANSFER, UNSEEN
from verifier_hybrid import Heard, figures, fit_mixture, hear, mistaken, overlap_threshold
from verifier_hybrid_card import write_hybrid_card
from verifier_made import off_topic

from factscope.judging.verifiers.builtin.cross_encoder import FILE as ENCODER
from factscope.judging.verifiers.builtin.hybrid import FILE, Mixture
from factscope.judging.verifiers.builtin.tree_model import read_model

PACKAGE = Path(__file__).parents[1] / "src" / "factscope" / "judging" / "verifiers" / "builtin"
NAME = "builtin-3"
MOST = 500
"""Rows of a set that are measured."""


def main() -> int:
    """Run; the exit status."""
    parser = argparse.ArgumentParser(description="Finish the built-in verifier: export, fit, measure, write.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/verifier"))
    options = parser.parse_args()
    shipped, transfer = PACKAGE / ENCODER, options.work / "without.onnx"
    _export([options.work / f"{stage}.pt" for stage in SHIPPED], shipped)
    _export([options.work / "without.pt"], transfer)
    rows, features = load_rows(options.data), read_model()
    held = hear(_some([row for row in rows if row.held_out or row.dataset in UNSEEN]), shipped, features)
    print("held out heard", flush=True)
    easy = [row._replace(dataset=row.made) for row in off_topic(rows) if row.held_out]
    silent = hear(_some(easy), shipped, features)
    fitting = [at for at, row in enumerate(held.rows) if row.dataset in FITTED_ON]
    mixture = fit_mixture(
        NAME,
        Heard([*(held.rows[at] for at in fitting), *silent.rows], [*(held.said[at] for at in fitting), *silent.said]),
    )
    threshold = overlap_threshold(held, FITTED_ON)
    rest = hear(_some(load_rest(options.data)), shipped, features)
    print("rest heard", flush=True)
    away = hear(_some([row for row in rows if row.dataset in TRANSFER], 2 * MOST), transfer, features)
    found = {"held_out": held, "untouched": rest, "left_out": away}
    measured: dict[str, Any] = {
        part: {dataset: figures(mixture, heard.of(dataset), threshold) for dataset in _sets(heard.rows)}
        for part, heard in found.items()
    }
    measured["mistaken"] = {dataset: mistaken(mixture, silent.of(dataset)) for dataset in _sets(silent.rows)}
    curves = {stage: json.loads((options.work / f"{stage}.json").read_text(encoding="utf-8")) for stage in RATE}
    done = replace(mixture, figures=measured)
    (PACKAGE / FILE).write_text(json.dumps(asdict(done), indent=1) + "\n", encoding="utf-8")
    write_hybrid_card(PACKAGE, done, curves)
    _show(done)
    return 0


def _export(weights: Sequence[Path], path: Path) -> None:
    """The mean of the weights, unless the file is there and newer than they are."""
    if path.is_file() and path.stat().st_mtime > max(each.stat().st_mtime for each in weights):
        return
    import torch  # type: ignore[import-not-found,unused-ignore]
    from verifier_encoder import CrossEncoder
    from verifier_export import export

    model = CrossEncoder()
    parts = [torch.load(each) for each in weights]
    model.load_state_dict({name: sum(part[name] for part in parts) / len(parts) for name in parts[0]})
    export(model, path)


def _some(rows: Sequence[Row], most: int = MOST) -> list[Row]:
    """At most `most` rows of each set, drawn by the seed."""
    chance = random.Random(SEED)
    chosen: list[Row] = []
    for dataset in _sets(rows):
        mine = [row for row in rows if row.dataset == dataset]
        chosen += chance.sample(mine, min(most, len(mine)))
    return chosen


def _sets(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.dataset for row in rows))


def _show(mixture: Mixture) -> None:
    print(mixture.supported, mixture.contradicted, mixture.figures["mistaken"])
    for part in ("held_out", "untouched", "left_out"):
        for dataset, systems in mixture.figures[part].items():
            for system, values in systems.items():
                print(f"{part:10} {dataset:18} {system:8} {values}")


if __name__ == "__main__":
    sys.exit(main())
