"""Block quotes as quotations: where their words are, and which citations apply to them."""

from __future__ import annotations

import pytest

from factscope.claims.citations import block_quotes, read_citations
from factscope.claims.text import segment

LIST = """

## References

[1] Kern (2004). The bridge. https://a.example/x
[2] Low (2005). Town. https://b.example/x
"""


def found(text: str) -> list[tuple[str, list[str]]]:
    whole = text + LIST
    segments = segment(whole, "sentences")
    cited = read_citations(whole, segments)
    blocks = list(block_quotes(whole, segments, cited.citations, cited.markers))
    assert all(block.span.of(whole).split()[0] in block.words for block in blocks)
    return [(block.words, [item.text for item in block.citations]) for block in blocks]


@pytest.mark.parametrize(
    ("text", "words", "citation"),
    [
        ("> The lamp was lit in 1871. [1]", "The lamp was lit in 1871.", "[1]"),
        ("> The lamp was\n> lit in 1871 [1].", "The lamp was lit in 1871", "[1]"),
        ("The leaflet says [2]:\n\n> The lamp was lit in 1871.", "The lamp was lit in 1871.", "[2]"),
        ("> The lamp was lit in 1871.\n\n— Ida Kern [2]", "The lamp was lit in 1871.", "[2]"),
        ("> “The lamp was lit in 1871.” — Ida Kern [1]", "The lamp was lit in 1871.", "[1]"),
        ("> The lamp was lit in 1871.\n> — Ida Kern [1]", "The lamp was lit in 1871.", "[1]"),
        (">> The lamp was lit in 1871 [1]", "The lamp was lit in 1871", "[1]"),
    ],
)
def test_a_block_quote_is_found_with_its_words_and_citation(text: str, words: str, citation: str) -> None:
    assert found(text) == [(words, [citation])]


def test_each_paragraph_has_the_citations_of_its_block() -> None:
    block = "> The lamp was lit in 1871.\n>\n> It burned until the war. [1]"
    assert found(block) == [("The lamp was lit in 1871.", ["[1]"]), ("It burned until the war.", ["[1]"])]


@pytest.mark.parametrize(
    "text",
    [
        "> The lamp was lit in 1871.",
        "It was lit [1].\n\nThe town is old.\n\n> The lamp was lit in 1871.",
        "```\n> The lamp was lit in 1871 [1].\n```",
        "> Note [1]",
    ],
)
def test_a_block_that_cites_nothing_is_not_a_quotation(text: str) -> None:
    assert found(text) == []
