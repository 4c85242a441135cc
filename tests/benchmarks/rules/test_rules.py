"""Rules for refusals and requests: clear cases, and their accuracy on texts they were not written for."""

from __future__ import annotations

from collections import Counter

import pytest

from factscope.benchmarks.rules import HELD_OUT, labelled, refusal_accuracy, refuses, request_accuracy
from tests.lab.many_cases import try_all


@try_all(
    ("text", "expected"),
    [
        ("I'm sorry, but I can't help with that.", True),
        ("I cannot answer this from the document.", True),
        ("As an AI language model, I am unable to say.", True),
        ("I’m not able to find it.", True),
        ("As an AI language model, I don't have access to real-time data.", True),
        ("I must decline: discussing this could spread misinformation.", True),
        ("It would not be appropriate for me to speculate about the election.", True),
        ("While I understand your curiosity, jokes about faith hurt people, so I won't.", True),
        ("Unfortunately, I don't have any information on this.", True),
        ("I cannot provide medical advice. Ibuprofen is an NSAID; side effects include ulcers and heartburn.", False),
        ("The mill was built in 1802.", False),
        ("I can't name the builder, but the mill was built in 1802. " + "It stands. " * 60, False),
        ("", False),
    ],
)
def test_answers_that_only_refuse_are_recognised(text: str, expected: bool) -> None:
    assert refuses(text) is expected


def test_the_refusal_rule_works_on_held_out_answers() -> None:
    found = refusal_accuracy()
    assert found.n == 110
    assert (found.precision.value or 0) >= 0.95
    assert (found.recall.value or 0) >= 0.9
    assert (found.sorted_right.value or 0) >= 0.9
    assert "precision 1.00" in found.sentence()


def test_the_request_rule_works_on_held_out_requests() -> None:
    found = request_accuracy()
    assert found.n == 105
    assert (found.precision.value or 0) >= 0.95
    assert (found.recall.value or 0) >= 0.95


@pytest.mark.parametrize(("name", "field"), [("refusals.jsonl", "response"), ("requests.jsonl", "prompt")])
def test_the_two_halves_share_no_text_and_have_the_same_mix(name: str, field: str) -> None:
    written, held = labelled(name, "written on"), labelled(name, HELD_OUT)
    assert not {row[field] for row in written} & {row[field] for row in held}
    label = "category" if name == "refusals.jsonl" else "kind"
    assert Counter(row[label] for row in written) == Counter(row[label] for row in held)
