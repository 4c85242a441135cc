"""Sentences, units and windows: in order, of reasonable length, verbatim."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core.records import Span
from factscope.evidence import (
    MAX_PASSAGE,
    MAX_SENTENCE,
    UNIT_CHARACTERS,
    UNIT_SENTENCES,
    cut,
    units,
    window,
)
from tests.conftest import at_least

TEXT = "# Bridges\n\nThe bridge opened in 1932. It is long.\nIt is red.\n- First item\n- Second item\n| a | b |\n"
PIECES = ["It opened. ", "word ", "\n", "\n\n", "- ", "橋。", "x" * 400, " ", "… ", "1. "]
PROSE = st.lists(st.sampled_from(PIECES)).map("".join)


def said(text: str) -> list[str]:
    return [span.of(text) for span in cut(text)]


def test_text_is_split_into_blocks_and_sentences() -> None:
    assert said(TEXT) == [
        "# Bridges",
        "The bridge opened in 1932.",
        "It is long.",
        "It is red.",
        "- First item",
        "- Second item",
        "| a | b |",
    ]


def test_a_block_is_cut_by_the_language_of_its_document() -> None:
    blocks = ["Die Brücke ist alt und der Fluss ist breit.", "- Eröffnet am 3. Oktober 1932."]
    assert said("\n\n".join(blocks)) == blocks


def test_a_sentence_continues_across_a_line_break() -> None:
    assert said("The bridge opened\nin 1932. It is long.") == ["The bridge opened\nin 1932.", "It is long."]


def test_an_overlong_stretch_is_split_at_spaces() -> None:
    pieces = said("word " * 1_000)
    assert max(map(len, pieces)) <= MAX_SENTENCE
    assert all(piece.startswith("word") and piece.endswith("word") for piece in pieces)
    assert said("x" * 2_500) == ["x" * 1_000, "x" * 1_000, "x" * 500]


@given(PROSE | st.text())
@settings(deadline=None, max_examples=at_least(50, in_all=200))
def test_sentences_are_in_order_and_lose_nothing_but_space(text: str) -> None:
    spans = cut(text)
    assert all(0 < span.end - span.start <= MAX_SENTENCE for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert "".join("".join(span.of(text) for span in spans).split()) == "".join(text.split())


@given(st.lists(st.integers(1, MAX_SENTENCE)))
@settings(deadline=None, max_examples=at_least(50, in_all=200))
def test_units_group_all_sentences_in_small_numbers(lengths: list[int]) -> None:
    spans = [Span(start=0, end=length) for length in lengths]
    sizes = units(spans)
    assert sum(sizes) == len(spans)
    assert all(1 <= size <= UNIT_SENTENCES for size in sizes)
    done = 0
    for size in sizes:
        assert sum(lengths[done : done + size - 1]) < UNIT_CHARACTERS
        done += size


def test_a_window_is_the_best_sentence_with_its_neighbours() -> None:
    spans = cut(TEXT)
    assert window(spans, 2, 0).of(TEXT) == "It is long."
    assert window(spans, 2, 1).of(TEXT) == "The bridge opened in 1932. It is long.\nIt is red."
    assert window(spans, 0, 1).of(TEXT) == "# Bridges\n\nThe bridge opened in 1932."
    assert window(spans, 3, 50).of(TEXT) == TEXT.strip()


def test_a_window_stops_at_passages_already_taken() -> None:
    spans = cut(TEXT)
    assert window(spans, 3, 2, [window(spans, 1, 1)]).of(TEXT) == "It is red.\n- First item\n- Second item"


@given(st.integers(0, 40), st.integers(0, 50))
@settings(deadline=None, max_examples=at_least(25, in_all=100))
def test_a_window_stays_within_the_size_limit_around_its_sentence(best: int, around: int) -> None:
    spans = [Span(start=900 * number, end=900 * number + 800) for number in range(41)]
    found = window(spans, best, around)
    assert found.end - found.start <= MAX_PASSAGE
    assert found.start <= spans[best].start
    assert spans[best].end <= found.end
