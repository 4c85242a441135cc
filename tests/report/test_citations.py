"""Citations of a text in the report files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import factscope as fs
from factscope.core.records import Report
from factscope.report import RENDERERS
from factscope.report.citations import problem_lines

EXAMPLE = Path(__file__).parents[2] / "examples" / "cited"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    settings = {"offline": True, "cache": tmp_path_factory.mktemp("cache")}
    text = (EXAMPLE / "report.md").read_text(encoding="utf-8")
    made = fs.check(text, evidence=EXAMPLE / "sources.jsonl", cited=True, repair=True, settings=settings)
    return made.record


def written(report: Report, form: str) -> str:
    made = RENDERERS.get(form).one(report)
    return made if isinstance(made, str) else made.decode()


def test_markdown_lists_the_problems_and_the_bibliography(report: Report) -> None:
    text = written(report, "md")
    section = text.partition("## Citations\n")[2].partition("\n## ")[0]
    (altered,) = (line for line in section.splitlines() if line.startswith("| 9:36 |"))
    assert "**altered quote**" in altered
    assert "“1874” where the source has “1871”" in altered
    (missing,) = (line for line in section.splitlines() if "List of protected buildings](" in line)
    assert "| dead | 1 | – | not there |" in missing
    (wrong,) = (line for line in section.splitlines() if "Figures](" in line)
    assert "Statistics Lannow (2021)" in wrong


def test_scores_of_citations_name_what_they_count(report: Report) -> None:
    lines = {line.split(" | ")[0]: line for line in written(report, "md").splitlines() if line.startswith("| ")}
    for title, counted in (
        ("Citation recall", "over 33 sentences, 3 not scored"),
        ("Citation precision", "over 33 citations, 3 not scored"),
        ("Dead sources", "over 15 sources"),
        ("Altered quotes", "over 3 quotations"),
        ("Uncited claims", "over 34 claims"),
    ):
        assert f" | {counted} | " in lines[f"| {title}"], lines[f"| {title}"]


def test_html_lists_the_citations_with_links_to_their_sources(report: Report) -> None:
    page = written(report, "html")
    section = page.partition('aria-labelledby="h-cited"')[2].partition("</section>")[0]
    assert "<td>9:36</td>" in section
    assert 'href="https://ferries.example/figures"' in section
    assert "behind a paywall" in section


def test_a_row_of_the_table_has_its_sources_and_problems(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(written(report, "csv"))))
    (boat,) = (row for row in rows if row["claim"].startswith("The present boat, the Ida Corran"))
    assert boat["citations"] == "[8] Annual report: contradicts"
    assert boat["citation_problems"].startswith("17:165 contradicted: ")
    (entry,) = (row for row in rows if "Lighthouses of the north" in row["citation_problems"])
    assert "49:1 never cited" in entry["citation_problems"]


def test_the_citation_scores_are_aligned_in_one_column(report: Report, tmp_path: Path) -> None:
    lines = fs.Report(report).save(tmp_path / "report.txt").read_text(encoding="utf-8").splitlines()
    names = ("recall", "precision", "dead sources", "altered quotes", "uncited claims")
    rows = {name: next(line for line in lines if line.startswith(f"  {name} ")) for name in names}
    assert {name: row[2:17].rstrip() for name, row in rows.items()} == {name: name for name in names}
    assert all(row[17] == " " and row[18].isdigit() for row in rows.values()), rows


def test_a_report_without_citations_has_no_citations_section(tmp_path: Path) -> None:
    made = fs.check("The bridge is long.", evidence=["The bridge is long."], settings={"cache": tmp_path}).record
    assert "Citations" not in written(made, "md")
    assert "h-cited" not in written(made, "html")


def test_a_message_ends_in_one_full_stop_after_a_quoted_sentence(tmp_path: Path) -> None:
    source = tmp_path / "arches.md"
    source.write_text("# The Marlow bridge\n\nThe Marlow bridge has four arches.\n", encoding="utf-8")
    text = "The Marlow bridge has six arches [1].\n\n## References\n\n[1] The Marlow bridge.\n"
    settings = {"offline": True, "cache": tmp_path / "cache"}
    made = fs.check(text, evidence=[source], cited=True, settings=settings).record
    (row,) = [row for row in csv.DictReader(io.StringIO(written(made, "csv"))) if row["citation_problems"]]
    assert row["citation_problems"].endswith("says otherwise: “The Marlow bridge has four arches.”")


def test_an_unfetched_source_is_named_once_and_is_not_a_serious_problem(tmp_path: Path) -> None:
    text = "It opened in 1931 [1]. It has six arches [1].\n\n## References\n\n[1] The bridge. https://bridge.example/\n"
    made = fs.check(text, cited=True, settings={"offline": True, "cache": tmp_path / "cache"}).record
    (line,) = [line for line in problem_lines(made) if line.kind != "uncited"]
    assert (line.kind, line.serious) == ("not_fetched", False)
    assert "was not fetched: it is not among the local sources, and fetching is off" in line.message


def test_a_text_that_cites_nothing_is_not_called_free_of_problems(tmp_path: Path) -> None:
    settings = {"offline": True, "cache": tmp_path / "cache"}
    made = fs.check("It opened in 1931. It has six arches.", cited=True, settings=settings)
    assert "No citations to check: the text cites no sources." in str(made)
    assert "no problem" not in str(made)
