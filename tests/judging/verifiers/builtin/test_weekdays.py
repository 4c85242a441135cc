"""Opening days: a passage about other weekdays does not support a claim."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def label(claim: str, passage: str) -> str:
    return load_small().verify([ClaimPair(claim, passage)])[0].label


@try_all(
    ("claim", "passage"),
    [
        ("The museum is open on Mondays.", "# Marlow Museum\n\nTue–Sun 10–17\n\nEntry is free."),
        ("The museum is open on Mondays.", "The museum is open Tue–Sun 10–17."),
        ("The museum is open on Mondays.", "Marlow Museum: Tue–Sun 10–17"),
        ("The shop is open on Sunday.", "The shop is open Mon.–Fri. 9 to 5 and Sat. 9 to 1."),
    ],
)
def test_another_day_is_not_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("The museum is open on Sundays.", "The museum is open Tue–Sun 10–17."),
        ("The museum is open on Sundays.", "The museum is open from Tuesday to Sunday."),
        ("The museum is open on Thursdays.", "The museum is open Wed–Sun, 10–17."),
        ("The museum is open on Mondays.", "The museum is open every day except Tuesday."),
        ("The market is on Saturday.", "The market is held at the weekend; stalls are set up on Friday."),
    ],
)
def test_a_day_within_a_range_or_named_in_other_words_is_supported(claim: str, passage: str) -> None:
    assert label(claim, passage) == "supported"


@try_all(
    ("claim", "expected"),
    [
        ("Letters home from the summer camp are written on Friday.", "contradicted"),
        ("Letters home from the summer camp are written on Tuesday.", "supported"),
        ("The treasury closes on Mondays.", "not_enough_evidence"),
    ],
)
def test_a_weekday_is_not_a_name_required_in_the_passage(claim: str, expected: str) -> None:
    passage = "Summer camp packing list: sleeping bag, two towels. Letters home are written on Tuesday."
    assert label(claim, passage).replace("irrelevant", "not_enough_evidence") == expected
