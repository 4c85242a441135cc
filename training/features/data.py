"""Labelled pairs for the built-in verifier: read, cleaned, grouped and split."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from factscope.claims.text.terms import terms, tokens
from factscope.judging.verifiers.wording.analysis import forms
from factscope.judging.verifiers.wording.features import read, read_claim
from factscope.judging.verifiers.wording.text_items import AnalysedText, WordWeights

SEED = 20251
SETS = ("fever_symmetric", "fm2", "scifact", "factcheck_stance", "cad_nli", "conjnli", "feverous", "begin")
CAPS = {"feverous": 800, "begin": 400}
"""Rows used at most: word overlap alone nearly solves these two, so more of them teaches nothing else."""
LABELS = {"supported": "supported", "contradicted": "contradicted", "not_enough": "not_enough_evidence"}
HELD_OUT = 0.15


class Row(NamedTuple):
    """One labelled pair."""

    dataset: str
    claim: str
    passage: str
    label: str
    group: str
    """Rows that share a claim or a passage, in one set or across sets, share this."""
    held_out: bool
    made: str
    """How we made it: `off_topic`, `edited`; empty for a pair labelled by the set."""


def load_rows(folder: Path) -> list[Row]:
    """Return all rows of the eight sets, capped and grouped; a fixed 15 % of the groups held out. Raises OSError."""
    raw = [row for dataset in SETS for row in _read(folder, dataset)[: CAPS.get(dataset)]]
    groups = _groups(raw)
    return [
        Row(*row, group, int(_hash(group), 16) % 100 < 100 * HELD_OUT, made="")
        for row, group in zip(raw, groups, strict=True)
    ]


def load_rest(folder: Path) -> list[Row]:
    """Return the rows of the capped sets that `load_rows` leaves out: kept for a last look. Raises OSError."""
    return [
        Row(*row, group="", held_out=True, made="")
        for dataset, cap in CAPS.items()
        for row in _read(folder, dataset)[cap:]
    ]


def _read(folder: Path, dataset: str) -> list[tuple[str, str, str, str]]:
    """Return set, claim, passage and label of each row, in an order that is fixed and mixed."""
    lines = (folder / f"claim_{dataset}.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    kept = [(dataset, _clean(entry["claim"]), _clean(entry["evidence"]), LABELS[entry["label"]]) for entry in entries]
    return sorted((row for row in kept if row[1] and row[2]), key=lambda row: _hash(row[1] + row[2]))


def count_words(rows: Iterable[Row], most: int = 3000) -> tuple[dict[str, int], int]:
    """Return in how many passages each stem occurs, and how many passages there are; at most `most` of each set."""
    seen: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        passages = seen.setdefault(row.dataset, set())
        if row.passage in passages or len(passages) >= most:
            continue
        passages.add(row.passage)
        for stem in {forms(token.text)[1] for token in tokens(row.passage)}:
            counts[stem] = counts.get(stem, 0) + 1
    return counts, sum(len(passages) for passages in seen.values())


def read_rows(rows: Sequence[Row], weights: WordWeights) -> list[tuple[AnalysedText, AnalysedText]]:
    """Analyse both sides of each row; no claim of the sets is so long that it has a second part."""
    return [(read_claim(row.claim, weights)[0], read(row.passage, weights)) for row in rows]


def _clean(text: str) -> str:
    """Undo what the sets did to plain text.

    Link markup, page titles before tabs, treebank brackets and quotes.
    """
    text = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", text)
    text = re.sub(r"(?m)^[^\t\n]{1,80}\t", "", text)
    for mark, plain in (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"')):
        text = text.replace(mark, plain)
    text = re.sub(r"\s+([.,;:!?)\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", text))
    return text.strip()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _groups(rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """Name the connected component of each row, where rows with an equal claim or passage are connected."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    nodes = [tuple(" ".join(terms(text)) for text in row[1:3]) for row in rows]
    for claim, passage in nodes:
        left, right = sorted((root(claim), root(passage)))
        parent[right] = left
    return [root(claim) for claim, _ in nodes]
