"""Numbers that are equal but for what stands beside them: a sign, a currency, a limit, the half of the day."""

from __future__ import annotations

from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.protocol import ClaimPair, Prediction
from tests.lab.many_cases import try_all

CERTAIN = 0.98
"""Probability of what a rule decides."""


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
def test_no_rule_takes_them_for_the_same(claim: str, passage: str) -> None:
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
def test_the_same_in_another_spelling_is_supported(claim: str, passage: str) -> None:
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


def test_what_is_struck_out_is_not_stated() -> None:
    passage = "~~The concert starts at eight.~~ The concert starts at nine."
    assert verified("The concert starts at nine.", passage).label == "supported"
    assert verified("The concert starts at eight.", passage).label == "contradicted"
