"""The thing that "it" refers to: a sentence about one thing does not support a claim about another."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

LERCADINE = "Lercadine must be taken twice a day. It was withdrawn from the Canadian market in 2017."
BOTH = f"Amlodipine has been available since 1990. Its half-life is 30 to 50 hours.\n\n{LERCADINE}"


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("Amlodipine was withdrawn in Canada in 2017.", LERCADINE),
        ("Amlodipine was withdrawn in Canada in 2017.", BOTH),
        ("Lercadine has a half-life of 30 to 50 hours.", BOTH),
    ],
)
def test_another_subject_is_not_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Lercadine was withdrawn in Canada in 2017.", LERCADINE),
        ("Lercadine was withdrawn in Canada in 2017.", BOTH),
        ("The drug was withdrawn in Canada in 2017.", LERCADINE),
        ("Amlodipine has a half-life of 30 to 50 hours.", BOTH),
    ],
)
def test_the_same_subject_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"
