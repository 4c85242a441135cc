"""Nouns of a claim that the passage has only as modifiers of another noun: "the bank manager"."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.rules import CERTAIN


def ruling(claim: str, passage: str) -> str | None:
    """Return the label that a rule gives, if one does."""
    prediction = load_small().verify([ClaimPair(claim, passage)])[0]
    return prediction.label if prediction.confidence == CERTAIN else None


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The school burned down in 1911.", "The school gymnasium burned down in 1911."),
        ("The museum sold the painting.", "The museum sold the painting frame."),
        ("Brun lost the case in 1950.", "Brun's tenant lost the case in 1950."),
        ("Ida Kern sold the farm in 1950.", "Ida Kern sold the farm's horses in 1950."),
        ("The miners won in 1840.", "The miners' wives won in 1840."),
        ("The police searched the ship.", "The police searched the cabin of the ship."),
        ("The ministry resigned in May.", "The adviser to the ministry resigned in May."),
        ("The museum was painted in 1990.", "The wall behind the museum was painted in 1990."),
        ("The owner sued the town.", "The woman that married the owner sued the town."),
        ("The governor opened the fair.", "The acting governor opened the fair."),
        ("Olaf met the consul.", "Olaf met the vice consul."),
    ],
)
def test_a_statement_about_another_head_noun_does_not_support_the_claim(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The school opened in 1911.", "The little village school opened in 1911 with forty pupils."),
        ("The governor opened the fair in May.", "In May the new governor opened the fair."),
        ("The treaty was signed in 1811.", "The treaty of Lorve was signed in 1811."),
        ("The ship burned in May.", "The ship, a whaler, burned in May."),
        ("Ida Kern founded the firm in 1950.", "The lawyer Ida Kern founded the firm in 1950."),
        ("Olaf Brun met the lawyer.", "Olaf Brun met the lawyer Ida Kern."),
        ("Olaf Brun lives in Tarn.", "Olaf Brun now lives in Tarn."),
    ],
)
def test_modifiers_of_the_noun_do_not_prevent_support(claim: str, passage: str) -> None:
    assert ruling(claim, passage) == "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Olaf Brun was killed in 1944.", "Olaf Brun lived in Tarn. His neighbour was killed in 1944."),
        ("Olaf Brun was killed in 1944.", "Olaf Brun lived in Tarn, and his eldest brother was killed in 1944."),
        ("Olaf Brun was killed in 1944.", "Olaf Brun lived in Tarn. His son was a baker. He was killed in 1944."),
        ("The ferry sank in 1931.", "The ferry ran to Holm. This barge sank in 1931."),
    ],
)
def test_a_possessive_before_a_noun_is_not_the_subject(claim: str, passage: str) -> None:
    assert ruling(claim, passage) != "supported"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Olaf Brun was killed in 1944.", "Olaf Brun lived in Tarn. He was killed in 1944."),
        ("The ferry was sold in 1931.", "The ferry ran to Holm. In 1931 it was sold."),
        ("The ferry was sold in 1931.", "The ferry ran to Holm and was sold in 1931."),
    ],
)
def test_a_pronoun_stands_for_the_subject(claim: str, passage: str) -> None:
    assert ruling(claim, passage) == "supported"
