"""FavaBench's tags: no text is lost, offsets are right, and annotators' mistakes are repaired and reported."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets.sets import KINDS, TaggedError, read_tags, wrong_sentences
from factscope.claims.text import sentences
from factscope.core.records import Span


def told(annotated: str) -> list[tuple[str, str, str | None]]:
    """Return the words of each error, its kind and its correction."""
    found = read_tags(annotated)
    return [(error.span.of(found.text), error.kind, error.correction) for error in found.errors]


@pytest.mark.parametrize(("tag", "kind"), KINDS.items())
def test_every_tag_names_its_kind(tag: str, kind: str) -> None:
    assert told(f"So <{tag}>it is</{tag}>.") == [("it is", kind, None)]


def test_a_deletion_stays_and_its_correction_goes() -> None:
    found = read_tags("Ida is a <entity><delete>painter</delete><mark>architect</mark></entity>, they say.")
    assert found.text == "Ida is a painter, they say."
    assert found.errors == (TaggedError(Span(start=9, end=16), "entity", "architect"),)
    assert found.repairs == ()


def test_a_correction_without_a_deletion_has_an_empty_span() -> None:
    found = read_tags("The <relation><mark>town </mark></relation>hall. It stands.")
    assert found.text == "The hall. It stands."
    assert found.errors == (TaggedError(Span(start=4, end=4), "relation", "town "),)
    assert wrong_sentences(sentences(found.text), found.errors) == [[found.errors[0]], []]


def test_an_error_over_two_sentences_makes_both_wrong() -> None:
    found = read_tags("Tor bakes. <invented>He flies. He sings.</invented> He ends.")
    wrong = wrong_sentences(sentences(found.text), found.errors)
    assert [bool(errors) for errors in wrong] == [False, True, True, False]


@pytest.mark.parametrize(
    ("annotated", "text", "errors", "repairs"),
    [
        ("Tor bakes. <invented>He flies. He sings.", "Tor bakes. He flies. He sings.", ["He flies."], 1),
        ("Tor bakes. He flies.</invented> He sings.", "Tor bakes. He flies. He sings.", ["He flies."], 1),
        ("A <entity><delete>x</delete><mark>y</entity> z.", "A x z.", ["x"], 1),
        ("A <entity><delete>x</entity> z.", "A x z.", ["x"], 1),
        ("A <mark>b c. D e.", "A b c. D e.", [], 1),
        ("A b</mark> c.", "A b c.", [], 1),
        ("<entity>a <relation>b</entity> c</relation> d", "a b c d", ["a b", "b c"], 1),
        ("<entity>a <mark>b <entity>c</entity>.", "a b c.", ["a b c.", "c"], 2),
        ("< Entity >a</ENTITY>", "a", ["a"], 0),
        ("1 < 2 and <b>x</b>", "1 < 2 and <b>x</b>", [], 0),
    ],
)
def test_malformed_tags_are_repaired_and_reported(annotated: str, text: str, errors: list[str], repairs: int) -> None:
    found = read_tags(annotated)
    assert found.text == text
    assert [error.span.of(text) for error in found.errors] == errors
    assert len(found.repairs) == repairs


WORDS = st.text(alphabet="ab .,!?\nÉ<>/", max_size=12)
PLACES = st.one_of(
    WORDS.map(lambda words: (words, words, None)),
    st.tuples(st.sampled_from(sorted(KINDS)), WORDS, st.none() | WORDS).map(
        lambda part: (
            part[1],
            f"<{part[0]}>" + (f"<delete>{part[1]}</delete>" if part[1] else "")
            + ("" if part[2] is None else f"<mark>{part[2]}</mark>") + f"</{part[0]}>",
            KINDS[part[0]],
        )
    ),
)  # fmt: skip


@given(st.lists(PLACES, max_size=8))
def test_a_well_formed_text_is_preserved_exactly(parts: list[tuple[str, str, str | None]]) -> None:
    original = "".join(plain for plain, _, _ in parts)
    annotated = "".join(tagged for _, tagged, _ in parts)
    if any(f"<{slash}{tag}>" in original for tag in [*KINDS, "mark", "delete"] for slash in ("", "/")):
        return
    found = read_tags(annotated)
    assert found.text == original
    assert found.repairs == ()
    starts, at = [], 0
    for plain, _, kind in parts:
        if kind:
            starts.append((at, at + len(plain), kind))
        at += len(plain)
    assert sorted((error.span.start, error.span.end, error.kind) for error in found.errors) == sorted(starts)


TAGS = [f"<{slash}{tag}>" for tag in [*KINDS, "mark", "delete"] for slash in ("", "/")]


@given(st.lists(st.sampled_from(TAGS) | WORDS, max_size=14))
def test_no_text_is_lost_however_malformed_the_tags(parts: list[str]) -> None:
    """The text outside corrections is complete, every error lies in the text, and repairs are reported."""
    found = read_tags("".join(parts))
    left = "".join(part for part in parts if part not in TAGS)
    at = -1
    for character in found.text:  # remaining characters keep their order
        at = left.index(character, at + 1)
    if "<mark>" not in parts:
        assert found.text == left
    for error in found.errors:
        assert 0 <= error.span.start <= error.span.end <= len(found.text)
    opened = sum(part[1:-1] in KINDS for part in parts)
    closed = sum(part[2:-1] in KINDS and part.startswith("</") for part in parts)
    assert len(found.errors) >= max(opened, closed)
    if opened != closed:
        assert found.repairs


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9))))
def test_every_error_belongs_to_at_least_one_sentence(lengths: list[int], places: list[tuple[int, int]]) -> None:
    edges = [0]
    for length in lengths:
        edges += [edges[-1] + length, edges[-1] + length + 1]
    spans = [Span(start=start, end=end) for start, end in list(pairwise(edges))[::2]]
    errors = [TaggedError(Span(start=start, end=start + size), "entity", None) for start, size in places]
    found = wrong_sentences(spans, errors)
    assert {id(error) for group in found for error in group} == {id(error) for error in errors}
    for span, group in zip(spans, found, strict=True):
        assert all(error in group for error in errors if error.span.overlaps(span))
