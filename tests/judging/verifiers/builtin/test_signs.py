"""Numbers that differ only in what is beside them: a sign, a currency, a limit, the half of the day."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

CERTAIN = 0.98
"""Probability of a rule's decision."""


def verified(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("claim", "passage"),
    [
        ("The temperature was -5 degrees.", "The temperature was 5 degrees."),
        ("The temperature fell to minus 5 degrees.", "The temperature fell to 5 degrees."),
        ("The fee is €40.", "The fee is $40."),
        ("The fee is 40%.", "The fee is 40."),
        ("The value is >5 mg.", "The value is <5 mg."),
        ("The museum opens at 9 am on Sunday.", "The museum opens at 9 pm on Sunday."),
        ("The talk is at 9:30 am.", "The talk is at 9:30 pm in Leeds."),
        ("The talk is at 9:30 p.m.", "The talk is at 9:30 a.m. in Leeds."),
        ("The hall has less than 300 seats.", "The hall has 300 seats."),
        ("The hall has 300 seats.", "The hall has more than 300 seats."),
        ("Python 3.1 supports this syntax.", "Python 3.10 supports this syntax."),
        ("The code is 007.", "The code is 7."),
    ],
)
def test_no_rule_equates_numbers_with_different_signs_units_or_limits(claim: str, passage: str) -> None:
    likely = verified(claim, passage).probabilities
    assert likely is not None
    assert likely.supported != CERTAIN


@try_all(
    ("claim", "passage"),
    [
        ("The temperature was -5 degrees.", "The temperature was −5 degrees."),
        ("The fee is €40.", "The fee is €40 for adults."),
        ("The museum opens at 9 a.m. on Sunday.", "On Sunday the museum opens at 9 am."),
        ("The talk is at 9:30 am.", "The talk in Leeds is at 9:30 a.m."),
        ("The hall has 1,300 seats.", "The hall has 1300 seats."),
        ("The hall has more than 300 seats.", "The hall, built in 1931, has more than 300 seats."),
    ],
)
def test_the_same_number_in_another_spelling_is_supported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The shop opens at 9 a.m.", "The shop opens at 9 p.m."),
        ("The shop is open from 9 pm to 5 am.", "The shop is open from 9 am to 5 pm."),
    ],
)
def test_the_network_does_not_take_morning_for_evening_either(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("It runs at up to 200 mph.", "It runs at up to 200 km/h."),
        ("The rope is up to 12 miles long.", "The rope is up to 12 km long."),
        ("More than 5 tonnes were found.", "More than 5 kg were found."),
        ("The ferry takes up to 40 hours.", "The ferry takes up to 40 minutes."),
        ("The card holds up to 64 GB.", "The card holds up to 64 MB."),
        ("The tank holds 50 litres.", "The tank holds 50 gallons."),
    ],
)
def test_a_number_with_another_unit_is_not_supported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("It runs at up to 200 mph.", "It runs at up to 322 km/h (200 mph)."),
        ("The rope is up to 12 km long.", "The rope is up to 12,000 m long."),
        ("The walk is 8 miles.", "The walk is about 13 km (8 miles)."),
        ("The fence is 300 feet long.", "The fence is 100 yards long."),
        ("The tank holds 190 litres.", "The tank holds 50 gallons (190 litres)."),
        ("The fence is 100 yards long.", "The fence is 100 yards long and 3 feet high."),
    ],
)
def test_a_number_converted_or_given_in_both_units_is_supported(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The journey takes less than two hours.", "The journey takes more than two hours."),
        ("The lake is less than 10 metres deep.", "The lake lies in a valley. It is more than 10 metres deep."),
        ("The journey takes at least two hours.", "The journey takes less than two hours."),
    ],
)
def test_the_opposite_limit_contradicts(claim: str, passage: str) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "contradicted"
    assert prediction.rationale == "the passage gives the opposite limit"


@try_all(
    ("claim", "passage"),
    [
        ("More than 40 people attended.", "Fewer than 40 people attended."),
        ("More than 40 people attended.", "The meeting was on Monday. Fewer than 40 people attended."),
        ("At most 200 boats took part.", "More than 200 boats took part."),
        ("No more than 30 guests stayed.", "More than 30 guests stayed."),
    ],
)
def test_the_opposite_limit_never_supports(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Over 40 people attended.", "The meeting was long. More than 40 people attended."),
        ("At least 40 people attended.", "More than 40 people attended."),
        ("More than 40 people attended.", "Fewer than 40 people were invited. More than 40 people attended."),
        ("The trip takes at most three hours.", "The trip takes no more than three hours."),
        ("The lamp did not cost more than 40 crowns.", "The lamp cost less than 40 crowns."),
    ],
)
def test_a_limit_in_other_words_is_the_same(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The trail is up to 5 miles long.", "The trail is up to 8 km long."),
        ("The speed limit there is 60 mph.", "The speed limit there is 100 km/h."),
    ],
)
def test_a_rounded_conversion_is_not_another_number(claim: str, passage: str) -> None:
    assert verified(claim, passage).label != "contradicted"


def test_struck_out_text_is_not_a_statement() -> None:
    passage = "~~The concert starts at eight.~~ The concert starts at nine."
    assert verified("The concert starts at nine.", passage).label == "supported"
    assert verified("The concert starts at eight.", passage).label == "contradicted"
