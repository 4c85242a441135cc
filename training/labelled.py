"""Human-labelled pairs of a claim and a passage, cleaned and split by group.

`python -m training.labelled --data FOLDER` tells whether all that a training reads is in a folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

Label = Literal["supported", "contradicted", "not_enough"]
LABELS: tuple[Label, ...] = ("supported", "contradicted", "not_enough")

SETS = (
    "vitaminc",
    "snli",
    "cad_nli",
    "conjnli",
    "med",
    "fm2",
    "scifact",
    "fever_symmetric",
    "factcheck_stance",
)
_FILES = (*(f"claim_{name}.jsonl" for name in (*SETS, "feverous", "begin")), "manifest.json")
"""All that a training reads; the last three for the features alone."""
_WHERE_FROM = """The labelled pairs are published data sets, which are not in this repository. DATA_CARD.md in
src/factscope/judging/verifiers/builtin names the source and the licence of each. Write each as claim_NAME.jsonl, with
claim, evidence and label (supported, contradicted or not_enough) in every line, and the licences into manifest.json, as
{"claim_NAME": {"licence": "..."}}; then name the folder: make verifier DATA=folder. The pairs that were written for
Factscope are in training/written, training/twins, training/data and training/pairs."""
HELD_OUT = 0.05
"""Share of the groups kept for choosing thresholds; enough rows (some 5,000) for a threshold to be stable."""


class Pair(NamedTuple):
    """A labelled claim with its passage."""

    source: str
    """The data set, or the kind of family."""
    claim: str
    passage: str
    label: Label
    held_out: bool = False


def must_have(folder: Path, files: Sequence[str] = _FILES) -> None:
    """Make sure that files of labelled pairs are in a folder. Raises SystemExit with those missing and their origin."""
    if missing := [name for name in files if not (folder / name).is_file()]:
        raise SystemExit(f"{folder} lacks {', '.join(missing)}.\n{_WHERE_FROM}")


def read_pairs(folder: Path, sets: tuple[str, ...] = SETS) -> list[Pair]:
    """Read the labelled pairs of each set, in a fixed mixed order. Raises OSError, and SystemExit without them."""
    must_have(folder, [f"claim_{name}.jsonl" for name in sets])
    pairs: list[Pair] = []
    for name in sets:
        lines = (folder / f"claim_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        mine = [_pair(name, row["claim"], row["evidence"], row["label"]) for row in rows]
        usable = [pair for pair in mine if pair.claim and pair.passage]
        pairs += sorted(usable, key=lambda pair: _hash(pair.claim + pair.passage))
    return pairs


def group_of(passage: str) -> str:
    """Return the first four words of a passage: revisions of one passage, as in VitaminC, mostly share them."""
    return " ".join(re.findall(r"\w+", passage.lower())[:4])


def is_held_out(group: str) -> bool:
    """Decide by a hash of the group, so that rows that share a passage stay on one side."""
    return int(_hash(group), 16) % 1000 < 1000 * HELD_OUT


def _pair(name: str, claim: str, evidence: str, label: Label) -> Pair:
    passage = clean(evidence)
    return Pair(name, clean(claim), passage, label, is_held_out(group_of(passage)))


def clean(text: str) -> str:
    """Undo link markup, page titles before tabs, treebank brackets and quotes of the data sets."""
    text = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", text)
    text = re.sub(r"(?m)^[^\t\n]{1,80}\t", "", text)
    for mark, plain in (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"')):
        text = text.replace(mark, plain)
    text = re.sub(r"\s+([.,;:!?)\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", text))
    return text.strip()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    must_have(parser.parse_args().data)
