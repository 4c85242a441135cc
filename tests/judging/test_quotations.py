"""Quotations against their sources: word for word, altered with the difference shown, or not there."""

from __future__ import annotations

import pytest

from factscope.judging.quotes import compare_quotation

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
def test_what_a_careful_writer_may_do_is_no_alteration(words: str) -> None:
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


@pytest.mark.parametrize("words", ["Ferries left at dawn each day", "the whole town came to see the king"])
def test_what_is_not_there_is_absent(words: str) -> None:
    assert compare_quotation(words, SOURCE).outcome == "absent"
