"""Dates, times and amounts in different notations: a claim in words, a passage in digits."""

from __future__ import annotations

import pytest

from factscope.core.records import Span
from factscope.judging.verifiers.builtin import load_small
from factscope.judging.verifiers.protocol import ClaimPair

RELEASES = "Version 4.3 was released on 2021-08-19. Version 4.2 was released on 2021-02-05, in a hurry."
TREATY = (
    "After eleven weeks of talks, envoys of both duchies put their names to the Treaty of Ostrava on %s. "
    "Ratification followed."
)


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "14/03/1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "3/14/1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "14.03.1822", "supported"),
        ("The Treaty of Ostrava was signed on 14 March 1822.", TREATY % "1822-03-14", "supported"),
        ("The Treaty of Ostrava was signed on 1822-03-14.", TREATY % "14 March 1822", "supported"),
        ("The Treaty of Ostrava was signed on 15 March 1822.", TREATY % "14/03/1822", "contradicted"),
        ("The Treaty of Ostrava was signed on 14 May 1822.", TREATY % "1822-03-14", "contradicted"),
        ("Version 4.2 was released on 5 February 2021.", RELEASES, "supported"),
        ("The museum closes at 6 pm.", "The museum is open from 09:00 and closes at 18:00.", "supported"),
        ("The museum closes at 18:00.", "The museum is open from 9 a.m. and closes at 6 p.m.", "supported"),
        ("The museum closes at 5 pm.", "The museum is open from 09:00 and closes at 18:00.", "contradicted"),
        ("Revenue was 201.9 million pounds.", "Revenue was £201.9 million.", "supported"),
        ("Revenue was £201.9m.", "Revenue was 201.9 million pounds.", "supported"),
        ("Revenue was 210.9 million pounds.", "Revenue was £201.9 million.", "contradicted"),
        ("The prize was 500 euros.", "The prize was 500 EUR.", "supported"),
        ("The prize was 1 million dollars.", "The prize was US$1m.", "supported"),
        ("The prize was 500 euros.", "The prize was €300, and the second one €500.", "contradicted"),
        ("The film runs for 95 minutes.", "The film runs for 1 h 35 min.", "supported"),
        ("The ride takes two hours and 30 minutes.", "The ride takes 150 minutes.", "supported"),
        ("The ride takes two hours and 40 minutes.", "The ride takes 150 minutes.", "contradicted"),
        ("Lind ran it in 2 hours, 27 minutes and 41 seconds.", "Lind ran it in 2:27:41.", "supported"),
        ("The war lasted from 1914 to 1918.", "The war (1914–18) changed the town.", "supported"),
    ],
)
def test_the_notation_does_not_matter(claim: str, passage: str, label: str) -> None:
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert prediction.label == label, prediction


def test_the_quote_is_a_sentence_of_the_passage_as_it_stands() -> None:
    passage = "Minutes of 2021-01-04. The vote was on 2021-02-05. The next one is on 2021-03-09."
    (prediction,) = load_small().verify([ClaimPair("The vote was on 5 February 2021.", passage)])
    assert prediction.label == "supported"
    assert prediction.quote is not None
    assert prediction.quote.of(passage) == "The vote was on 2021-02-05."


@pytest.mark.parametrize("date", ["03/04/2021", "2021-13-40", "1.2.2021.5", "ISBN 978-2021-02-05"])
def test_what_may_be_another_date_or_none_is_left_as_it_is(date: str) -> None:
    passage = f"The vote was on {date}, in the town hall."
    (prediction,) = load_small().verify([ClaimPair(f"The vote was on {date}, in the town hall.", passage)])
    assert prediction.label == "supported"
    assert prediction.quote == Span(start=0, end=len(passage))


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("Maria Sol died in 1901.", False),
        ("Maria Sol was born in 1980.", False),
        ("Maria Sol was born in 1901.", True),
        ("Maria Sol died in 1980.", True),
    ],
)
def test_a_year_of_birth_is_not_one_of_death(claim: str, is_supported: bool) -> None:
    passage = "Maria Sol (1901–1980) was a Spanish painter. She settled in Lisbon in 1931."
    (prediction,) = load_small().verify([ClaimPair(claim, passage)])
    assert (prediction.label == "supported") == is_supported, prediction
