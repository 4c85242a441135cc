"""Majorities against a percentage."""

from __future__ import annotations

from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.protocol import ClaimPair
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Most management posts are held by women.", "Women held 38% of management posts."),
        ("Most of the votes were cast by post.", "About 41% of the votes were cast by post."),
        ("The majority of the pupils walk to school.", "Only 35 per cent of the pupils walk to school."),
        ("A minority of the members voted.", "Some 61% of the members voted."),
        ("Less than half of the land is farmed.", "In all, 57% of the land is farmed."),
    ],
)
def test_a_majority_below_half_and_a_minority_above_it_are_contradicted(claim: str, passage: str) -> None:
    assert label(claim, passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("Most of the votes were cast by post.", "About 61% of the votes were cast by post."),
        ("Most of the members voted.", "Of the members, 72% voted."),
        ("Most of the land is farmed.", "Only 20% of the land is not farmed."),
        ("Most of the managers are men.", "Only 38% of the managers are women, the rest are men."),
    ],
)
def test_a_majority_above_half_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
