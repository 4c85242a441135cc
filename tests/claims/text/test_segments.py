"""Segments: the gold table, and properties of any text."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factscope.claims.text import segment, sentences
from factscope.methods import Segmenting
from tests.claims.text.gold import GOLD, Expected
from tests.conftest import at_least
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

HOWS: tuple[Segmenting, ...] = ("whole", "sentences", "paragraphs")

# Characters between words that shift offsets or are markup somewhere.
_CHARACTERS = "ab1Z .!?\n\t#*_`>|-+=~[]()<&;:\"'\\\0\f\v\r\u2028\u2029\x85\u200f\u202e\u200b\ufeff\ue000。「؟éß中①…"
_STRINGS = [
    "👩‍👩‍👧",
    "👍🏽",
    "e\u0301",
    "」と",
    "```",
    "~~~",
    "<div>",
    "-->",
    "[^1]",
    "[a](b. C)",
    "Dr. ",
    "• ",
    "${x}",
    "2. Wort",
]
_STRINGS += ["www.a.b. ", "x@y.z", "http://a.b/c?d. ", "Cats sat. ", "3) "]
_LAYOUT = ["\r\n", "\n\n", "    ", "---\n", "| a | b |\n|-|-|\n", "\nAnn: x\n", "1. ", "- ", "# ", "> ", "<!-- a. B"]
NASTY = st.lists(st.sampled_from([*_CHARACTERS, *_STRINGS, *_LAYOUT]), max_size=40).map("".join)
ANY = st.text(st.characters(exclude_categories=()), max_size=80)  # lone surrogates too

# A number before a list item may stay outside; no other letters or digits may.
NUMBERING = re.compile(r"[\W_]*(?:\d{1,9}[.)][\W_]*)*")


@try_all(("text", "expected"), GOLD)
def test_segments_match_the_gold_table(text: str, expected: Expected) -> None:
    found = [(s.kind, s.text) for s in segment(text, "sentences")]
    assert found == [item if isinstance(item, tuple) else ("sentence", item) for item in expected]


def test_gold_table_is_large_enough() -> None:
    assert len(GOLD) >= 60
    assert len({text for text, _ in GOLD}) == len(GOLD)


@settings(deadline=None, max_examples=at_least(100, in_all=400))
@given(text=NASTY | ANY, how=st.sampled_from(HOWS))
@example("- > 1. # x\n  text\n- | a | b |\n  |--|--|\n  | c | d |", "sentences")
@example("1.\n\n1998. # year\n```", "sentences")
def test_segments_hold_the_text_at_their_offsets(text: str, how: Segmenting) -> None:
    found = segment(text, how)
    end = 0
    for number, s in enumerate(found, 1):
        assert s.id == f"s{number}"
        assert text[s.span.start : s.span.end] == s.text
        assert s.text == s.text.strip() != ""
        assert s.span.start >= end
        assert NUMBERING.fullmatch(text, end, s.span.start), text[end : s.span.start]
        end = s.span.end
    assert NUMBERING.fullmatch(text, end), text[end:]


@settings(deadline=None, max_examples=at_least(75, in_all=300))
@given(text=NASTY | ANY)
def test_sentences_cover_everything_but_white_space(text: str) -> None:
    found = sentences(text)
    end = 0
    for span in found:
        assert span.start >= end
        assert not text[end : span.start].strip()
        assert span.of(text) == span.of(text).strip() != ""
        end = span.end
    assert not text[end:].strip()


@settings(deadline=None, max_examples=at_least(25, in_all=100))
@given(before=st.sampled_from(["", "👍 ", "é\0", "中文。", "\r\n", "\ud800 "]), after=st.sampled_from(["", "\n\nEnd."]))
def test_preceding_text_does_not_change_the_sentences_of_a_paragraph(before: str, after: str) -> None:
    text = f"{before}\n\nThe cat sat. The dog ran.{after}"
    assert [s.of(text) for s in sentences(text)][-3 if after else -2 :][:2] == ["The cat sat.", "The dog ran."]


@pytest.mark.parametrize("number", ["1998", "42", "3"])
def test_a_number_that_is_not_a_list_marker_stays_in_its_segment(number: str) -> None:
    text = f"{number}. That was the answer."
    assert segment(text, "sentences")[0].text == text


def test_a_list_number_is_dropped_only_while_the_numbering_continues() -> None:
    text = "1. One\n2. Two\n\n1998. Was a year"
    assert [s.text for s in segment(text, "sentences")] == ["One", "Two", "1998. Was a year"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.\n\nThree. Four.", [("paragraph", "One. Two."), ("paragraph", "Three. Four.")]),
        ("# H\n\n- a. B.\n- c", [("heading", "H"), ("list_item", "a. B."), ("list_item", "c")]),
        ("a  \nB c", [("paragraph", "a  \nB c")]),
    ],
)
def test_paragraphs_are_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(s.kind, s.text) for s in segment(text, "paragraphs")] == expected


@pytest.mark.parametrize("text", ["  One. Two.\n\n# Three \n", "x", "```\ncode\n```"])
def test_whole_is_one_trimmed_segment(text: str) -> None:
    (only,) = segment(text, "whole")
    assert (only.text, only.kind) == (text.strip(), "whole")


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n\f\u2029"])
def test_blank_text_has_no_segments(text: str, how: Literal["whole", "sentences", "paragraphs"]) -> None:
    assert segment(text, how) == ()
    assert sentences(text) == ()


def test_a_heading_on_its_own_line_is_a_segment_in_documents() -> None:
    body = "He was born in a town by the sea and grew up there with two sisters. " * 2
    text = f"Early life\n{body.strip()}\nCareer\n{body.strip()}"
    found = [s.of(text) for s in sentences(text)]
    assert (found[0], found[3]) == ("Early life", "Career")
    assert len(found) == 6


def test_a_document_line_wrapped_before_a_name_continues() -> None:
    text = "After many long years at sea, the captain of the ship moved to\nNew York City and stayed there.\nHe died."
    assert [s.of(text) for s in sentences(text)] == [text[:-9].strip(), "He died."]


def test_a_heading_ending_in_a_short_word_ends_if_no_line_is_wrapped() -> None:
    body = "The council looks after the roads, the schools and the parks of the town, and it meets in the small hall "
    text = f"1. What the council is for\n{body}on the second Tuesday of every month."
    assert [s.of(text) for s in sentences(text)] == text.split("\n")


def test_rows_and_items_of_plain_documents_are_separate_segments() -> None:
    text = "Prices\n| a | 1 |\n| b | 2 |\n- one\n- two\n1) x\n2) y"
    assert [s.of(text) for s in sentences(text)] == text.split("\n")


def test_lines_of_a_log_are_separate_segments() -> None:
    log = "2024-10-04 06:12:03 WARN 7 percent of rows skipped\n[2024-10-04T06:13:44Z] table not found for Harsund"
    assert [s.of(log) for s in sentences(log)] == log.split("\n")
    wrapped = "The crew was told of the end of the strike on\n2024-10-04 by the union, and went back to work."
    assert [s.of(wrapped) for s in sentences(wrapped)] == [wrapped]


LINES_OF_HTML = [
    ("First fact.<br>Second fact.", ["First fact.", "Second fact."]),
    ("First fact<br/>Second fact", ["First fact", "Second fact"]),
    ("First fact. <BR />\n Second fact.", ["First fact.", "Second fact."]),
    ("**First fact**<br>\u201eZweitens\u201c<br>3rd", ["**First fact**", "\u201eZweitens\u201c", "3rd"]),
    ("First fact.<br><br>the second.", ["First fact.", "the second."]),
    ("- First fact<br>Second fact\n- Third fact", ["First fact", "Second fact", "Third fact"]),
    ("> First fact.<br>\n> Second fact.", ["First fact.", "Second fact."]),
    ("<p>First fact.</p><p class='x'>Second. Third.</p>", ["First fact.", "Second.", "Third."]),
    ("Facts:<ul><li>first one</li><li>Second one</li></ul>", ["Facts:", "first one", "Second one"]),
    ("<ul>\n<li>First fact</li>\n<li>second fact</li>\n</ul>", ["First fact", "second fact"]),
    # Not line ends: one line goes on in lower case, and one only mentions a tag.
    ("The longest bridge<br>in the world.", ["The longest bridge<br>in the world."]),
    ("A <br> tag, like <p>, ends a line.", ["A <br> tag, like <p>, ends a line."]),
    ('The tag "<br>" is `<br>Old`.', ['The tag "<br>" is `<br>Old`.']),
]


@try_all(("text", "expected"), LINES_OF_HTML)
def test_a_line_of_html_ends_a_sentence_and_its_tags_are_excluded(text: str, expected: list[str]) -> None:
    segments = segment(text, "sentences")
    assert [s.text for s in segments] == expected
    assert [s.span.of(text) for s in segments] == expected


@pytest.mark.parametrize("unit", ["The cat sat on the mat. ", "x ", "!-", "「い。」", "a\n", "“A b. "])
def test_long_paragraphs_are_split_like_short_ones(unit: str) -> None:
    """A paragraph is read in windows; their edges must neither add nor remove a cut."""
    short, long = sentences(unit * 10), sentences(unit * 2000)
    assert len(long) == (1 if len(short) == 1 else len(short) * 200)


@pytest.mark.parametrize("unit", ["。 ", "2020-ا"])
def test_the_time_is_linear_in_texts_without_words_or_spaces(unit: str) -> None:
    assert growth(lambda size: sentences(unit * (size // len(unit))), 40_000) < 1.5


@pytest.mark.parametrize(
    "text",
    [
        "It is cheaper than Plan A.| Plan B costs nothing.",
        "She lacked vitamin C.| Vitamin D was low, too.",
        "He met John F. Kennedy and John F. Smith.",
        "It weighs 560 g.| It costs 129 euros.",
        "It reaches 2,402 Mbit/s.| The other one is slower.",
        "Gusts reached 187 km/h.| Lindvik harbour was closed.",
        "The mast is 5 m.| A flag flies on it.",
        "The fuse has 5 A.| If it blows, replace it.",
        "Vitamin D. A deficiency is rare.",
        "It is 5 m. long.",
        "He lives at 5 G. Holt Street.",
    ],
)
def test_a_unit_symbol_can_end_a_sentence(text: str) -> None:
    whole = text.replace("|", "")
    assert [span.of(whole) for span in sentences(whole)] == text.split("| ")
