"""Denials that leave out what they deny: "parking is not"."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Breakfast is included in the price.", "Parking is included in the price, breakfast is not."),
        ("Dogs may enter the garden.", "Children may enter the garden; dogs may not."),
        ("The chapel was restored in 1990.", "The tower was restored in 1990, but the chapel was not."),
        ("Ravel sells fresh bread.", "Obrin sells fresh bread; Ravel does not."),
        ("The old bridge can carry lorries.", "The new bridge can carry lorries, while the old bridge cannot."),
        ("The ferries were insured.", "The trams were insured, the ferries weren't."),
        (
            "Parking is free.",
            "The museum shows forty farmhouses. Admission is free, parking is not (15 francs a day).",
        ),
        (
            "Parking at the bathing place is free of charge.",
            "Admission to the bathing place is free of charge, parking is not: 15 francs a day are due at the machine.",
        ),
        (
            "The audio guide is included in the price.",
            "Entry costs 12 marks. The plan of the house is included in the price, the audio guide is not (4 marks).",
        ),
        ("The lower pool is heated.", "The upper pool is heated from May to September, the lower pool is not."),
        ("Teachers get in free.", "Pupils get in free, teachers do not."),
        (
            "The second report was published.",
            "The first report was published in 2004 and can be read in the archive; the second was not.",
        ),
    ],
)
def test_the_subject_of_an_elliptical_denial_is_contradicted(claim: str, passage: str) -> None:
    assert label(claim, passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("Parking is included in the price.", "Parking is included in the price, breakfast is not."),
        ("The tower was restored in 1990.", "The tower was restored in 1990, but the chapel was not."),
        (
            "The chapel was built before the tower.",
            "The chapel was built before the tower; it is older than it looks, and the tower is not.",
        ),
    ],
)
def test_the_affirmed_subject_beside_an_elliptical_denial_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
