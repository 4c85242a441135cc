"""Entries of reference files: each field as a text would state it, whatever the file's notation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factscope.claims.citations import Reference
from factscope.core import UsageError
from factscope.evidence import EvidenceFile, EvidenceProblem
from factscope.evidence.citations import AtHand, open_at_hand, read_references
from tests.conftest import at_least
from tests.lab.many_cases import try_all


def read(name: str, content: str) -> tuple[list[Reference], list[EvidenceProblem]]:
    items = list(read_references(EvidenceFile(Path(name), name), content.encode()))
    references = [item for item in items if isinstance(item, Reference)]
    return references, [item for item in items if isinstance(item, EvidenceProblem)]


def only(name: str, content: str) -> Reference:
    references, problems = read(name, content)
    assert problems == []
    (reference,) = references
    return reference


def test_one_work_reads_alike_in_all_three_formats() -> None:
    bibtex = only(
        "a.bib",
        "@article{k, author={Kern, Ida and Low, Paul}, title={The {B}ridge}, year={2004}, doi={https://doi.org/10.1/AB},"
        " url={https://a.example/x}, urldate={2024-05-01}}",
    )
    ris = only(
        "a.ris",
        "TY  - JOUR\nAU  - Kern, Ida\nAU  - Low, Paul\nTI  - The Bridge\nPY  - 2004\nDO  - doi: 10.1/AB\n"
        "UR  - https://a.example/x\nY2  - 2024/05/01/\nID  - k\nER  - \n",
    )
    csl = only(
        "a.json",
        '{"id": "k", "author": [{"family": "Kern", "given": "Ida"}, {"family": "Low"}], "title": "The Bridge",'
        ' "issued": {"date-parts": [["2004", 5]]}, "accessed": {"date-parts": [[2024, 5, 1]]},'
        ' "DOI": "http://dx.doi.org/10.1/AB", "URL": "https://a.example/x"}',
    )
    assert bibtex._replace(entry=None) == ris._replace(entry=None) == csl._replace(entry=None)
    assert (csl.authors, csl.year, csl.doi, csl.accessed) == (("Kern", "Low"), "2004", "10.1/AB", "2024-05-01")
    assert bibtex.entry == ris.entry == "Kern, Ida, Low, Paul (2004). The Bridge. https://a.example/x"


@try_all(
    ("notation", "text"),
    [
        (r"M\"uller", "Müller"),
        (r"M{\"u}ller", "Müller"),
        (r"M\"{u}ller", "Müller"),
        (r"Garc\'{\i}a", "García"),
        (r"Garc\'\i a", "García"),
        (r"Fran\c{c}ois", "François"),
        (r"Ho\v{r}\'ak", "Hořák"),
        (r"Erd{\H o}s", "Erdős"),
        (r"{\AA}ngstr{\"o}m", "Ångström"),
        (r"S{\o}rensen", "Sørensen"),
        (r"Stra{\ss}e", "Straße"),
        (r"Wa{\l}{\k e}sa", "Wałęsa"),
        (r"Mu\~noz", "Muñoz"),
        (r"Dvo\v r\'ak", "Dvořák"),
        (r"{\OE}uvres", "Œuvres"),
        (r"Procter \& Gamble: 50\% more", "Procter & Gamble: 50% more"),
        (r"The {\em old} \emph{bridge}", "The old bridge"),
        ("The\n   old~bridge", "The old bridge"),
        ("Mayor of Łódź, 橋", "Mayor of Łódź, 橋"),
    ],
)
def test_latex_in_a_title_becomes_the_letters_it_prints(notation: str, text: str) -> None:
    assert only("a.bib", f"@misc{{k, title={{{notation}}}}}").title == text


@try_all(
    ("authors", "families"),
    [
        (r"M{\"u}ller, J{\"o}rg and Kern, Ida", ("Müller", "Kern")),
        ("Ida Kern", ("Kern",)),
        ("Jan~van~der~Berg", ("Berg",)),
        ("van der Berg, Jan", ("van der Berg",)),
        # Braces make a name a single word, that of an organisation.
        ("{World Health Organization} and Kern, Ida", ("World Health Organization", "Kern")),
        ("{{Barnes and Noble}}", ("Barnes and Noble",)),
        ("Plato", ("Plato",)),
        (r"Mu\~noz, Ana", ("Muñoz",)),
    ],
)
def test_bibtex_family_names_are_those_a_text_cites(authors: str, families: tuple[str, ...]) -> None:
    for field in ("author", "editor"):
        assert only("a.bib", f"@misc{{k, {field}={{{authors}}}}}").authors == families


def test_a_bibtex_address_is_preserved_except_for_escapes() -> None:
    for written, url in (
        ("https://a.example/~kern/x", "https://a.example/~kern/x"),
        (r"https://a.example/\~{}kern", "https://a.example/~kern"),
        (r"https://a.example/{\textasciitilde}kern", "https://a.example/~kern"),
        (r"https://a.example/a\_b?c=1\&d=50\%25\#e", "https://a.example/a_b?c=1&d=50%25#e"),
    ):
        assert only("a.bib", f"@misc{{k, url={{{written}}}}}").url == url


def test_an_arxiv_id_and_a_file_are_read_as_reference_managers_write_them() -> None:
    paper = only("a.bib", "@misc{k, eprint={2305.14627}, archivePrefix={arXiv}, file={:papers/kern 2004.pdf:PDF}}")
    assert (paper.arxiv, paper.file) == ("2305.14627", "papers/kern 2004.pdf")
    assert only("a.bib", "@misc{k, eprint={2305.14627}, eprinttype={arxiv}}").arxiv == "2305.14627"
    other = only("a.bib", "@misc{k, eprint={123}, eprinttype={hdl}, file={notes}}")
    assert (other.arxiv, other.file) == (None, None)


@try_all(
    ("fields", "year"),
    [
        ("year={2004}", "2004"),
        ("year=2004", "2004"),
        ("year={2004a}", "2004a"),
        ("date={2004-05-01}", "2004"),
        ("year={2003}, date={2004}", "2003"),
        ("note={2004}", None),
    ],
)
def test_the_bibtex_year_is_read_from_either_field(fields: str, year: str | None) -> None:
    assert only("a.bib", f"@misc{{k, {fields}}}").year == year


def test_bibtex_abbreviations_are_resolved_and_comments_are_skipped() -> None:
    content = '@string{acm = "ACM"}\n@comment{old}\nNotes.\n@misc{k, title=acm}\n'
    assert only("a.bib", content).title == "ACM"


def test_a_duplicate_key_is_named_and_the_first_entry_counts() -> None:
    references, (problem,) = read("a.bib", "@misc{k, title={X}}\n@misc{k, title={Y}}\n")
    assert [reference.title for reference in references] == ["X"]
    assert problem.line == 2
    assert "Duplicate entry key 'k'; correct it" in problem.message


def test_older_ris_tags_and_windows_line_endings_are_read() -> None:
    old = "TY  - JOUR\r\nA1  - Kern, Ida\r\nT1  - Die Brücke\r\nY1  - 2004/05/01\r\nER  - \r\n"
    reference = only("a.ris", old)
    assert (reference.authors, reference.title, reference.year) == (("Kern",), "Die Brücke", "2004")


def test_each_ris_record_is_read_or_named_by_its_line() -> None:
    records = "Exported.\nTY  - JOUR\nTI  - One\nER  - \n\nTY  - JOUR\nTI  - Lost\nTY  - JOUR\nTI  - Two\nER  - \n"
    references, problems = read("a.ris", records)
    assert [reference.title for reference in references] == ["One", "Two"]
    assert [problem.line for problem in problems] == [1, 6]
    assert read("a.ris", " \n\n") == ([], [])


@try_all(
    ("issued", "year"),
    [
        ([[2004]], "2004"),
        ([["2004", "5", "1"]], "2004"),
        ([[987]], "987"),
        ([[]], None),
        ([], None),
        ([["May", 2004]], None),
        (2004, None),
    ],
)
def test_the_csl_year_is_the_first_date_part_or_missing(issued: object, year: str | None) -> None:
    assert only("a.json", json.dumps({"id": "k", "issued": {"date-parts": issued}})).year == year


def test_an_access_date_is_used_only_if_it_is_complete() -> None:
    for parts, day in (([[2024, 5, 1]], "2024-05-01"), ([[2024, 5]], None), ([[2024]], None)):
        assert only("a.json", json.dumps({"id": "k", "accessed": {"date-parts": parts}})).accessed == day


def test_csl_items_that_are_not_entries_are_named_by_number_and_affect_no_other() -> None:
    items = [{"id": "a"}, 5, {"title": "B"}, {"note": "C"}, {"id": 7}]
    for content in (json.dumps(items), json.dumps({"items": items})):
        references, problems = read("a.json", content)
        assert [(one.key, one.title) for one in references] == [("a", None), (None, "B"), ("7", None)]
        numbers = [problem.message.partition(" is not an entry")[0] for problem in problems]
        assert numbers == ["item 2", "item 4"]
    assert read("a.json", "[]") == ([], [])
    (problem,) = read("a.json", '[{"id": "a"},\n {"id" "b"}]')[1]
    assert (problem.line, problem.message.partition(":")[0]) == (2, "is not JSON")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3000, 3000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["family", "date-parts"]), inner),
    max_leaves=6,
)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["id", "title", "author", "issued", "accessed", "URL", "DOI"]), VALUES), max_size=4
)


@given(ITEMS)
@settings(max_examples=at_least(10, in_all=200))
def test_every_csl_item_is_an_entry_or_a_problem(items: list[dict[str, object]]) -> None:
    references, problems = read("a.json", json.dumps(items))
    refused = [problem for problem in problems if "is not an entry" in problem.message]
    assert len(references) + len(refused) == len(items)
    for reference in references:
        assert reference.key or reference.title
        assert reference.year is None or reference.year.isdigit()


@example(",")
@given(st.text("@{}=,\"\\'ab \n~&", max_size=60))
@settings(max_examples=at_least(15, in_all=200))
def test_no_bibtex_notation_breaks_the_reader(content: str) -> None:
    for reference in read("a.bib", f"@misc{{k, title={{{content}}}, author={{{content}}}}}\n{content}")[0]:
        assert "\n" not in (reference.title or "")
        assert all(author.strip() == author != "" for author in reference.authors)


def test_an_entry_with_latex_accents_finds_the_file_named_after_its_author(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(r"@misc{x1, author={M{\"u}ller, J.}, year={2004}}", encoding="utf-8")
    (tmp_path / "Müller 2004.txt").write_text("It opened.", encoding="utf-8")
    held: AtHand = open_at_hand([tmp_path])
    (reference,) = held.references
    found = held.find(reference)
    assert found is not None
    assert found.text == "It opened."


def test_a_missing_package_is_named_with_a_workaround(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for package, name in (("bibtexparser", "a.bib"), ("rispy", "a.ris")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(UsageError, match=rf"{name} needs a package .*factscope\[citations\]', or give CSL-JSON"):
            read(name, "TY  - JOUR\nER  - \n")
