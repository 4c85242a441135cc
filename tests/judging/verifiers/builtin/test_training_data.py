"""Pairs written for training: well-formed, and far from those that the checkers are measured on."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from factscope.benchmarks.behaviour.suite import BUNDLED, read_suite

TRAINING = Path(__file__).parents[4] / "training"
LABELS = {"supported", "contradicted", "not_enough"}
IN_A_ROW = 6  # words
_WORD = re.compile(r"[a-z0-9]+")


def rows(folder: str) -> Iterator[tuple[Path, list[dict[str, list[tuple[str, str, str]]]]]]:
    for file in sorted((TRAINING / folder).glob("*.jsonl")):
        yield file, [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_each_claim_has_one_of_three_labels() -> None:
    for folder in ("written", "twins"):
        for file, passages in rows(folder):
            assert passages, file.name
            assert {label for row in passages for _, label, _ in row["claims"]} <= LABELS, file.name


def test_twins_share_claims_and_differ_in_labels() -> None:
    shared = changed = 0
    for _, passages in rows("twins"):
        for first, second in zip(passages[::2], passages[1::2], strict=True):
            labels = {claim: label for _, label, claim in first["claims"]}
            both = [(labels[claim], label) for _, label, claim in second["claims"] if claim in labels]
            shared += len(both)
            changed += sum(one != other for one, other in both)
    assert shared > 10_000
    assert changed > shared / 2


@pytest.mark.medium
def test_no_pair_shares_six_words_in_a_row_with_the_suite() -> None:
    suite = read_suite(BUNDLED)
    texts = [text for pair in suite.pairs for text in (pair.claim, pair.evidence)]
    texts += [case.text for case in suite.texts]
    texts += [file.read_text("utf-8") for case in suite.texts for file in case.documents.rglob("*") if file.is_file()]
    measured = {words for text in texts for words in in_a_row(text)}
    for folder in ("written", "twins"):
        for file, passages in rows(folder):
            for row in passages:
                for text in (str(row["evidence"]), *(claim for *_, claim in row["claims"])):
                    assert measured.isdisjoint(in_a_row(text)), (file.name, text)


def in_a_row(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[at : at + IN_A_ROW]) for at in range(len(words) - IN_A_ROW + 1))


@pytest.mark.parametrize("module", ["small", "large", "features.train"])
def test_training_without_labelled_pairs_reports_which_are_needed_and_where_they_are(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [module, "--data", str(tmp_path), *(["--base", "."] if module == "large" else [])])
    with pytest.raises(SystemExit, match=r"lacks claim_vitaminc\.jsonl(.|\n)*DATA_CARD\.md(.|\n)*training/written"):
        import_module(f"training.{module}").main()


def test_joined_claims_are_true_only_if_each_part_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAINING.parent))
    compounds, labelled = import_module("training.compounds"), import_module("training.labelled")
    truths = {
        "The bridge was opened in 1931.": "supported",
        "The bridge cost 2 million.": "supported",
        "The bridge was closed in 1950.": "contradicted",
        "Few people cross it.": "not_enough",
    }
    pairs = [labelled.Pair("written:x", claim, "About the bridge.", label, False) for claim, label in truths.items()]
    made = compounds.joined(pairs, 300, 60, random.Random(5))
    assert {pair.label for pair in made} == LABELS
    for pair in made:
        parts = {truths[claim] for claim in truths if claim[-9:-1] in pair.claim}
        assert len(parts) >= 1
        assert pair.label == compounds.label_of(sorted(parts))
    assert any("opened in 1931 and was closed" in pair.claim for pair in made)
    assert any(", while few people" in pair.claim for pair in made)
