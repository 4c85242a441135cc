"""Claims about all things of a kind where the passage allows only some."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Dogs are welcome inside the museum.", "Only assistance dogs are allowed inside the museum."),
        ("Cars may enter the old town.", "Only electric cars may enter the old town."),
        ("Children are admitted to the pool.", "Only older children are admitted to the pool."),
        ("Boats may land on the island.", "Only licensed boats may land on the island."),
        (
            "Visitors are shown the letters in the archive.",
            "Only registered visitors are shown the letters in the archive.",
        ),
        ("Cyclists may use the tunnel.", "Only local cyclists may use the tunnel."),
        ("Tickets are sold to groups.", "Tickets are sold only to registered groups."),
    ],
)
def test_a_general_claim_is_not_supported_by_a_statement_about_only_some(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Electric cars may enter the old town.", "Only electric cars may enter the old town."),
        ("The library owns a copy of the atlas.", "The library owns the only known copy of the atlas."),
        ("The shop sells cheese.", "The shop sells only local cheese."),
        ("The museum shows paintings.", "The museum shows only modern paintings."),
    ],
)
def test_a_limited_statement_supports_a_claim_that_is_still_true(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
