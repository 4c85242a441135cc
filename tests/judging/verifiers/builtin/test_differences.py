"""Numbers that state a difference, reversed directions, and reasons in the claim's own words."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def judged(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("claim", "passage"),
    [
        (
            "An adult return ticket costs 7.50 crowns, which is 2.10 crowns less than two singles.",
            "Adult: single 4.80 crowns, return 7.50 crowns",
        ),
        ("The runner got two hours less sleep than promised.", "I slept six hours, not the eight that I had promised."),
        (
            "The merger took 17 months longer than foreseen.",
            "The chairman regretted that the merger had taken 26 months, not the nine foreseen.",
        ),
    ],
)
def test_a_difference_is_not_one_of_the_two_numbers(claim: str, passage: str) -> None:
    assert judged(claim, passage).label != "contradicted"


def test_another_difference_contradicts() -> None:
    passage = "Version 3 of the phone is 40 grams lighter than version 2."
    assert judged("Version 3 of the phone is 35 grams lighter than version 2.", passage).label == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        (
            "She sailed from Sallowport to Dunmarrow with slate and lamp oil.",
            "From Dunmarrow to Sallowport with slate.",
        ),
        ("In 1932 she flew from Odry to Tarnova.", "In 1932 she flew from Tarnova to Odry without a stop."),
        ("The colony passed from Spain to France in 1763.", "In 1763 the colony passed from France to Spain."),
        ("Hill translated it from German into English.", "Hill translated it from English into German."),
    ],
)
def test_the_opposite_direction_is_not_supported(claim: str, passage: str) -> None:
    assert judged(claim, passage).label != "supported"


def test_the_same_direction_is_supported() -> None:
    passage = "In 1932 she flew from Odry to Tarnova without a stop, and in 1933 from Tarnova to Odry."
    assert judged("In 1932 she flew from Odry to Tarnova.", passage).label == "supported"


def test_a_reason_uses_the_original_words_of_the_claim() -> None:
    prediction = judged("The repair took two years.", "The repair took eleven weeks.")
    assert (prediction.label, prediction.rationale) == ("contradicted", "the passage says eleven weeks, not two years")
