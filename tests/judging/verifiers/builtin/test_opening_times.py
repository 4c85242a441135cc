"""Opening times: a row about other months or hours does not support a claim."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

TITLES = "Wexcombe Mill Museum. Opening hours and prices.\n"
SUMMER = f"{TITLES}Season: April to September; Days: Tuesday to Sunday; Hours: 10:00–17:30; Adult: £8.50; Child: £4.00"
AUTUMN = f"{TITLES}Season: October and March; Days: Saturday and Sunday; Hours: 10:00–16:00; Adult: £7.00; Child: £3.50"


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("In October, the museum is open from 10:00 to 17:30.", SUMMER),
        ("In October, the museum is open from 10:00 to 17:30.", AUTUMN),
        ("In January, the museum is open from 10:00 to 17:30.", SUMMER),
    ],
)
def test_another_month_or_other_hours_are_not_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("In July, the museum is open from 10:00 to 17:30.", SUMMER),
        ("In October, the museum is open from 10:00 to 16:00.", AUTUMN),
        ("In August the museum is open from 10:00 to 5:30.", SUMMER),
        ("The market is open in August.", "The market is open from June to August."),
    ],
)
def test_a_month_within_the_range_and_the_same_hours_are_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
