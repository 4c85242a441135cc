"""Claims that deny a statement, judged by that statement."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("It isn't true that the Tamsel is in Orland.", "The Tamsel is a river in the north of Orland."),
        ("It is not true that the mill was sold.", "The mill was sold in 1950 to a baker."),
        ("It is a myth that the tower was struck by lightning.", "In 1820 the tower was struck by lightning."),
        ("It is not the case that the ferry carries lorries.", "The ferry carries lorries and buses."),
        ("It's false that Ida Kern was born in Marlow.", "Ida Kern was born in Marlow in 1901."),
    ],
)
def test_denying_a_stated_fact_is_contradicted(claim: str, passage: str) -> None:
    assert label(claim, passage) == "contradicted"


@try_all(
    ("claim", "passage"),
    [
        ("It is not true that the mill was sold in 1960.", "The mill was sold in 1950."),
        ("It is not true that the ferry carries lorries.", "The ferry does not carry lorries."),
        ("It is a myth that the tower was struck by lightning.", "The tower was never struck by lightning."),
        ("It is not true that the mill was sold.", "It is not true that the mill was sold."),
    ],
)
def test_denying_a_statement_that_the_passage_rules_out_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"


def test_denying_a_statement_that_the_passage_leaves_open_is_undecided() -> None:
    assert label("It is not true that the mill was sold.", "The mill stands by the river.") not in (
        "supported",
        "contradicted",
    )


def test_the_rationale_says_that_the_statement_was_judged() -> None:
    (prediction,) = load_small().verify(
        [ClaimPair("It is a myth that the mill was sold.", "The mill was sold in 1950 to a baker.")]
    )
    assert prediction.rationale.startswith("judged by the statement that the claim denies: ")
    assert prediction.quote
    assert prediction.probabilities
    assert (prediction.probabilities.contradicted or 0.0) > prediction.probabilities.supported


def test_one_denial_among_other_sentences_is_judged_by_itself() -> None:
    claim = "Ida Kern was born in Marlow. It is not true that she was a baker."
    assert label(claim, "Ida Kern was born in Marlow. She was a baker.") == "contradicted"
