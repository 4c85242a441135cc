"""Contradictions by the large network: those that decide a claim alone, and those that only count beside others."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import (
    MIXTURE_FILE,
    MPNET,
    NETWORK,
    CrossEncoder,
    HybridVerifier,
    Mixture,
    load_small,
    open_encoder,
    read_contradiction_trees,
    read_model,
)
from factscope.methods import FLOORS

FOLDER = Path(__file__).parents[4] / "packages/verifier-large/src/factscope_verifier_large"


@pytest.fixture(scope="module")
def large() -> HybridVerifier:
    """Return the large verifier; its package need not be installed."""
    session = open_encoder(FOLDER / NETWORK)
    mixture = Mixture(**json.loads((FOLDER / MIXTURE_FILE).read_text(encoding="utf-8")))
    encoder = CrossEncoder(lambda: session, MPNET)
    trees = read_contradiction_trees(FOLDER)
    return HybridVerifier(read_model().weights, mixture, trees, encoder, open_from=math.inf, second=load_small())


@pytest.fixture(scope="module")
def predictions(large: HybridVerifier) -> dict[str, Prediction]:
    """Return the large verifier's prediction for each claim."""
    found = large.verify([ClaimPair(claim, passage) for claim, passage in PASSAGES.items()])
    return dict(zip(PASSAGES, found, strict=True))


PASSAGES = {
    "The orchard belongs to a bank.": "The orchard is the property of the village school.",
    "The ferry sails all year.": "The ferry does not run in winter.",
    "Every member of the choir pays twelve crowns a month.": (
        "### Does every member of the choir pay twelve crowns a year?"
    ),
    "No fees are charged for the course.": (
        "How much are the fees for the course? Adults pay 40 crowns and children half of that."
    ),
}


@pytest.mark.medium
@pytest.mark.parametrize(
    "claim",
    [
        "The orchard belongs to a bank.",
        "The ferry sails all year.",
        "No fees are charged for the course.",  # the closest sentence is a question, the next one its answer
    ],
)
def test_a_plain_contradiction_in_other_words_decides(claim: str, predictions: dict[str, Prediction]) -> None:
    assert predictions[claim].label == "contradicted"
    assert (predictions[claim].confidence or 0) >= FLOORS["normal"]


@pytest.mark.parametrize("sentence", ["Is the course free of charge?", "# Courses Free of Charge", "Ines Calloway"])
def test_a_sentence_that_states_nothing_does_not_decide(sentence: str, large: HybridVerifier) -> None:
    (prediction,) = large.verify([ClaimPair("Ines Calloway charges a fee for the course.", sentence)])
    assert prediction.label != "contradicted" or (prediction.confidence or 0) < FLOORS["normal"]


def test_a_heading_that_only_asks_settles_nothing(predictions: dict[str, Prediction]) -> None:
    assert predictions["Every member of the choir pays twelve crowns a month."].label == "not_enough_evidence"


def test_the_small_networks_reading_is_pooled_with_the_large_ones(large: HybridVerifier) -> None:
    passage = (
        "The committee considered three sites for the new primary school. It rejected the Gasworks site because of soil"
        " contamination and the Priory site because access was too narrow, and chose the Meadow Road site by a"
        " unanimous vote. Building will begin in spring if the county releases the funds."
    )
    pair = ClaimPair("The committee turned down two of the three sites it considered.", passage)
    (alone,), (pooled,) = replace(large, second=None, trees=load_small().trees).verify([pair]), large.verify([pair])
    assert (alone.label, pooled.label) == ("contradicted", "supported")
