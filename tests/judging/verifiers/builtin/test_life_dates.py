"""Years of birth and death in brackets after a name."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

RUIZ = "Ana Ruiz (Seville 1902 – Madrid 1971) was a Spanish poet."


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all("claim", ["The poet Ana Ruiz was born in Seville in 1971.", "Ana Ruiz died in Madrid in 1902."])
def test_a_year_of_birth_is_not_a_year_of_death(claim: str) -> None:
    assert label(claim, RUIZ) != "supported"


@try_all("claim", ["The poet Ana Ruiz was born in Seville in 1902.", "Ana Ruiz died in Madrid in 1971."])
def test_the_right_year_is_supported(claim: str) -> None:
    assert label(claim, RUIZ) == "supported"
