"""Claims of texts with citations: their words without the marks, and the citations that belong to each."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.citations import Cited, cited_by, claims_of, quoted_words, read_citations, reported, unmarked
from factscope.claims.text import segment
from factscope.core.records import Claim, Segment, Span
from tests.claims.text.test_segments import ANY, NASTY
from tests.lab.many_cases import try_all

PEOPLE = """

## References

- Kern, I. (2004). The bridges of Marlow. https://press.example/kern
- Low, P., & Hale, J. (2010). Arches. https://doi.org/10.1234/low.2010
- Low, P., & Birch, A. (2010). Towers. https://a.example/t
- World Health Organization (2020). Bridges and health. https://who.example/bridges
"""


def read(text: str) -> Cited:
    return read_citations(text, segment(text, "sentences"))


def checked(text: str) -> list[str]:
    """Return the claims of a text to be judged, as they are judged."""
    segments = segment(text, "sentences")
    cited = read_citations(text, segments)
    return [claim.standalone for part in segments for claim in claims_of(text, part, cited) if not claim.skipped]


@try_all(
    ("text", "statement"),
    [
        ("The bridge is old ([source](https://a.example)).", "The bridge is old."),
        ("The bridge is old [source](https://a.example/a) [source](https://b.example/b).", "The bridge is old."),
        ("The bridge is old (https://a.example/a, https://b.example/b).", "The bridge is old."),
        ("The bridge is old (see https://a.example/a).", "The bridge is old."),
        ("The bridge is old <https://a.example/a>.", "The bridge is old."),
        ("The [old bridge](https://a.example) has six arches.", "The old bridge has six arches."),
        ("The bridge is old [@kern, p. 3; @low].", "The bridge is old."),
        (r"The bridge~\cite[p. 3]{kern,low} is old.", "The bridge is old."),
        ("According to [source](https://a.example), the bridge is old.", "the bridge is old."),
        ("The bridge is old ^[Kern, I. (2004). Book. https://a.example].", "The bridge is old"),
        ("The bridge is old (Kern, 2004; Low & Hale, 2010)." + PEOPLE, "The bridge is old."),
        ("Kern (2004) found that the bridge is old." + PEOPLE, "The bridge is old."),
        ("Kern et al. (2004) report that the bridge is old." + PEOPLE, "The bridge is old."),
        ("Low and Birch (2010) measured the arches." + PEOPLE, "Low and Birch measured the arches."),
        ("**The bridge** is `old` [1].\n\n[1]: https://a.example", "The bridge is old."),
    ],
)
def test_a_claim_is_judged_without_its_citations(text: str, statement: str) -> None:
    assert checked(text) == [statement]


@try_all(
    "text",
    ["[source](https://a.example)", "See [1].\n\n[1]: https://a.example", r"\cite{kern}", "https://a.example/x."],
)
def test_citations_alone_state_nothing(text: str) -> None:
    assert checked(text) == []


def test_each_clause_is_judged_with_its_own_citation() -> None:
    text = "The bridge was opened in 1931 (Kern, 2004) and has six arches (WHO, 2020)." + PEOPLE
    first = segment(text, "sentences")[0]
    cited = read(text)
    one, two = claims_of(text, first, cited)
    assert (one.id, one.standalone) == ("s1.c1", "The bridge was opened in 1931")
    assert (two.id, two.text, two.standalone) == ("s1.c2", "has six arches.", "The bridge has six arches.")
    assert one.independent
    assert not two.independent
    names = {citation.id: citation.text for citation in cited.citations}
    assert [[names[item.id] for item in cited_by(claim, cited.citations)] for claim in (one, two)] == [
        ["(Kern, 2004)"],
        ["(WHO, 2020)"],
    ]


@try_all(
    ("text", "mark", "title"),
    [
        ("It stands (Low & Birch, 2010).", "(Low & Birch, 2010)", "Towers"),
        ("It stands (Low & Hale, 2010).", "(Low & Hale, 2010)", "Arches"),
        ("It stands (Low et al., 2010).", "(Low et al., 2010)", "Arches"),
        ("Kern’s (2004) survey names it.", "Kern’s (2004)", "The bridges of Marlow"),
        ("In Kern (2004, p. 3), it stands.", "Kern (2004, p. 3)", "The bridges of Marlow"),
        ("But as Kern (2004) notes, it stands.", "Kern (2004)", "The bridges of Marlow"),
        ("And While Low and Birch (2010) differ, it stands.", "Low and Birch (2010)", "Towers"),
        ("The World Health Organization (2020) says so.", "World Health Organization (2020)", "Bridges and health"),
        ("It stands (Kern, 2004b).", "(Kern, 2004b)", "The bridges of Marlow"),
        ("It stands [see Kern 2004: 12].", "[see Kern 2004: 12]", "The bridges of Marlow"),
    ],
)
def test_people_and_a_year_name_the_entry_that_fits_both(text: str, mark: str, title: str) -> None:
    cited = read(text + PEOPLE)
    citation = cited.citations[0]
    source = next(source for source in cited.sources if source.id == citation.source_id)
    assert (citation.text, citation.form, source.reference.title) == (mark, "author_year", title)


@try_all("text", ["It closed (May, 1931).", "In May (2004) it closed.", "It stood (Brown 1999).", "Brown (1999) rose."])
def test_names_beside_a_year_that_no_entry_has_are_not_a_citation(text: str) -> None:
    assert read(text + PEOPLE).citations == ()


def test_a_citation_of_a_missing_entry_is_an_unexplained_source() -> None:
    cited = read("It stood (Brown et al., 1999; Kern, 2004)." + PEOPLE)
    assert [citation.text for citation in cited.citations] == ["Brown et al., 1999", "Kern, 2004"]
    brown = cited.sources[0]
    assert (brown.cited, brown.explained, brown.reference.key) == (True, False, "Brown 1999")


@try_all(
    ("words", "finding"),
    [
        ("Kern found that the bridge is old.", "The bridge is old."),
        ("Kern and Low (both of Marlow) reported that the bridge is old.", "The bridge is old."),
        ("Kern et al. show that the bridge is old.", "The bridge is old."),
        ("The bridge is so old that it closed.", "The bridge is so old that it closed."),
        ("Kern found that out.", "Kern found that out."),
        ("Kern was born in 1931. He said that it is old.", "Kern was born in 1931. He said that it is old."),
    ],
)
def test_a_reported_finding_is_judged_without_its_attribution(words: str, finding: str) -> None:
    assert reported(words) == finding


def written(text: str, words: str) -> Claim:
    """Build a claim of a text's first segment, in a model's words."""
    return Claim(id="s1.c1", segment_id="s1", text=words, standalone=f"In 1931, {words}")


def test_a_model_that_copies_a_citation_is_judged_without_it() -> None:
    text = "The bridge is old [1], long ([source](https://a.example)), and red.\n\n[1]: https://b.example"
    claim = written(text, "The bridge is long ([source](https://a.example)), old [1] .")
    plain = unmarked(claim, segment(text, "sentences")[0], read(text), text)
    assert plain.text == "The bridge is long, old."
    assert plain.standalone == "In 1931, The bridge is long, old."


def test_a_claim_from_the_bibliography_is_skipped_and_an_earlier_reason_retained() -> None:
    text = "The bridge is old." + PEOPLE
    entry = next(part for part in segment(text, "sentences") if part.text.startswith("Kern"))
    claim = written(text, "Kern wrote it")
    assert unmarked(claim, entry, read(text), text).skipped == "an entry of the bibliography"
    skipped = claim.model_copy(update={"skipped": "a request"})
    assert unmarked(skipped, entry, read(text), text).skipped == "a request"


def test_a_claim_not_found_in_its_segment_gets_all_of_its_citations() -> None:
    text = "The bridge was opened in 1931 (Kern, 2004) and has six arches (WHO, 2020). It is red." + PEOPLE
    citations = read(text).citations
    claim = Claim(id="s1.c1", segment_id="s1", text="x", standalone="x")
    assert list(cited_by(claim, citations)) == list(citations)
    assert list(cited_by(claim.model_copy(update={"segment_id": "s2"}), citations)) == []


@try_all(
    ("text", "quotations"),
    [
        ("Kern wrote “the bridge is old” and ‘it can’t be closed’.", ["the bridge is old", "it can’t be closed"]),
        ('She said "the bridge is old" there.', ["the bridge is old"]),
        ("Er schrieb: „Die Brücke ist alt“, und «c’est vieux ici» dort.", ["Die Brücke ist alt", "c’est vieux ici"]),
        ("Il écrit « le pont est vieux ».", ["le pont est vieux"]),
        ("The “Old Bridge” is a name.", []),
        ("It is 5\" wide and 6\" long, 7\" high.", []),
        ("An “unclosed quotation of many words", []),
    ],
)  # fmt: skip
def test_enough_words_in_quotation_marks_are_a_quotation(text: str, quotations: list[str]) -> None:
    part = Segment(id="s1", span=Span(start=7, end=7 + len(text)), text=text, kind="sentence")
    assert [span.of(" " * 7 + text) for span in quoted_words(part)] == quotations


PIECES = st.sampled_from(
    [
        "The bridge is old", ". ", " and ", "[1]", "[2, 3–5]", "(Kern, 2004)", "Kern (2004)", "[^a]",
        "^[Low, P. (2010). X.]", "[@kern; @low]", "https://a.example/x", "<a href='https://a.example'>x</a>",
        "[text](https://b.example)", "\n\n[^a]: Kern 2004", "\n\n[2]: https://b.example", PEOPLE, "\n\n", "¹",
        "10.1234/ab", "> quoted words are here",
    ]
)  # fmt: skip


@given(st.lists(PIECES | NASTY.map(lambda text: text[:10]), max_size=12).map("".join) | ANY)
@settings(max_examples=30, deadline=None)
def test_citations_in_any_text_have_consistent_places_and_sources(text: str) -> None:
    cited = read(text)
    assert [citation.id for citation in cited.citations] == [f"k{n}" for n in range(1, len(cited.citations) + 1)]
    assert [source.id for source in cited.sources] == [f"b{n}" for n in range(1, len(cited.sources) + 1)]
    starts = [citation.span.start for citation in cited.citations]
    assert starts == sorted(starts)
    for citation in cited.citations:
        assert citation.text == citation.span.of(text)
        assert (citation.scope is None) == (citation.segment_id is None)
    assert {citation.source_id for citation in cited.citations} == {one.id for one in cited.sources if one.cited}
    assert read(text) == cited


@given(st.lists(PIECES | NASTY.map(lambda text: text[:10]), max_size=12).map("".join))
@settings(max_examples=30, deadline=None)
def test_claims_of_every_segment_in_any_text_have_unique_ids(text: str) -> None:
    segments = segment(text, "sentences")
    cited = read_citations(text, segments)
    for part in segments:
        claims = claims_of(text, part, cited)
        assert [claim.id for claim in claims] == [f"{part.id}.c{n}" for n in range(1, len(claims) + 1)]
        assert claims
        for claim in claims:
            assert claim.skipped or re.search(r"[^\W_]", claim.standalone)
            assert claim.span
            assert part.span.start <= claim.span.start <= claim.span.end <= part.span.end


@pytest.mark.parametrize("n", [30, 31])
def test_a_range_of_more_than_thirty_numbers_is_not_a_range_of_sources(n: int) -> None:
    numbers = [source.reference.key for source in read(f"It is old and red [3–{3 + n}].").sources]
    assert numbers == ([str(number) for number in range(3, 34)] if n == 30 else ["3"])
