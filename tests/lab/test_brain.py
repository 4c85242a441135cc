"""Stand-in for a model: it knows every shipped prompt, and judges as a person would."""

from __future__ import annotations

import pytest

from factscope.llm.prompts import load, shipped
from tests.lab.brain import STEPS, answer
from tests.lab.reasoning import compare, pieces, standalone

DOCUMENT = "The Marlow bridge was opened in 1931. It has four arches and was designed by Ida Kern."


def test_every_shipped_prompt_has_an_answer() -> None:
    assert set(STEPS) == set(shipped())


def test_a_label_is_given_in_the_words_of_the_prompt() -> None:
    filled = load("verify/label").fill(
        claim="The Marlow bridge has four arches",
        results=DOCUMENT,
        label={"supported": "Yes", "contradicted": "No", "not_enough_evidence": "Who knows"},
    )
    messages = [{"role": "system", "content": filled.system}, {"role": "user", "content": filled.user}]
    assert (answer(messages) or "").endswith("\n[Yes]")
    again = [*messages, {"role": "assistant", "content": "?"}, {"role": "user", "content": "Answer again."}]
    assert answer(again) == answer(messages)
    assert answer([{"role": "system", "content": "You are a poet."}, messages[1]]) is None


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Marlow bridge was opened in 1931", "supported"),
        ("The Marlow bridge was opened in 1932", "contradicted"),
        ("The Marlow bridge has six arches", "contradicted"),
        ("The Marlow bridge was designed by Ida Berg", "contradicted"),
        ("The Selby bridge was opened in 1932", "not_enough_evidence"),
        ("The Marlow bridge was painted in 1932", "not_enough_evidence"),
    ],
)
def test_numbers_and_names_decide_the_label(claim: str, label: str) -> None:
    found = compare(claim, DOCUMENT)
    assert found.label == label
    assert found.quote in DOCUMENT
    assert bool(found.gap) == (label == "not_enough_evidence")


def test_sentences_are_split_and_pronouns_replaced() -> None:
    assert [piece.text for piece in pieces("It has four arches and is 212 metres long; it was closed in 1999.")] == [
        "It has four arches",
        "It is 212 metres long",
        "It was closed in 1999",
    ]
    assert standalone("It is 212 metres long", "The Marlow bridge was opened in 1931.") == (
        "The Marlow bridge is 212 metres long"
    )
