"""Human-labelled pairs of a claim and a passage, cleaned and split by group."""

from __future__ import annotations

import hashlib
import json
import re
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


def read_pairs(folder: Path, sets: tuple[str, ...] = SETS) -> list[Pair]:
    """Read the labelled pairs of each set, in a fixed mixed order. Raises OSError."""
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
