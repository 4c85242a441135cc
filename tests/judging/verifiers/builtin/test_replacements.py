"""Claims with another number or name than the passage, which words the rest differently."""

from __future__ import annotations

import re

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def verified(claim: str, passage: str) -> Prediction:
    """Return the small verifier's prediction."""
    return load_small().verify([ClaimPair(claim, passage)])[0]


def names_a_replacement(prediction: Prediction) -> bool:
    """Tell whether the reason is that the passage says something else instead."""
    return bool(re.match(r"the passage says .+, not ", prediction.rationale))


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        (
            "The state paid 9,000 of the 19,600 crowns.",
            "The bill came to 19,600 crowns, of which the state paid 6,000.",
            "the passage says 6,000, not 9,000",
        ),
        (
            "Belongings of your guests are covered as well, up to €1,500.",
            "Things of visitors are insured up to 1,000 euros.",
            "the passage says 1,000, not 1,500",
        ),
        (
            "The lens of the main telescope measures 66 millimetres.",
            "The main instrument is a refracting telescope with a lens of 66 centimetres.",
            "the passage says 66 centimetres, not 66 millimetres",
        ),
        (
            "The sculpture was made by Ilse Brandt.",
            "The sculpture in the yard was carved by Tomas Reuter from a single block of oak.",
            "the passage says Tomas Reuter, not Ilse Brandt",
        ),
        (
            "The prize went to Ann Berg.",
            "The prize went to the Vik Rowing Club.",
            "the passage says Vik Rowing Club, not Ann Berg",
        ),
        (
            "The highest dose is 80 mg per week.",
            "The highest daily dose is 80 mg, to be taken with water.",
            "the passage says daily, not week",
        ),
        (
            "The club's magazine appears monthly.",
            "The magazine of the club appears every week.",
            "the passage says every week, not monthly",
        ),
    ],
)
def test_a_claim_true_only_with_another_number_or_name_is_contradicted(claim: str, passage: str, reason: str) -> None:
    prediction = verified(claim, passage)
    assert (prediction.label, prediction.rationale) == ("contradicted", reason)
    assert prediction.quote is not None
    assert prediction.quote.of(passage) == passage
    assert prediction.probabilities is not None
    assert prediction.confidence == pytest.approx(prediction.probabilities.contradicted, abs=1e-4)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("More than 300 people work at the mill.", "The mill employs 450 people."),
        ("The park may be entered by pupils of 19.", "The park may be entered by pupils who are 18 or older."),
        ("In 1990 the town had 8,400 inhabitants.", "As of 2019 the town had 8,400 inhabitants."),
        ("The orchard has not sold 12 tonnes of plums.", "The orchard sold 15 tonnes of plums."),
        ("In all, 15 animals live on the farm.", "On the farm live 10 animals with horns and 5 animals without."),
        ("The tunnel is 3 kilometres long.", "The tunnel has a length of 3,000 metres and was dug in six years."),
        ("About 30 boats were in the race.", "In the end 31 boats took part in the race."),
        ("The tower is 40 metres high.", "The tower stands 4,000 metres from the sea."),
        ("The mine was closed in 1962.", "The mine was opened in 1958 and employed 300 people."),
        ("The Brindle mill was built in 1788.", "The Hollin mill was built in 1788."),
        ("The rent is 900 crowns a month.", "The rent is 900 crowns a month, or 10,000 a year."),
        ("The newspaper appears daily.", "The newspaper appears every morning. It has a weekly supplement."),
        ("The ferry runs daily.", "The ferry runs weekly in winter."),
        ("He has never been to Norway.", "He has never been to Iceland."),
        ("She worked with Ann Holt.", "She worked with Per Lund and Mia Falk."),
        (
            "With the loop along the canal, the walk from Cray to Pell Sands is 38 miles long.",
            "The walk from Cray to the sea at Pell Sands has 34 miles. It takes three days. A loop along the canal"
            " makes it four miles longer.",
        ),
        (
            "This June brought 72 mm more rain to Tarn than June usually does.",
            "Rainfall at Tarn this June was 212 mm, against a June average of 140.",
        ),
        ("For Haldrake Homes the notice becomes twice as long.", "For the Landlord the notice becomes twice as long."),
        ("The fine amounts to 1,470 crowns.", "For each day of delay, the fine is 210 crowns."),
        ("Lind came in fifteen days after Ashe.", "Ashe reached the harbour after 51 days. Lind took 66."),
        ("The flat costs 900 crowns a month.", "flat: 4; rooms: 3; crowns: 1,100; free from: May"),
    ],
)
def test_a_value_compatible_with_the_passage_is_not_a_replacement(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert not names_a_replacement(prediction), prediction


def test_passages_that_differ_elsewhere_do_not_share_an_answer() -> None:
    claim = "The state paid 9,000 of the 19,600 crowns."
    paid = "The bill came to 19,600 crowns, of which the state paid 6,000."
    owed = "The bill came to 19,600 crowns, of which the owner took 6,000."
    pairs = [ClaimPair(claim, paid), ClaimPair(claim, owed)]
    alone = [load_small().verify([pair])[0] for pair in pairs]
    assert load_small().verify(pairs) == alone
    assert load_small().verify(pairs[::-1]) == alone[::-1]


DANZER = (
    "Danzer Logistics is a freight company with headquarters in Karvik. It was founded by the brothers Nils and Peder "
    "Danzer, and since 2016 has been led by Aino Rask. Its largest warehouse is in Tolmin."
)


@pytest.mark.xfail(reason="the network leaves it open with .62, as the sentence that is closest gives another place")
def test_a_location_that_belongs_to_something_else_contradicts() -> None:
    assert verified("Danzer Logistics has its head office in Tolmin.", DANZER).label == "contradicted"


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
def test_a_claim_that_may_also_be_true_is_not_a_replacement(claim: str, passage: str) -> None:
    assert not names_a_replacement(verified(claim, passage))  # "the passage says Karvik, not Tolmin"


@try_all(
    ("claim", "passage"),
    [
        (
            "There are thirty-seven bronze and stone works in the garden.",
            "The garden contains thirty-one bronzes and six works in stone, all by women.",
        ),
        ("The farmer owns 48 goats and sheep in all.", "Farmer Tuuli Rask keeps 36 goats and 12 sheep."),
        (
            "The clinic carried out 2,100 hip and knee operations in 2020.",
            "In 2020 the clinic carried out 1,260 hip operations and 840 knee operations.",
        ),
        ("Anna and Beth scored four goals.", "Anna scored one goal and Beth three."),
    ],
)
def test_a_total_is_not_another_number(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "contradicted"


def test_a_wrong_total_is_contradicted() -> None:
    passage = "Farmer Tuuli Rask keeps 36 goats and 12 sheep."
    assert verified("The farmer owns 47 goats and sheep in all.", passage).label == "contradicted"


def test_a_year_within_a_period_is_not_replaced_by_its_first_year() -> None:
    ferries = "The Mayflint ferry steamers: Ada (1867–1890), Bertha (1872–1911), Clara (1890–1925)."
    for claim, passage in (
        ("Ngaire Holloway-Pua was alive in 1993.", "Master potter Ngaire Holloway-Pua (1921–1998) learned at home."),
        ("In 1880 the steamers in service were Ada and Bertha.", ferries),
    ):
        assert load_small().verify([ClaimPair(claim, passage)])[0].label != "contradicted"


def test_a_name_that_belongs_to_something_else_replaces_none() -> None:
    claim = "The quarries of Hallow Edge are first recorded in a charter of the year 1214."
    passage = "The quarries are first mentioned in 1214, in a charter of Ost Priory."
    assert verified(claim, passage).label != "contradicted"
    assert verified("She was the first mayor of Hallow Edge.", "She was the first mayor of Ost Priory.").label == (
        "contradicted"
    )


def test_numbers_that_tell_things_apart_do_not_replace_a_count() -> None:
    stolen = "Stations 7 and 8 were stolen and station 22 was flooded."
    assert (
        load_small().verify([ClaimPair("Two of the missing stations had been stolen.", stolen)])[0].label == "supported"
    )


def test_a_difference_is_not_replaced_by_what_it_is_the_difference_of() -> None:
    weeks = "Median time to return to sport was 15 weeks with loading and 19 with stretching."
    sooner = "With loading, patients were typically back at their sport {} weeks sooner."
    right, wrong = load_small().verify([ClaimPair(sooner.format(number), weeks) for number in ("four", "six")])
    assert (right.label, wrong.label) == ("not_enough_evidence", "contradicted")
