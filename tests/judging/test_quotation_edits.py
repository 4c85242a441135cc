"""Quotations from any passage: verbatim, shortened, or with one word changed, and their positions."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.judging import compare_quotation
from tests.conftest import at_least
from tests.lab.many_cases import try_all

PASSAGE = """
anchor bridge council drawn east ferry granite harbour island jetty keeper lantern mayor north opened pier quarry river
station tower upper valley warden xylem yearly zinc 1931 212 40% Élan Ørsted
"""


class Quoted(NamedTuple):
    """A passage of distinct words, and its quoted part."""

    words: list[str]
    first: int
    last: int

    @property
    def source(self) -> str:
        return " ".join(self.words)

    @property
    def quoted(self) -> list[str]:
        return self.words[self.first : self.last]


@st.composite
def quotations(draw: st.DrawFn) -> Quoted:
    words = draw(st.permutations(PASSAGE.split()))
    first = draw(st.integers(0, len(words) - 8))
    return Quoted(words, first, draw(st.integers(first + 6, min(first + 14, len(words)))))


@given(quotations())
@settings(max_examples=at_least(15, in_all=200))
def test_any_words_of_a_passage_are_found_verbatim_in_place(case: Quoted) -> None:
    found = compare_quotation(" ".join(case.quoted), case.source)
    assert (found.outcome, found.differences, found.likeness) == ("verbatim", (), 1.0)
    assert found.span is not None
    assert found.span.of(case.source) == " ".join(case.quoted)


@given(quotations(), st.data())
@settings(max_examples=at_least(15, in_all=200))
def test_one_changed_word_is_an_alteration_that_shows_both_words(case: Quoted, data: st.DataObject) -> None:
    words = case.quoted
    # At an edge, the word may also be an addition to a shorter quotation.
    at = data.draw(st.integers(1, len(words) - 2))
    found = compare_quotation(" ".join([*words[:at], "changed", *words[at + 1 :]]), case.source)
    assert found.outcome == "altered"
    assert [(one.quoted, one.source) for one in found.differences] == [("changed", words[at])]
    assert found.span is not None
    assert found.span.of(case.source) == " ".join(words)


@given(quotations(), st.data(), st.sampled_from(["…", "...", "[…]", "[...]", ". . ."]))
@settings(max_examples=at_least(15, in_all=200))
def test_words_omitted_at_an_ellipsis_are_not_an_alteration_but_otherwise_are(
    case: Quoted, data: st.DataObject, mark: str
) -> None:
    words = case.quoted
    at = data.draw(st.integers(2, len(words) - 3))
    marked = compare_quotation(" ".join([*words[:at], mark, *words[at + 1 :]]), case.source)
    assert marked.outcome == "verbatim"
    assert marked.span is not None
    assert marked.span.of(case.source) == " ".join(words)
    unmarked = compare_quotation(" ".join([*words[:at], *words[at + 1 :]]), case.source)
    assert [(one.quoted, one.source) for one in unmarked.differences] == [("", words[at])]


@given(quotations())
@settings(max_examples=at_least(15, in_all=200))
def test_parts_in_reversed_order_are_never_verbatim(case: Quoted) -> None:
    words, middle = case.quoted, len(case.quoted) // 2
    turned = " ".join([*words[middle:], "…", *words[:middle]])
    assert compare_quotation(turned, case.source).outcome != "verbatim"


SOURCE = "The Marlow bridge was opened in 1931. It has four arches, which the architect Ida Kern drew."


@try_all(
    ("words", "source", "outcome"),
    [
        ("", SOURCE, "absent"),
        ("…", SOURCE, "absent"),
        ("[a] … [b]", SOURCE, "absent"),
        ("It has four arches", "", "absent"),
        ("“It has [only] four arches …”", SOURCE, "verbatim"),
        ("IT HAS FOUR ARCHES, WHICH THE ARCHITECT IDA KERN DREW", SOURCE, "verbatim"),
        ("It has four arches; which the architect Ida Kern drew!", SOURCE, "verbatim"),
        ("It has four arches which the architect, Ida Kern, drew", SOURCE, "verbatim"),
        ("It has four four arches, which the architect Ida Kern drew", SOURCE, "altered"),
        ("橋は1931年に開通した", "この橋は1931年に開通した。", "verbatim"),
        # An omission of more than a page does not count as one.
        (
            "It was opened in 1931 … It has four arches",
            f"It was opened in 1931. {'x ' * 900}It has four arches.",
            "absent",
        ),
    ],
)
def test_edge_cases_of_quotations_have_the_expected_outcome(words: str, source: str, outcome: str) -> None:
    found = compare_quotation(words, source)
    assert found.outcome == outcome
    assert (found.span is None) == (outcome == "absent")
    assert bool(found.differences) == (outcome == "altered")
