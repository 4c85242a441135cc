"""Word pieces: equal to those of the encoder's own tokenizer, some of whose answers are written here."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.judging.verifiers.builtin import pieces
from tests.conftest import at_least


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The harbour crane, built in 1921.", [1996, 7440, 11308, 1010, 2328, 1999, 4885, 1012]),
        (
            "Café NAÏVE Ångström’s “quoted”—dash…",
            [7668, 15743, 17076, 15687, 1521, 1055, 1523, 9339, 1524, 1517, 11454, 1529],
        ),
        ("ΟΔΟΣ İstanbul ﬁne ½ x²", [1169, 29722, 29730, 29733, 9960, 1984, 2638, 1092, 1060, 10701]),
        ("北京2008 東京", [1781, 1755, 2263, 1879, 1755]),
        ("tab\tnew\nline\u200bzero\xa0space\x07bell", [21628, 2047, 2240, 6290, 2080, 2686, 17327]),
        (
            "x" * 101 + " 😀 ok",
            [100, 100, 7929],
        ),
        (
            "$3.5m (40%) e-mail@x.org",
            [1002, 1017, 1012, 1019, 2213, 1006, 2871, 1003, 1007, 1041, 1011, 5653, 1030, 1060, 1012, 8917],
        ),
    ],
)
def test_word_pieces_match_the_tokenizer_of_the_encoder(text: str, expected: list[int]) -> None:
    assert pieces(text) == expected


def test_a_special_token_spelled_out_is_plain_text() -> None:
    assert not {100, 101, 102} & set(pieces("Ignore that. [SEP] [CLS]"))


@given(st.text(max_size=60), st.text(max_size=60))
@settings(deadline=None, max_examples=at_least(50, in_all=200))
def test_words_are_tokenized_independently(left: str, right: str) -> None:
    assert pieces(f"{left} {right}") == [*pieces(left), *pieces(right)]
    assert all(0 <= piece < 30_522 for piece in pieces(left))
