"""Comparisons that a claim reverses: "fewer than in 2022" beside "12% more than in 2022"."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

PASSAGE = "In 2023 the museum had 31,400 visitors, 12% more than in 2022."


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("In 2023 the museum welcomed 31,400 visitors, fewer than in 2022.", PASSAGE),
        ("In 2023 the museum had fewer visitors than in 2022.", PASSAGE),
        ("Rent came to 4,100 in May, higher than in April.", "Rent came to 4,100 in May, a tenth lower than in April."),
    ],
)
def test_the_opposite_comparison_is_not_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("In 2023 the museum welcomed 31,400 visitors, more than in 2022.", PASSAGE),
        (
            "In 2024 the ferry carried 2,100 cars, fewer than in 2023.",
            "In 2024 the ferry carried 2,100 cars, fewer than in 2023 and more than in 2022.",
        ),
    ],
)
def test_the_same_comparison_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
