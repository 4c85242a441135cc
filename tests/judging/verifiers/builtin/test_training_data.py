"""Pairs written for training: well-formed, and far from those that the checkers are measured on."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from shutil import copytree

import pytest

from factscope.benchmarks.behaviour.suite import BUNDLED, read_suite

TRAINING = Path(__file__).parents[4] / "training"
TEXTS = ("texts", "later_texts", "fresh_texts", "varied_texts", "wide_texts", "tree_texts", "held_texts", "last_texts")
STOCK_PHRASES = {
    "for more than half of the",
    "tuesday to sunday 10 am to",
    "the trial was paid for by",
    "of them were women and the",
    "them were women and the average",
    "were women and the average age",
    "women and the average age was",
    "on the first monday of each",
    "the first monday of each month",
}
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
    for file in (file for name in TEXTS for file in (TRAINING / name).rglob("*") if file.is_file()):
        shared = {" ".join(words) for words in measured.intersection(in_a_row(file.read_text("utf-8")))}
        assert shared <= STOCK_PHRASES, file


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


@pytest.mark.medium
def test_examples_of_a_text_are_the_passages_of_which_its_key_says_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAINING.parent))
    examples = import_module("training.contradictions").examples_of_text(TRAINING / "fresh_texts/texts/ferry")
    by_claim = {example.pair.claim: example for example in examples if example.contradicted}
    assert "On Sundays there are three crossings each way, except on 30 March, when there are none." not in by_claim
    reduced = by_claim["Taking a car costs 20% more during the works, but no other fare changes."]
    assert "the car fare is reduced by 20 per cent" in reduced.pair.passage
    assert {example.weight for example in examples} == {0.3, 1.0}
    assert sum(example.contradicted for example in examples) < sum(not example.contradicted for example in examples)


@pytest.mark.medium
def test_a_network_learns_from_the_key_of_a_text_what_each_stretch_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TRAINING.parent))
    check_pairs = import_module("training.check_pairs")
    copytree(TRAINING / "fresh_texts/texts/ferry", tmp_path / "texts/ferry")
    check_pairs.write_pairs([tmp_path / "texts"], tmp_path / "pairs.jsonl", random.Random(3))
    pairs = check_pairs.read_check_pairs(tmp_path / "pairs.jsonl")
    assert {(pair.label, is_known) for pair, is_known in pairs} == {
        ("supported", True),
        ("supported", False),
        ("contradicted", True),
        ("not_enough", True),
    }
    reduced = [pair for pair, _ in pairs if pair.claim.startswith("Taking a car costs 20% more during the works")]
    assert {pair.label for pair in reduced} == {"contradicted"}
    assert all("the car fare is reduced by 20 per cent" in pair.passage for pair in reduced)
