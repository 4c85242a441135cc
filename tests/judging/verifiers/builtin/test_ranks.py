"""Superlatives of another rank, in passages with all words of the claim."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

SECOND = "With an area of 61 square kilometres it is the second largest of the Holm Islands after Great Holm."
ONE_OF = "Skarnøy is one of the largest of the Holm Islands."


@try_all(
    ("claim", "passage", "label"),
    [
        ("It is the largest of the Holm Islands.", SECOND, "contradicted"),
        ("It is the second largest of the Holm Islands.", SECOND, "supported"),
        ("Skarnøy is the largest of the Holm Islands.", ONE_OF, "not_enough_evidence"),
        ("Skarnøy is one of the largest of the Holm Islands.", ONE_OF, "supported"),
        ("Ravel is the third oldest university.", "Ravel is the second oldest university.", "contradicted"),
    ],
)
def test_a_superlative_is_supported_only_with_its_rank(claim: str, passage: str, label: str) -> None:
    assert load_small().verify([ClaimPair(claim, passage)])[0].label == label
