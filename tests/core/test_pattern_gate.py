"""The gate passes every expression that matches, for any text, and rules out most of the others."""

import re

import pytest

from factscope.core import PatternGate
from tests.lab.many_cases import try_all


@try_all(
    ("expression", "text"),
    [
        (r"\bai\b", "an ai."),
        (r"\bété\b", "l'été dernier"),
        (r"(?<!un)fair", "a fair trade"),
        (r"open(?! (?:air|[)] door))s? \w+", "it opens today"),
        (r"ignore (?:\w+ ){0,3}rules", "ignore all of the rules"),
        (r"^system\W{1,3}you$", "system: you"),
        (r"[^\W\d_]{3}ing", "sîñging"),
        ("no[^a-z]", "noX"),
        ("set{}{1,}", "set{}}"),
        (r"\d\s?%", "٣\u00a0%"),
        (r"\[[\w-]+\S\]", "[ünï-1!]"),
        ("(?i)subscribe to", "SUBSCRİBE TO"),
        ("(?i)subscribe to", "ſubſcrıbe to"),
        ("(?i)kelvin", "\u212aELVIN"),
        ("Label", "Label"),
        ("忽略.{0,3}指令", "忽略这些指令"),
        ("broken .", "broken \ud800"),
    ],
)
def test_matching_texts_pass_the_gate(expression: str, text: str) -> None:
    assert re.search(expression, text)
    assert PatternGate(["never this", expression]).numbers(f"before {text} after") == {1}


@pytest.mark.parametrize("text", ["", "The bridge opened in 1931."])
def test_other_texts_are_ruled_out(text: str) -> None:
    assert PatternGate([r"\bignore (?:all|these) rules\b", r"(?i)you are an? \w+ ai\b"]).numbers(text) == set()
