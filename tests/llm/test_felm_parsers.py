"""Readers of FELM's forms: replies they read or refuse, and no reply that breaks them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.llm import UnreadableError, claim_blocks, published_ids, separated, wrong_ids

KEYS = ["s1", "s2", "s3"]


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ("Segment s1:\nClaim 1. A.\nClaim 2. B.\nSegment s3:\nClaim 1. D.", [("s1", "A."), ("s1", "B."), ("s3", "D.")]),
        ("**Segment s1:**\nClaim_1: A.\n\nSegment s2:\nClaim 2. B.", [("s1", "A."), ("s2", "B.")]),
        ("Segment s1:\nNO_CLAIMS\nSegment s2: Claim 1. B.", [("s2", "B.")]),
        ("NO_CLAIMS", []),
        ("<think>\nIs there a claim?\n</think>\n\n**NO_CLAIMS**", []),
        ("<think>Segment s1?</think>Segment s1:\nClaim 1. A.", [("s1", "A.")]),
        ("Segment s1:\r\nClaim 1. A\u2028B.\rClaim 2. C\x0cD.", [("s1", "A\u2028B."), ("s1", "C\x0cD.")]),
        ("Segment s2:\nClaim 1. In 1931. It was.", [("s2", "In 1931. It was.")]),
    ],
)  # fmt: skip
def test_claims_are_read_below_their_segments(reply: str, claims: list[tuple[str, str]]) -> None:
    assert claim_blocks(reply, KEYS) == (tuple(claims), ())


def test_an_unknown_segment_is_dropped_and_reported() -> None:
    assert claim_blocks("Segment s1:\nClaim 1. A.\nSegment 9:\nanything", KEYS) == ((("s1", "A."),), ("9",))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "holds no line"),
        ("Here you are:\nSegment s1:\nClaim 1. A.", "before the first"),
        ("Segment s1:\nClaim 1. A.\nSegment s1:\nClaim 1. B.", "segment s1 comes twice"),
        ("Segment s1:\nA is B.", "is not of the form"),
        ("Segment s1:\nClaim 1.", "Claim_1 is empty"),
        ("NO_CLAIMS\nSegment s1:\nClaim 1. A.", "before the first"),
    ],
)
def test_ambiguous_lists_of_claims_are_refused(reply: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        claim_blocks(reply, KEYS)


def test_segments_between_asterisks_are_located_in_the_text() -> None:
    whole = "Let w = 4.\n\n  Then 2w = 8. So: 8."
    spans = separated("Let w = 4.\n*****\nThen 2w = 8.\n*****\nSo: 8.", whole)
    assert [whole[start:end] for start, end in spans] == ["Let w = 4.", "Then 2w = 8.", "So: 8."]


@pytest.mark.parametrize(
    "reply", ["Let w = 5.\n*****\nSo.", "Let w = 4.", "Let w = 4. So. And.", "", "So.\n*****\nLet w = 4."]
)
def test_segments_that_do_not_match_the_text_are_refused(reply: str) -> None:
    with pytest.raises(UnreadableError):
        separated(reply, "Let w = 4. So.")


@given(st.lists(st.text(alphabet="ab1 .\n+É", min_size=1, max_size=9).filter(str.strip), min_size=1, max_size=6))
def test_a_text_that_is_only_split_is_always_read(parts: list[str]) -> None:
    whole = "".join(parts)
    spans = separated("\n*****\n".join(parts), whole)
    assert ["".join(whole[start:end].split()) for start, end in spans] == ["".join(part.split()) for part in parts]
    assert all(start < end for start, end in spans)


@given(st.text(alphabet="ab *\n.", max_size=40), st.text(alphabet="ab *\n.", max_size=30))
def test_whatever_is_read_lies_in_the_text(reply: str, whole: str) -> None:
    try:
        spans = separated(reply, whole)
    except UnreadableError:
        return
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(character.isspace() or at in covered for at, character in enumerate(whole))


@given(st.text(alphabet="Segmntsclai123_: .\nNO*", max_size=60))
def test_no_reply_breaks_the_reader_of_claims(reply: str) -> None:
    try:
        found = claim_blocks(reply, KEYS)
    except UnreadableError:
        return
    assert all(key in KEYS and claim.strip() for key, claim in found.claims)
    assert not set(found.dropped) & set(KEYS)


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("Answer: 1,3", {1, 3}),
        ("ALL_CORRECT", set()),
        (r"Answer: ALL\_CORRECT", set()),
        ("Answer: 1, ALL_CORRECT", set()),
        ("Answer: 0, 2", {2}),
        ("Answer: 2, 7", {2}),
        ("Answer: 2 of 3", {2, 3}),
        ("Thought: 1.\nAnswer: 2", {2}),
        ("Answer: none", set()),
    ],
)
def test_ids_are_read_like_the_published_code_reads_them(reply: str, wrong: set[int]) -> None:
    assert published_ids(reply, 3) == wrong


@pytest.mark.parametrize("reply", ["", "1, 3", "All is well."])
def test_a_reply_without_an_answer_is_unreadable_even_for_the_published_reader(reply: str) -> None:
    with pytest.raises(UnreadableError):
        published_ids(reply, 3)


@given(st.text(alphabet="Answer: ,0123ALL_CORT\n", max_size=40), st.integers(1, 4))
def test_the_lenient_reader_agrees_with_the_strict_one_on_replies_that_both_accept(reply: str, count: int) -> None:
    try:
        strict = wrong_ids(reply, count)
    except UnreadableError:
        return
    if reply.count("Answer") == 1 and "Answer:" in reply:
        assert published_ids(reply, count) == strict
