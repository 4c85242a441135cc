"""Comparisons of two things, each with a figure in the passage."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

TRAILS = (
    "Two marked trails start at the car park. The Green Trail is 4 km long and takes an hour; the Red Trail runs for 11"
    " km over the ridge and takes about four hours."
)
NOTES = (
    "The Senior Notes bear interest at 4.25% per annum and mature on 30 June 2031. The Junior Notes bear interest at"
    " 6.80% per annum and mature on 30 June 2034."
)
MACHINES = (
    "Feature: Weight; Ardent S2: 16.5 kg; Brunello Duo: 11.2 kg\nFeature: Price; Ardent S2: €649; Brunello Duo: €899"
)
DIVISIONS = (
    "Division: Bakery; Revenue 2023 (£m): £188 million; Employees: 1,940\n"
    "Division: Frozen; Revenue 2023 (£m): £142 million; Employees: 1,210"
)
LIBRARIES = "The Askel library was built in 1921. The Cattering library, opened in 1936, has 40,000 books."


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@pytest.mark.parametrize(
    ("claim", "passage", "label", "reason"),
    [
        ("The Green Trail is longer than the Red Trail.", TRAILS, "contradicted", "4 km for the Green Trail and 11 km"),
        ("The Red Trail is longer than the Green Trail.", TRAILS, "supported", "11 km for the Red Trail and 4 km"),
        ("The Senior Notes carry a higher rate of interest than the Junior Notes.", NOTES, "contradicted", "4.25%"),
        ("The Senior Notes carry a lower rate of interest than the Junior Notes.", NOTES, "supported", "6.80%"),
        ("The Ardent S2 is heavier than the Brunello Duo.", MACHINES, "supported", "16.5 kg for the Ardent S2"),
        ("The Ardent S2 is lighter than the Brunello Duo.", MACHINES, "contradicted", "11.2 kg for the Brunello Duo"),
        ("The Ardent S2 costs more than the Brunello Duo.", MACHINES, "contradicted", "649 for the Ardent S2 and 899"),
        ("The Ardent S2 is cheaper than the Brunello Duo.", MACHINES, "supported", "649 for the Ardent S2 and 899"),
        (
            "Bakery employs fewer people than Frozen.",
            DIVISIONS,
            "contradicted",
            "1,940 for Bakery and 1,210 for Frozen",
        ),
        ("Bakery employs more people than Frozen.", DIVISIONS, "supported", "1,940 for Bakery and 1,210 for Frozen"),
        ("The Askel library is older than the Cattering library.", LIBRARIES, "supported", "1921 for"),
        ("The Askel library is newer than the Cattering library.", LIBRARIES, "contradicted", "1936 for"),
    ],
)
def test_two_figures_decide_a_comparison(claim: str, passage: str, label: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert prediction.label == label, prediction
    assert reason in prediction.rationale


@try_all(
    ("claim", "passage"),
    [
        ("The Green Trail is steeper than the Red Trail.", TRAILS),
        ("The Green Trail is longer than the Blue Trail.", TRAILS),
        ("The Green Trail is not longer than the Red Trail.", TRAILS),
        (
            "Ash sold fewer tickets per showing than Birch.",
            "Film: Ash; Showings: 3; Tickets: 402\nFilm: Birch; Tickets: 455",
        ),
        ("The Askel library is bigger than the Cattering library.", LIBRARIES),
        ("In 2019 Ash was longer than Birch.", "Ash is 4 km long. Birch is 11 km long."),
        ("Ash is longer than Birch.", "Ash is 4 km long and 2 km wide. Birch is 11 km long."),
        ("Ash is longer than Birch.", "Ash and Birch are 4 km and 11 km long."),
    ],
)
def test_other_comparisons_are_left_to_the_network(claim: str, passage: str) -> None:
    assert " for " not in judge(claim, passage).rationale
