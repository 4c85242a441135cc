"""Lists of sources in a text: where they begin and end, their entries, and lookalikes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.citations import Cited, find_bibliography, read_citations
from factscope.claims.text import segment
from tests.claims.text.test_segments import NASTY
from tests.lab.many_cases import try_all

KERN, LOW = "Kern, I. (2004). The bridges.", "Low, P. (2010). Arches."


def read(text: str) -> Cited:
    return read_citations(text, segment(text, "sentences"))


def titles(text: str) -> list[str | None]:
    return [entry.title for entry in find_bibliography(text).entries]


@try_all(
    "heading",
    [
        "## References", "# REFERENCES #", "### 7. Works Cited", "**Sources**", "**Sources:**", "Sources:",
        "<h2 class='x'>References</h2>", "References", "Quellenverzeichnis", "## Références", "## Bibliografía",
        "Bibliography\r",
    ],
)  # fmt: skip
def test_a_list_is_found_under_its_heading(heading: str) -> None:
    assert titles(f"The bridge is old.\n\n{heading}\n\n- {KERN}\n- {LOW}\n") == ["The bridges", "Arches"]


@try_all(
    "text",
    [
        "Sources\n\nThe bridge is old and red.",
        "## References\n\n## Next\n\nThe bridge is old.",
        "## Notes\n\nThe bridge was built by Kern and it is long.",
        "The references\n\n- one thing",
        "## References",
        "References are good. (2004)",
    ],
)
def test_a_heading_without_entries_is_not_a_list(text: str) -> None:
    bibliography = find_bibliography(text)
    assert bibliography.entries == bibliography.taken == ()


@try_all(
    ("text", "after"),
    [
        (f"## References\n\n- {KERN}\n\n## Later\n\nIt is red.", "## Later"),
        (f"# References\n\n- {KERN}\n\n## Books\n\n- {LOW}\n\n# Later\n\nIt is red.", "# Later"),
        (f"## References\n\n- {KERN}\n\n## Further reading\n\n- {LOW}\n\n# Later\n", "# Later"),
        (f"<h2>References</h2>\n<li>{KERN}</li>\n<h2>Later</h2>\n", "<h2>Later"),
        (f"References:\n[1] {KERN}\n[2] {LOW}\n\nThe town is small and new.", "The town"),
    ],
)
def test_a_list_ends_where_the_text_resumes(text: str, after: str) -> None:
    (taken,) = find_bibliography(text).taken
    assert text[taken.end :].lstrip().startswith(after)


def test_an_entry_may_span_several_lines() -> None:
    text = f"## References\n\n[1] {KERN}\n    Press.\n    <https://a.example/x>\n[2] {LOW}\nhttps://b.example\n"
    first, second = find_bibliography(text).entries
    assert (first.key, first.url, second.key, second.url) == ("1", "https://a.example/x", "2", "https://b.example")
    assert first.span
    assert first.span.of(text) == f"[1] {KERN}\n    Press.\n    <https://a.example/x>"
    assert first.entry == f"{KERN} Press. <https://a.example/x>"


def test_entries_without_marks_are_separated_by_indents_or_empty_lines() -> None:
    assert titles(f"## References\n{KERN}\n  Press.\n{LOW}\n") == ["The bridges", "Arches"]
    assert titles(f"## References\n\n{KERN}\n\n  {LOW}\n") == ["The bridges", "Arches"]


def test_the_link_of_an_entry_is_part_of_it_but_tags_are_not() -> None:
    text = (
        "<h2>References</h2>\n<ol>\n<li id='kern'>Kern (2004) <a href='https://a.example/x'>The bridges</a></li>\n"
        "<li><p>Low (2010) <i>Arches</i></p></li>\n</ol>\n"
    )
    first, second = find_bibliography(text).entries
    assert (first.key, first.anchor, first.title, first.url) == ("1", "kern", "The bridges", "https://a.example/x")
    assert (second.key, second.anchor, second.title, second.entry) == ("2", None, "Arches", "Low (2010) Arches")


@try_all(
    ("line", "label", "url", "title"),
    [
        ("[town]: https://a.example/x", "town", "https://a.example/x", None),
        ('[Town Hall]: <https://a.example/x> "The hall"', "town hall", "https://a.example/x", "The hall"),
        ("[kern]: files/kern.pdf (The book)", "kern", "files/kern.pdf", "The book"),
        ("   [a]: www.a.example", "a", "https://www.a.example", None),
    ],
)
def test_a_link_definition_is_matched_by_its_label(line: str, label: str, url: str, title: str | None) -> None:
    bibliography = find_bibliography(f"It is old.\n\n{line}\n")
    assert bibliography.entries == ()
    assert {name: (entry.url, entry.title) for name, entry in bibliography.links.items()} == {label: (url, title)}


def test_the_first_of_two_definitions_counts_as_in_markdown() -> None:
    links = find_bibliography("[a]: https://a.example\n[A]: https://b.example\n").links
    assert links["a"].url == "https://a.example"


@try_all("line", ["[1] Short one", "[12] chapters", "1. Kern, I. (2004). The bridges.", "[1](https://a.example) is it"])
def test_a_numbered_line_alone_is_not_an_entry(line: str) -> None:
    assert find_bibliography(f"It is old.\n\n{line}\n").entries == ()


def test_a_numbered_line_with_an_address_or_enough_words_is_an_entry() -> None:
    entries = find_bibliography(f"It is old [1][2].\n\n[1] https://a.example\n[2] {KERN}\n").entries
    assert [(entry.key, entry.url, entry.title) for entry in entries] == [
        ("1", "https://a.example", None),
        ("2", None, "The bridges"),
    ]


def test_a_footnote_that_names_an_entry_cites_it() -> None:
    text = (
        "It is old and red.[^1] It is long and low.[^2] It has arches.[^n]\n\n"
        "[^1]: Kern 2004, p. 3.\n[^2]: A remark by the author.\n[^n]: See Low 2010.\n\n"
        f"## References\n\n- {KERN}\n- {LOW}\n"
    )
    cited = read(text)
    titles_of = {source.id: source.reference.title for source in cited.sources}
    assert [(citation.text, titles_of[citation.source_id]) for citation in cited.citations] == [
        ("[^1]", "The bridges"),
        ("[^n]", "Arches"),
    ]
    assert len(cited.sources) == 2, "neither footnote is a source of its own"


def test_an_entry_may_be_just_a_file_name() -> None:
    for listed in ("[1] island.md", "[^1]: island.md", "[1]: island.md", "## References\n\n1. island.md"):
        mark = "[^1]" if "^" in listed else "[1]"
        cited = read(f"The island is old{mark}.\n\n{listed}\n")
        assert [(source.explained, source.cited) for source in cited.sources] == [(True, True)], listed
        assert len(cited.citations) == 1, listed


@pytest.mark.parametrize("note", ["Kern 1999, p. 3.", "May 2004.", "As he told us in 2004."])
def test_a_footnote_naming_neither_entry_nor_work_is_a_remark(note: str) -> None:
    cited = read(f"It is old and red.[^1]\n\n[^1]: {note}\n\n## References\n\n- {KERN}\n")
    assert cited.citations == ()
    assert [source.cited for source in cited.sources] == [False]


def test_a_list_in_code_is_not_a_list() -> None:
    assert read(f"It is old.\n\n```\n## References\n\n[1] {KERN}\n```\n").sources == ()


LISTED = st.sampled_from(
    [
        "## References\n",
        "Sources:\n",
        f"[1] {KERN}\n",
        "- ",
        "[^a]: ",
        "[b]: ",
        "<li>",
        "</li>\n",
        "# Next\n",
        "  ",
        LOW,
    ]
)


@given(st.lists(LISTED | NASTY.map(lambda text: text[:12]), max_size=12).map("".join))
@settings(max_examples=40, deadline=None)
def test_bibliography_spans_are_ordered_and_disjoint_in_any_text(text: str) -> None:
    bibliography = find_bibliography(text)
    ends = [0, *(span.end for span in bibliography.taken)]
    assert all(end <= span.start < span.end <= len(text) for end, span in zip(ends, bibliography.taken, strict=False))
    for entry in bibliography.entries:
        assert entry.span
        assert any(taken.start <= entry.span.start and entry.span.end <= taken.end for taken in bibliography.taken)
