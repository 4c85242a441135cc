"""Values of a claim that the passage gives to something else."""

from __future__ import annotations

from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.protocol import ClaimPair, Prediction
from tests.lab.many_cases import try_all

DANZER = (
    "Danzer Logistics is a freight company with headquarters in Karvik. It was founded by the brothers Nils and Peder "
    "Danzer, and since 2016 has been led by Aino Rask. Its largest warehouse is in Tolmin."
)


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


def test_a_place_of_something_else_contradicts() -> None:
    prediction = judge("Danzer Logistics has its head office in Tolmin.", DANZER)
    assert prediction.label == "contradicted"
    assert prediction.rationale == "the passage says Karvik, not Tolmin"


@try_all(
    ("claim", "passage"),
    [
        ("Danzer Logistics has its head office in Karvik.", DANZER),
        ("The largest warehouse of Danzer Logistics is in Tolmin.", DANZER),
        ("People in Torsund are about 40 years old on average.", "Torsund has 48,912 people. The average age is 39.6."),
        ("478 patients took part in the trial.", "In the trial 240 patients had the drug and 238 a placebo."),
        ("Mill 5 was built in 1505.", "Mill 5 was closed. Mill 905 was built in 1505."),
        ("Casper Lunn edited the paper.", "Brandt edited the paper until 1932, when Casper Lunn took over."),
    ],
)
def test_what_may_be_true_as_well_is_not_contradicted(claim: str, passage: str) -> None:
    assert ", not " not in judge(claim, passage).rationale  # "the passage says Karvik, not Tolmin"
