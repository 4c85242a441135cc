"""Claims traced back to their place in the text."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from factscope.claims.text import align
from factscope.core.records import Span
from tests.claims.text.test_segments import NASTY
from tests.conftest import at_least

TEXT = (
    "In 1980, the oldest judge was **William O. Douglas**. He was born on October 16, 1898, and served on the Court\n"
    "from 1939 until [his retirement](http://x.y/z) in 1975.[3] Bananas are “yellow”. The bridge – a long one – opened."
)
WORDS = st.lists(
    st.sampled_from(["river", "stone", "seven", "apple", "Ludwig", "1815", "winter", "bridge", "music", "copper"]),
    min_size=3,
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Bananas are “yellow”.", "Bananas are “yellow”."),
        ("the oldest judge was William O. Douglas.", "the oldest judge was **William O. Douglas"),
        ("HE WAS BORN ON OCTOBER 16, 1898", "He was born on October 16, 1898"),
        ("served on the Court from 1939", "served on the Court\nfrom 1939"),
        ("until his retirement in 1975.", "until [his retirement](http://x.y/z) in 1975."),
        ('Bananas are "yellow"', "Bananas are “yellow”"),
        ("The bridge - a long one - opened", "The bridge – a long one – opened"),
    ],
)
def test_same_words_are_exact(claim: str, expected: str) -> None:
    span, how = align(claim, TEXT)
    assert how == "exact"
    assert span is not None
    assert span.of(TEXT) == expected


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Douglas was born on October 16, 1898.", "born on October 16, 1898"),
        ("Justice Douglas served on the Supreme Court from 1939.", "served on the Court\nfrom 1939"),
        ("The bridge was opened.", "bridge – a long one – opened"),
        ("Bananas look yellow.", "Bananas are “yellow"),
    ],
)
def test_reworded_claims_are_fuzzy(claim: str, holds: str) -> None:
    span, how = align(claim, TEXT)
    assert how == "fuzzy"
    assert span is not None
    assert holds in span.of(TEXT)


@pytest.mark.parametrize(
    "claim",
    [
        "Paris is the capital of France.",
        "Justice Stevens was appointed by President Ford.",
        "It was the one that he had.",
        "Yellow things seldom grow on bananas.",
        "",
        "  ",
    ],
)
def test_a_claim_not_in_the_text_does_not_align(claim: str) -> None:
    assert align(claim, TEXT) == (None, "none")


def test_the_within_argument_narrows_the_search_and_keeps_text_offsets() -> None:
    text = "The cat sat. The dog sat. The cat sat."
    second = Span(start=26, end=38)
    assert align("The cat sat.", text) == (Span(start=0, end=12), "exact")
    assert align("The cat sat.", text, second) == (second, "exact")
    assert align("The dog sat.", text, Span(start=0, end=12)) == (None, "none")


def test_a_whole_word_wins_over_a_part_of_one() -> None:
    span, how = align("art", "A party of art")
    assert (span, how) == (Span(start=11, end=14), "exact")


@settings(deadline=None, max_examples=at_least(75, in_all=300))
@given(text=NASTY, data=st.data())
def test_any_part_of_a_text_aligns_exactly(text: str, data: st.DataObject) -> None:
    assume(text.strip())
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    assume(part.strip())
    span, how = align(part, text)
    assert how == "exact"
    assert span is not None
    within, how = align(part, text, Span(start=start, end=start + len(part)))
    assert how == "exact"
    assert within is not None
    assert start <= within.start < within.end <= start + len(part)


@settings(deadline=None, max_examples=at_least(37, in_all=150))
@given(claim=WORDS, before=st.text("xyz .\n", max_size=60), after=st.text("xyz .\n", max_size=60))
def test_a_claim_with_new_words_in_it_is_found_again(claim: str, before: str, after: str) -> None:
    words = claim.split()
    assume(len(set(words)) >= 3)
    text = f"{before} {claim} {after}"
    span, how = align(" ".join([words[0], "indeed", *words[1:]]), text)
    assert how == "fuzzy"
    assert span is not None
    assert len(before) <= span.start < span.end <= len(before) + len(claim) + 2


@settings(deadline=None, max_examples=at_least(37, in_all=150))
@given(claim=WORDS, text=st.text("xyz .*\n", max_size=200))
def test_words_that_are_not_there_never_align(claim: str, text: str) -> None:
    assert align(claim, text) == (None, "none")


def test_the_right_place_is_found_in_a_long_text() -> None:
    filler = "Many other things were said about the weather that year. " * 4000
    sentence = "Ada Lovelace published the first program in 1843."
    text = f"{filler}{sentence} {filler}"
    span, how = align("Countess Ada Lovelace had published the very first computer program by 1843.", text)
    assert how == "fuzzy"
    assert span is not None
    assert Span(start=len(filler), end=len(filler) + len(sentence)).overlaps(span)
