"""Frequencies in the claim and in the passage."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def judged(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("claim", "passage"),
    [
        ("The water in the deep tanks is changed every day.", "The water in the tanks is changed once a week."),
        ("The newsletter appears twelve times a year.", "The newsletter appears every quarter."),
        ("The pump is serviced twice a year.", "The pump is serviced once a year by the maker."),
        ("The lift is inspected every two years.", "The lift is inspected every six months."),
        ("The filter is cleaned fortnightly by the crew.", "The filter is cleaned daily by the crew."),
    ],
)
def test_another_rate_contradicts(claim: str, passage: str) -> None:
    prediction = judged(claim, passage)
    assert prediction.label == "contradicted"
    assert prediction.rationale.startswith("the passage says ")


@try_all(
    ("claim", "passage"),
    [
        ("The newsletter appears twelve times a year.", "The newsletter appears every month."),
        ("The pump is serviced twice a year.", "The pump is serviced every six months."),
        ("Adults take the drops four times daily.", "Adults take the drops four times a day."),
    ],
)
def test_the_same_rate_in_other_words_supports(claim: str, passage: str) -> None:
    assert judged(claim, passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The pump is serviced at least once a year.", "The pump is serviced twice a year."),
        ("The boiler is inspected every week.", "The lift in the tower is inspected every month."),
    ],
)
def test_a_limit_or_another_subject_is_not_another_rate(claim: str, passage: str) -> None:
    assert not judged(claim, passage).rationale.startswith("the passage says ")


@try_all(
    ("claim", "passage"),
    [
        ("The pump is checked every day by the crew.", "The pump is checked twice a day by the crew."),
        ("Adults take the syrup daily.", "Adults take the syrup three times a day."),
        ("The pump is serviced every year by the maker.", "The pump is serviced twice a year by the maker."),
        ("The valve is opened every day by the crew.", "The valve is opened every four hours by the crew."),
        ("Each quarter of the city has a park.", "Each month of the year has a fair in the city park."),
    ],
)
def test_a_higher_frequency_is_not_called_another_rate(claim: str, passage: str) -> None:
    assert ", not " not in judged(claim, passage).rationale  # a pump checked twice a day is checked every day


def test_mornings_and_evenings_are_not_the_same() -> None:
    passage = "Take two tablets with food each morning."
    assert judged("Take two tablets with food each evening.", passage).label != "supported"
    assert judged("The two tablets are taken with food each evening.", passage).label != "supported"
