"""Quotations compared with their sources: verbatim, altered with the difference shown, or missing."""

from __future__ import annotations

import pytest

from factscope.judging import compare_quotation
from tests.lab.many_cases import try_all

SOURCE = (
    "The Marlow bridge was opened in 1931. It has four arches, which the architect Ida Kern drew, and it is 212 metres "
    "long. The mayor of Marlow is elected every five years."
)


@pytest.mark.parametrize(
    "words",
    [
        "It has four arches",
        "it has four arches, which the architect Ida Kern drew",
        "It has four arches … and it is 212 metres long",
        "It has four arches, […] and it is 212 metres long.",
        "[The bridge] has four arches, which the architect Ida Kern drew",
        "The Marlow bridge was opened in 1931. It has four arches",
    ],
)
def test_permissible_editing_is_not_an_alteration(words: str) -> None:
    found = compare_quotation(words, SOURCE)
    assert found.outcome == "verbatim"
    assert found.span is not None


@pytest.mark.parametrize(
    ("words", "quoted", "there"),
    [
        ("It has six arches, which the architect Ida Kern drew", "six", "four"),
        ("it is 221 metres long", "221", "212"),
        ("The mayor of Marlow is elected every four years", "four", "five"),
        ("The mayor of Marlow is not elected every five years", "not", ""),
        ("The Marlow bridge was in 1931", "", "opened"),
    ],
)
def test_an_alteration_is_shown(words: str, quoted: str, there: str) -> None:
    found = compare_quotation(words, SOURCE)
    assert found.outcome == "altered"
    assert [(one.quoted, one.source) for one in found.differences] == [(quoted, there)]


@try_all(
    ("words", "source", "quoted", "there"),
    [
        ("17 people died in the fire", "Officials said 117 people died in the fire on Monday.", "17", "117"),
        ("we expect a loss of 5", "In 2024 we expect a loss of 5.4 million.", "5", "5.4"),
        ("5 degrees were measured at noon", "It was cold: -5 degrees were measured at noon.", "5", "-5"),
        ("legal to use the drug", "It is illegal to use the drug.", "legal", "illegal"),
        ("The new vaccine works in … 99 … of the patients", "The new vaccine works in 40 of the patients.", "99", "40"),
        (
            "The new vaccine works in … 40 … of the patients",
            "The new vaccine works in 140 of the patients.",
            "40",
            "140",
        ),
    ],
)
def test_quoting_part_of_a_word_or_number_is_an_alteration(words: str, source: str, quoted: str, there: str) -> None:
    found = compare_quotation(words, source)
    assert found.outcome == "altered"
    assert [(one.quoted, one.source) for one in found.differences] == [(quoted, there)]


def test_a_short_figure_between_omissions_is_found() -> None:
    source = "The vaccine works, doctors say, in 140 towns and in 40 % of the patients."
    assert compare_quotation("The vaccine works … in … 40 % … of the patients", source).outcome == "verbatim"


@pytest.mark.parametrize("words", ["Ferries left at dawn each day", "the whole town came to see the king"])
def test_a_quotation_missing_from_its_source_is_absent(words: str) -> None:
    assert compare_quotation(words, SOURCE).outcome == "absent"
