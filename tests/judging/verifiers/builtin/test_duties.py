"""Claims that turn something else into a duty or permission."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Visitors must wear helmets in the cave.", "Visitors are advised to wear helmets in the cave."),
        ("Helmets are compulsory in the cave.", "Helmets are recommended in the cave."),
        ("Members have to attend the annual meeting.", "Members may attend the annual meeting."),
        ("Vaccination is mandatory for pupils.", "Vaccination is voluntary for pupils."),
        ("Guests are required to book the sauna.", "Guests are encouraged to book the sauna."),
        (
            "Visitors are obliged to wear hats in the aviary.",
            "Visitors to the aviary are asked to walk slowly. Hats are recommended in the aviary.",
        ),
        ("Subletting of plots is possible.", "Plots may not be sublet."),
        ("Barbecues are allowed in the garden.", "Barbecues are prohibited in the garden."),
        ("Bicycles may be taken on the tram.", "Bicycles must not be taken on the tram."),
    ],
)
def test_a_duty_is_not_an_option_and_a_prohibition_is_not_a_permission(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Visitors must wear helmets in the cave.", "Visitors are required to wear helmets in the cave."),
        ("Members may attend the annual meeting.", "Members may attend the annual meeting."),
        ("Visitors must wear helmets.", "Helmets must be worn by all visitors; gloves are recommended."),
        ("Barbecues are allowed in the garden.", "Barbecues are allowed in the garden; fires are forbidden."),
    ],
)
def test_the_same_duty_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
