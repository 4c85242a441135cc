"""Pairs written for training and for measuring rules: passages with nine to seventeen claims each, in forty kinds.

Language models wrote them that had not seen the behaviour suite nor the pairs that choices are made with; rows that
share six words in a row with either are left out. The passages of files 17 to 32 have 40 to 60 words, as those of a
check have; most earlier ones are longer. Both networks are trained on them among other pairs; 9,000 of the earlier ones
among 24,000 had gained the large one nothing (docs/verifier-training.md). They also showed which rules
contradict true claims; those rules are fixed.

Twins are passages that differ in their facts, with the same claims: beside each, most claims have another label. So a
network can't judge them by the claim, nor by the words that it shares with the passage, and they are not matched.
"""

from __future__ import annotations

import json
import random
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from .labelled import LABELS, Label, Pair, is_held_out

FOLDER = Path(__file__).parent / "written"
TWINS = Path(__file__).parent / "twins"
_EDGES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MIX = (
    (0.11, 0.40, 0.15, 0.45),
    (0.07, 0.35, 0.27, 0.38),
    (0.16, 0.43, 0.25, 0.32),
    (0.14, 0.46, 0.29, 0.25),
    (0.17, 0.42, 0.37, 0.21),
    (0.20, 0.38, 0.43, 0.19),
    (0.15, 0.38, 0.54, 0.08),
)
"""Share of the pairs below each of `_EDGES`, the share of a claim's words that stand in its passage, and of each label
among them: rounded from `training/pairs`, which were written without an eye to it."""
_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(
    _WORD.findall(
        "the a an of in on at to and or for by with is was are were be been it its that this as from had has have not "
        "no than which who their his her they he she"
    )
)


def read_written(folder: Path = FOLDER) -> list[Pair]:
    """Read the pairs of all JSON Lines files of a folder. Raises OSError, ValueError."""
    rows = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.open(encoding="utf-8")]
    return [
        Pair(f"written:{kind}", claim, row["evidence"], label, is_held_out(row["evidence"]))
        for row in rows
        for kind, label, claim in row["claims"]
    ]


def read_twins(folder: Path = TWINS) -> list[Pair]:
    """Read the pairs of twin passages, those of two rows in a row held out together. Raises OSError, ValueError."""
    pairs: list[Pair] = []
    for file in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.open(encoding="utf-8")]
        for number, row in enumerate(rows):
            held_out = is_held_out(rows[number - number % 2]["evidence"])
            pairs += [
                Pair(f"twin:{kind}", claim, row["evidence"], label, held_out) for kind, label, claim in row["claims"]
            ]
    return pairs


def matched(pairs: Iterable[Pair], size: int, chance: random.Random) -> list[Pair]:
    """Draw at most `size` pairs with the shares of `MIX`; of a cell with too few, all.

    As written, four in five claims in the passage's own words are contradicted, and a network trained on that judges by
    the words: the small one then accused 140 of 311 true claims of `training/pairs`, for 99 before.
    """
    cells: dict[tuple[int, Label], list[Pair]] = defaultdict(list)
    for pair in pairs:
        cells[bisect(_EDGES, _share(pair)), pair.label].append(pair)
    drawn: list[Pair] = []
    for number, row in enumerate(MIX):
        for label, share in zip(LABELS, row[1:], strict=True):
            cell = cells[number, label]
            drawn += chance.sample(cell, min(len(cell), round(size * row[0] * share)))
    return drawn


def _share(pair: Pair) -> float:
    passage, claim = set(_WORD.findall(pair.passage.lower())), _WORD.findall(pair.claim.lower())
    content = [word for word in claim if word not in _COMMON]
    return sum(word in passage for word in content) / max(1, len(content))
