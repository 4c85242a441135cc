"""Words with offsets, and the forms in which they are compared."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings

from factscope.claims.text import term, terms, tokens
from tests.claims.text.test_segments import ANY, NASTY
from tests.conftest import at_least


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 3.5 million, or 1,234.", ["It's", "3.5", "million", "or", "1,234"]),
        ("At 10:30 on 3/4", ["At", "10:30", "on", "3/4"]),
        ("a_b well-known", ["a", "b", "well", "known"]),
        ("他说hi", ["他", "说", "hi"]),
        ("", []),
    ],
)
def test_text_is_split_into_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokens(text)] == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("Running", "runs"), ("1,234,567", "1234567"), ("Douglas’s", "douglas"), ("ﬁnd", "find"), ("ÉCOLE", "école")],
)
def test_forms_of_a_word_compare_equal(one: str, other: str) -> None:
    assert term(one) == term(other)


@pytest.mark.parametrize(("one", "other"), [("1,5", "15"), ("1990", "1991"), ("cat", "dog"), ("3.5", "35")])
def test_different_words_compare_different(one: str, other: str) -> None:
    assert term(one) != term(other)


@settings(deadline=None, max_examples=at_least(50, in_all=200))
@given(NASTY | ANY)
def test_tokens_have_ordered_places_in_the_text_and_give_its_terms(text: str) -> None:
    found = tokens(text)
    assert all(text[token.start : token.end] == token.text for token in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert terms(text) == [term(token.text) for token in found]
