"""Claims that stand in a passage word for word: sixty relatives of the case that came out contradicted once."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers.builtin import load
from factscope.judging.verifiers.builtin.verbatim import find_number_change, find_statement
from factscope.judging.verifiers.protocol import ClaimPair

STATEMENTS = (
    ("The {} bridge was opened in {}.", "Marlow", "Denby", "1931", "1940"),
    ("{} has {} inhabitants.", "Orvale", "Tessing", "1,200", "18,450"),
    ("The {} tower is {} metres high.", "North", "South", "41", "57"),
    ("In {1} the {0} mill was rebuilt.", "Upper", "Lower", "1866", "1874"),
    ("{} won the race in {} minutes.", "Ada Holm", "Ida Kern", "38", "44"),
    ("The {} ferry leaves on {} June.", "morning", "evening", "6", "16"),
    ("Dr {} treated {} patients.", "Vance", "Ortiz", "212", "340"),
    ("The {} line carries {} million passengers a year.", "red", "blue", "3.4", "5.1"),
    ("A {} ticket costs {} crowns.", "child", "family", "4", "22"),
    ("The {} valley received {} mm of rain.", "Lorn", "Pell", "88", "120"),
    ("{} was born in {}.", "Clara Sund", "Rosa Melk", "1902", "1911"),
    ("The {} library holds {} books.", "town", "school", "40,000", "9,500"),
    ("{} scored {} points.", "The Hawks", "The Wolves", "71", "68"),
    ("The {} reactor was shut down in March {}.", "first", "older", "2004", "2011"),
    ("Version {} needs {} GB of memory.", "Alto", "Basso", "8", "16"),
)
CASES = [
    (label, template.format(who, amount), f"{template.format(a, m)} {template.format(b, n)} It was in the news.")
    for template, a, b, m, n in STATEMENTS
    for label, who, amount in (
        ("supported", a, m),
        ("supported", b, n),
        ("contradicted", a, n),
        ("contradicted", b, m),
    )
]


def test_each_subject_has_its_own_number() -> None:
    pairs = [ClaimPair(claim, passage) for _, claim, passage in CASES]
    opinions = load().verify(pairs)
    assert len(CASES) == 60
    wrong = [
        (label, opinion.label, claim)
        for (label, claim, _), opinion in zip(CASES, opinions, strict=True)
        if opinion.label != label
    ]
    assert wrong == []


def test_the_quote_is_the_sentence_that_decides() -> None:
    passage = "The Marlow bridge was opened in 1931. The Denby bridge was opened in 1940."
    pairs = [
        ClaimPair("The Marlow bridge was opened in 1931.", passage),
        ClaimPair("The Marlow bridge was opened in 1940.", passage),
    ]
    supported, contradicted = load().verify(pairs)
    assert supported.quote is not None
    assert supported.quote.of(passage) == "The Marlow bridge was opened in 1931."
    assert contradicted.quote is not None
    assert contradicted.quote.of(passage) == "The Marlow bridge was opened in 1931."
    assert contradicted.rationale == "the passage says 1931, not 1940"


@pytest.mark.parametrize(
    "passage",
    [
        "Critics say the dam will ruin the fishery.",
        "The claim that the dam will ruin the fishery is false.",
        "It is not true that the dam will ruin the fishery.",
        "If it is raised, the dam will ruin the fishery.",
        "The dam will ruin the fishery, according to its critics.",
        "The dam will ruin the fishery. This is not true.",
        "A rumour went round the town: the dam will ruin the fishery.",
        "The dam will ruin the fishery unless a ladder is built.",
        "Nobody believes that the dam will ruin the fishery.",
        "It isn’t as if the dam will ruin the fishery.",
        "The dam will ruin the fishery. This isn't true, the ministry found.",
    ],
)
def test_a_report_a_denial_or_a_condition_is_not_a_statement(passage: str) -> None:
    assert find_statement("The dam will ruin the fishery.", passage) is None


@pytest.mark.parametrize(
    "passage",
    [
        "The dam will ruin the fishery.",
        "Work has begun. In two years, the dam will ruin the fishery; the river is small.",
        "# The river\n\nthe dam will  ruin the fishery, which feeds the town.",
        "“The dam will ruin the fishery.”",
    ],
)
def test_a_statement_is_found_whatever_stands_around_it(passage: str) -> None:
    match = find_statement("The dam will ruin the fishery.", passage)
    assert match is not None
    assert "ruin the fishery" in match.sentence.of(passage)


def test_only_a_number_in_the_same_sentence_counts_as_changed() -> None:
    passage = "The crane was built in 1912."
    assert find_number_change("The crane was built in 1921.", passage) is not None
    assert find_number_change("The crane was sold in 1921.", passage) is None
    assert find_number_change("The crane was built in 1921.", f"{passage} The crane was built in 1921.") is None
    assert find_number_change("The crane was built in 1,912.", passage) is None
    assert find_number_change("Was the crane built in 1921?", passage) is None
