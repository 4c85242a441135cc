"""Claims of several clauses that no single sentence supports, and opposites that rule out support."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


MUSEUM = (
    "The town museum of Tarn lies behind the church. On two floors it shows forty clocks. The oldest was made in 1702."
    " It is closed on Mondays. Adults pay six crowns to get in, pupils two."
)
LANE = (
    "Notice. Mill Lane is closed from 4 to 19 March for work on the drains. Bus 8 will take the road through Stannow"
    " during this time. Bus 19 runs as usual. Cyclists should dismount."
)
TOWER = (
    "The tower of St Anne's was wooden until it burned down. It was rebuilt in brick in 1840. Its bell came from Tarn."
    " In 1912 a clock was put in. The nave is older."
)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The museum shows forty clocks, and entry costs six crowns.", MUSEUM),
        ("While the lane is shut, bus 8 runs via Stannow, but bus 19 is not affected.", LANE),
        ("The tower was rebuilt in brick in 1840 and has had a clock since 1912.", TOWER),
    ],
)
def test_clauses_from_different_sentences_support_a_claim_together(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "supported"
    assert prediction.quote is not None


def test_the_reason_names_the_least_supported_clause() -> None:
    buildings = ("hall", "inn", "mill", "well") * 3
    between = " ".join(f"The {what} of the town stands on the square, built of red stone." for what in buildings)
    passage = (
        f"Ida Kern brought out her first novel in 1921. {between} In 1934 Ida Kern took over the bakery of her uncle."
    )
    prediction = verified(
        "Ida Kern published her first novel in 1921, and she ran her uncle's bakery from 1934.", passage
    )
    assert prediction.label == "supported"
    assert prediction.rationale.startswith("“")


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The museum shows forty clocks, and entry costs nine crowns.", MUSEUM),
        pytest.param(
            "While the lane is shut, bus 8 runs via Stannow, but bus 19 stays in its garage.",
            LANE,
            marks=pytest.mark.xfail(reason="the network reads it as supported, with .70"),
        ),
        ("The tower was rebuilt in brick in 1840 and has had a clock since 1890.", TOWER),
        ("The tower was rebuilt in brick in 1840 and has a roof of copper.", TOWER),
    ],
)
def test_one_unsupported_clause_leaves_the_claim_unsupported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("He wanted to narrow the ring road.", "Reim, who runs a building firm, wanted to widen the ring road."),
        (
            "Ottla Firth bought the inn at Lowmarsh in 2016.",
            "Ottla Firth sold the Griffin, an inn at Lowmarsh, in 2016.",
        ),
    ],
)
def test_an_opposite_in_the_same_place_denies_support(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


ROWS = "Warranty; Velm 5: 3 years; Duo: 4 years; Terrin: 5 years\nNoise; Velm 5: 59 dB; Duo: 63 dB; Terrin: 54 dB"


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ("Warranty; Velm 5: 3 years; Duo: 4 years", "supported"),
        ("Warranty; Velm 5: 3 years; Duo: 5 years", "contradicted"),
        ("Model: Duo; Warranty: 4 years; Noise: 63 dB", "supported"),
        ("Model: Duo; Warranty: 4 years; Noise: 54 dB", "contradicted"),
    ],
)
def test_a_row_is_read_cell_by_cell(row: str, label: str) -> None:
    assert verified(row, ROWS).label == label


def test_a_sentence_with_a_colon_is_not_a_row() -> None:
    sentence = "He had two aims; as he put it: to win and to be paid."
    assert verified(sentence, sentence).rationale == "the passage states it word for word"


HALL = "Instead, the hall was built north of the railway. Lind sat on the council until 1990 but never became mayor."


@pytest.mark.parametrize(
    "claim",
    [
        "The council backed down in the following year, and the hall was built south of the railway instead.",
        "She gave in during the following year, and was elected mayor in 1979.",
    ],
)
def test_one_contradicted_clause_is_enough(claim: str) -> None:
    assert verified(claim, HALL).label == "contradicted"


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("It is for a lawn of 600 m².", "Maker; Velm: Velm; Duo: Grasko\nLawn up to; Velm: 300 m²; Duo: 600 m²"),
        ("It has 40 beds.", "Beds; North: 30; South: 40; West: 50\nNights; North: 20; South: 40; West: 41"),
    ],
)
def test_a_row_does_not_contradict_a_pronoun(claim: str, row: str) -> None:
    assert verified(claim, row).label != "contradicted"
