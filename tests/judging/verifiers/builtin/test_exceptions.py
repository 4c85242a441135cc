"""Exceptions: a passage that excepts something contradicts a claim that includes it."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        (
            "The insurance covers damage by floods.",
            "The insurance covers damage by fire, storm and hail, but not by floods.",
        ),
        ("The museum is open on Mondays.", "The museum is open every day except Mondays."),
        ("The attic is heated.", "All rooms of the house except the attic are heated."),
        ("The ticket includes lunch.", "The ticket includes the boat trip and the guide, but not lunch."),
        ("Batteries are covered by the guarantee.", "The guarantee covers all parts with the exception of batteries."),
        ("The offer is valid in August.", "The offer is valid all year excluding August."),
        ("Pets are welcome in the restaurant.", "Pets are welcome everywhere in the hotel except the restaurant."),
        (
            "Students pay full price for exhibitions.",
            "Everyone pays full price for exhibitions, except for students and pensioners.",
        ),
        ("The discount applies to books.", "The discount applies to all goods other than books."),
        (
            "The warranty covers normal wear.",
            "The warranty covers defects of material, but not damage caused by misuse or normal wear.",
        ),
        (
            "The card gives free travel on the night buses.",
            "The card gives free travel on all trams and buses, excluding the night buses.",
        ),
        ("Lorvatide was tested in children.", "Lorvatide was tested in adults, but not in children."),
        ("The survey covered the islands.", "The survey covered the whole county with the exception of the islands."),
        ("Heating is included in the rent.", "Water and electricity are included in the rent, but not heating."),
        (
            "The policy pays for dental treatment.",
            "The policy pays for treatment in hospital, but not for dental treatment.",
        ),
        ("Tents may be pitched near the lake.", "Tents may be pitched anywhere on the site, except near the lake."),
        ("Gulls were counted on Orm.", "Gulls were counted on all the islands apart from Orm."),
    ],
)
def test_an_excepted_item_is_contradicted(claim: str, passage: str) -> None:
    assert label(claim, passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        (
            "The insurance covers damage by storm.",
            "The insurance covers damage by fire, storm and hail, but not by floods.",
        ),
        ("The mill has a cellar.", "None of the houses has a cellar except the mill."),
        ("The museum is open every day except Mondays.", "The museum is open every day except Mondays."),
        ("The kitchen is heated.", "All rooms of the house except the attic are heated, the kitchen included."),
        ("The ferry runs on Sundays.", "The ferry runs on Sundays too, but not before ten."),
        ("Members may use the pool.", "Members may use the pool, but not the sauna."),
    ],
)
def test_an_item_that_is_not_excepted_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
