"""The large verifier: asked only about what the small one leaves open, and used automatically once installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction, languages_read
from factscope.judging.verifiers.builtin import (
    MPNET,
    CrossEncoder,
    EncoderTexts,
    HybridVerifier,
    ScreenedVerifier,
    is_installed,
    load,
    load_small,
    open_encoder,
)

FILE = Path(__file__).parents[4] / "packages/verifier-large/src/factscope_verifier_large/encoder.onnx"
PASSAGE = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long."


class Recorder:
    """Stand-in for the large verifier that records what it is asked."""

    name = "large-1"

    def __init__(self) -> None:
        self.asked: list[ClaimPair] = []

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        self.asked += pairs
        return [Prediction("contradicted", 0.9, None, "from the large one") for _ in pairs]


def test_the_large_verifier_is_asked_about_what_the_small_one_leaves_open() -> None:
    large = Recorder()
    verifier = ScreenedVerifier(load_small(), cast("HybridVerifier", large))
    word_for_word = ClaimPair("The Marlow bridge was opened in 1931.", PASSAGE)
    off_topic = ClaimPair("Penguins waddle across Antarctica.", PASSAGE)
    paraphrase = ClaimPair("The crossing at Marlow was inaugurated in 1931.", PASSAGE)
    labels = [prediction.label for prediction in verifier.verify([word_for_word, off_topic, paraphrase])]
    assert large.asked == [paraphrase]
    assert labels == ["supported", "irrelevant", "contradicted"]
    assert verifier.name == "large-1"
    assert verifier.verify([]) == []


@pytest.mark.xfail(reason="the small one takes it for open with .99, so the large one is not asked")
def test_a_distant_paraphrase_is_left_to_the_large_verifier() -> None:
    large = Recorder()
    paraphrase = ClaimPair("Cars have crossed the bridge at Marlow since 1931.", PASSAGE)
    ScreenedVerifier(load_small(), cast("HybridVerifier", large)).verify([paraphrase])
    assert large.asked == [paraphrase]


def test_the_large_verifier_reads_the_languages_of_its_network() -> None:
    verifier = ScreenedVerifier(load_small(), load_small())
    assert languages_read(verifier) == ("en",)


def test_the_built_in_verifier_is_the_small_one_without_the_package() -> None:
    if is_installed():
        pytest.skip("the package is installed here")
    assert load() is load_small()


def test_the_shipped_network_distinguishes_the_clearest_cases() -> None:
    session = open_encoder(FILE)
    claims = ("The bridge in Marlow opened in 1931.", "The Marlow bridge has six arches.", "The bridge was dear.")
    logits = CrossEncoder(lambda: session, MPNET).logits([EncoderTexts(claim, PASSAGE) for claim in claims])
    assert logits.argmax(axis=1).tolist() == [0, 1, 2]
    assert FILE.stat().st_size <= 95_000_000
