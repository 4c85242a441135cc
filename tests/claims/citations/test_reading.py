"""Citations of every form: their positions, their sources, and the words they support."""

from __future__ import annotations

import pytest

from factscope.claims import column_names
from factscope.claims.citations import Cited, Reference, claims_of, read_citations, read_date, read_entry
from factscope.claims.text import segment
from tests.lab.many_cases import try_all

LIST = """

## References

[1] Kern, I. (2004). The bridges of Marlow. https://press.example/kern
[2] Low, P., Hale, J., & Birch, A. (2010). "Arches", https://doi.org/10.1234/low.2010 (accessed 3 May 2024).
"""
PEOPLE = """

## References

- Kern, I. (2004). The bridges of Marlow. https://press.example/kern
- Low, P., Hale, J., & Birch, A. (2010). Arches. https://doi.org/10.1234/low.2010
- World Health Organization (2020). Bridges and health. https://who.example/bridges
"""


def read(text: str, *known: Reference) -> Cited:
    return read_citations(text, segment(text, "sentences"), known)


def forms(text: str, *known: Reference) -> list[tuple[str, str]]:
    return [(one.form, one.text) for one in read(text, *known).citations]


@try_all(
    ("text", "form", "mark"),
    [
        ("It opened in [1931](https://a.example/x).", "markdown_link", "[1931](https://a.example/x)"),
        (
            "It opened in 1931 ([source](https://a.example/x_(y))).",
            "markdown_link",
            "[source](https://a.example/x_(y))",
        ),
        ("It opened in 1931, as [a report](files/kern.pdf) says.", "markdown_link", "[a report](files/kern.pdf)"),
        ("It opened [in 1931][town].\n\n[town]: https://a.example/x", "reference_link", "[in 1931][town]"),
        ("It opened in 1931.[^a]\n\n[^a]: Kern, https://a.example/x", "footnote", "[^a]"),
        ("It opened in 1931 [2]." + LIST, "numbered", "[2]"),
        ("It opened in 1931.¹" + LIST, "numbered", "¹"),
        ("It opened in 1931【1†kern】." + LIST, "numbered", "【1†kern】"),
        ("It opened in 1931 (Kern, 2004, p. 3)." + PEOPLE, "author_year", "(Kern, 2004, p. 3)"),
        ("It opened in 1931 (see Low et al. 2010)." + PEOPLE, "author_year", "(see Low et al. 2010)"),
        ("Kern (2004) dates it to 1931." + PEOPLE, "author_year", "Kern (2004)"),
        ("It opened in 1931 (WHO, 2020)." + PEOPLE, "author_year", "(WHO, 2020)"),
        ("It opened in 1931 [@kern2004, p. 3].", "key", "[@kern2004, p. 3]"),
        (r"It opened in 1931 \citep[p.~3]{kern2004}.", "key", r"\citep[p.~3]{kern2004}"),
        (
            'It opened in <a href="https://a.example/x">1931</a>.',
            "html_anchor",
            '<a href="https://a.example/x">1931</a>',
        ),
        ("It opened in 1931 (https://a.example/x?y=1).", "bare_url", "https://a.example/x?y=1"),
        ("It opened in 1931, www.a.example/x.", "bare_url", "www.a.example/x"),
        ("It opened in 1931 (doi:10.1234/ab.c).", "doi", "10.1234/ab.c"),
        ("It opened in 1931, https://doi.org/10.1234/ab.c.", "doi", "https://doi.org/10.1234/ab.c"),
        ("It opened in 1931, arXiv:2305.14627v2.", "arxiv", "arXiv:2305.14627v2"),
        ("It opened in 1931 (https://arxiv.org/abs/2305.14627).", "arxiv", "https://arxiv.org/abs/2305.14627"),
    ],
)
def test_each_form_of_citation_is_found_at_its_place(text: str, form: str, mark: str) -> None:
    (one,) = read(text).citations
    assert (one.form, one.text) == (form, mark)
    assert one.span.of(text) == mark
    assert one.scope is not None
    assert "931" in one.scope.of(text)


@pytest.mark.parametrize(
    "text",
    [
        "In May (2004) it rained in Marlow (England 1931)." + PEOPLE,
        "The field covers 12 km² and 300 m² of it is dry." + LIST,
        "The call `x[1]` is code.\n\n```\nsee [1] and https://a.example\n```" + LIST,
        "Write to [us](mailto:a@b.example) or a@b.example.",
        "![A picture](https://a.example/p.png) shows it.",
        "A remark.[^n]\n\n[^n]: This leaves out the ferries.",
        "It has [two] wings.",
    ],
)
def test_text_that_only_looks_like_a_citation_is_not_one(text: str) -> None:
    assert forms(text) == []


def test_several_in_one_bracket_have_their_own_places() -> None:
    text = "It opened in 1931 [1, 2] and closed in 1980 (Kern, 2004; Low et al., 2010)." + LIST
    found = read(text).citations
    assert [one.text for one in found] == ["1", "2", "Kern, 2004", "Low et al., 2010"]
    assert [one.source_id for one in found] == ["b1", "b2", "b1", "b2"]


def test_a_range_names_each_source() -> None:
    assert [one.source_id for one in read("It opened in 1931 [1–3]." + LIST).citations] == ["b1", "b2", "b3"]


def test_a_key_without_an_entry_is_an_unexplained_source() -> None:
    found = read("It opened in 1931 [7]." + LIST)
    first = found.sources[0]
    assert (first.reference.key, first.explained, first.cited) == ("7", False, True)
    assert [one.cited for one in found.sources] == [True, False, False]


def test_reference_files_explain_keys() -> None:
    known = Reference("kern2004", title="The bridges", authors=("Kern",), year="2004", url="https://k.example")
    found = read("It opened in 1931 [@kern2004; @low2010]. As @kern2004 says, it is old.", known)
    assert [(one.reference.key, one.explained) for one in found.sources] == [("kern2004", True), ("low2010", False)]
    assert len(found.citations) == 3


def test_a_source_named_in_two_ways_is_one_source() -> None:
    text = "It opened in 1931 [1]. It is old ([Kern](http://www.press.example/kern/#top))." + LIST
    assert {one.source_id for one in read(text).citations} == {"b1"}


def test_clauses_have_their_own_citations() -> None:
    text = "The bridge opened in 1931 [1] and has six arches [2]." + LIST
    found = read(text)
    assert [one.scope.of(text) for one in found.citations if one.scope] == [
        "The bridge opened in 1931 [1]",
        "has six arches [2].",
    ]
    (first, *_) = segment(text, "sentences")
    assert [claim.standalone for claim in claims_of(text, first, found)] == [
        "The bridge opened in 1931",
        "The bridge has six arches.",
    ]


def test_a_citation_before_a_clause_applies_to_it() -> None:
    text = "Kern (2004) found that the quay is old, and Low et al. (2010) found that it was rebuilt." + PEOPLE
    found = read(text)
    (first, *_) = segment(text, "sentences")
    assert [claim.standalone for claim in claims_of(text, first, found)] == ["The quay is old", "It was rebuilt."]


def test_a_citation_on_its_own_line_applies_to_the_sentence_before() -> None:
    text = "It opened in 1931. (Source: https://a.example/x)\n\nIt is old."
    (one,) = read(text).citations
    assert one.segment_id == "s1"


@pytest.mark.parametrize("pointer", ["see there", "See here", "see also", "here", "source"])
def test_a_link_that_only_points_is_not_a_word_of_the_sentence(pointer: str) -> None:
    text = f"It cost 46,000 crowns [{pointer}](https://a.example/x)."
    found = read(text)
    (whole,) = segment(text, "sentences")
    (claim,) = claims_of(text, whole, found)
    assert claim.text == "It cost 46,000 crowns."


def test_a_row_of_a_table_that_cites_has_the_names_of_its_columns() -> None:
    text = "| Year | Height |\n|---|---|\n| 1931 | 212 m [1] |\n| 1932 | 213 m |\n" + LIST
    segments = segment(text, "sentences")
    names = column_names(segments)
    rows = [one for one in segments if one.kind == "table_row"]
    claims = [claim for row in rows for claim in claims_of(text, row, read(text), names[row.id])]
    assert [claim.standalone for claim in claims] == ["Year: 1931; Height: 212 m", "Year: 1932; Height: 213 m"]


def test_entries_of_the_bibliography_are_not_claims() -> None:
    text = "It opened in 1931 [1]." + LIST
    found = read(text)
    claims = [claim for one in segment(text, "sentences") for claim in claims_of(text, one, found)]
    assert [claim.standalone for claim in claims if claim.skipped is None] == ["It opened in 1931."]


def test_an_html_list_is_a_bibliography() -> None:
    text = (
        '<p>It opened in 1931.<sup><a href="#cite-1">[1]</a></sup></p>\n\n<h2>References</h2>\n<ol>\n'
        '<li id="cite-1">Kern (2004). <a href="https://press.example/kern">The bridges</a></li>\n</ol>\n'
    )
    found = read(text)
    assert [(one.form, found.sources[0].reference.url) for one in found.citations] == [
        ("html_anchor", "https://press.example/kern")
    ]


@pytest.mark.parametrize(
    ("entry", "authors", "year", "title"),
    [
        ("Kern, I. (2004). The bridges of Marlow. Press.", ("Kern",), "2004", "The bridges of Marlow"),
        ("Low, P., Hale, J., & Birch, A. (2010a). Arches. Press.", ("Low", "Hale", "Birch"), "2010a", "Arches"),
        (
            'Ida Kern and Paul Low, "The bridges of Marlow", Press, 2004.',
            ("Kern", "Low"),
            "2004",
            "The bridges of Marlow",
        ),
        ("Ida Kern. Quays. 2012.", ("Kern",), "2012", "Quays"),
        ("World Health Organization (2020). Bridges.", ("World Health Organization",), "2020", "Bridges"),
        ("[The town](https://a.example/2019/x)", (), None, "The town"),
    ],
)
def test_entries_of_many_styles_are_read(entry: str, authors: tuple[str, ...], year: str | None, title: str) -> None:
    found = read_entry(entry)
    assert (found.authors, found.year, found.title) == (authors, year, title)


def test_an_access_date_is_read_from_an_entry() -> None:
    assert read_entry("Kern (2004). X. https://a.example. Accessed: 3 May 2024.").accessed == "2024-05-03"
    assert read_date("31 February 2024") is None
