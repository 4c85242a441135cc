"""Paths and figures of the leaderboard's pages: each row has its own page, whatever its name."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks import Standing
from factscope.benchmarks.leaderboard import (
    BoardExample,
    Column,
    ExampleVerdict,
    Figure,
    HubTask,
    LinkedPage,
    digest,
    format_number,
    interval,
    write_site,
)
from factscope.core import StoreError, UsageError
from factscope.report import Paragraph, Title
from tests.benchmarks.leaderboard.board_values import SHARE, board_of, board_row, site_of
from tests.lab.many_cases import try_all
from tests.scoring.two_runs import checked


@try_all(
    ("names", "slugs"),
    [
        (["GPT-4o", "gpt 4o", "gpt/4o"], ["gpt-4o", "gpt-4o-2", "gpt-4o-3"]),
        (["a", "a-2", "a"], ["a", "a-2", "a-3"]),
        (["about", "Index", "details", "examples", "releases"], [
            "about-2", "index-2", "details-2", "examples-2", "releases-2",
        ]),
        (["灯塔", "…", ""], ["row", "row-2", "row-3"]),
        (["../../etc/passwd", "a\u202eb", "x" * 90], ["etc-passwd", "a-b", "x" * 60]),
    ],
)  # fmt: skip
def test_each_row_has_a_page_with_a_unique_plain_name(names: list[str], slugs: list[str]) -> None:
    board = board_of(*(board_row(name) for name in names))
    files = site_of(board)
    assert files.keys() == {"index.html", "factual-precision/about.html"} | {
        f"factual-precision/{slug}.html" for slug in slugs
    }
    links = re.findall(r'<th scope="row" class="name"[^>]*><a href="([^"]+)"', files["index.html"])
    assert links == [f"factual-precision/{slug}.html" for slug in slugs]


@settings(max_examples=8)
@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_no_name_leaves_the_folder_or_breaks_a_page(names: list[str]) -> None:
    files = site_of(board_of(*map(board_row, names)))
    assert len(files) == 2 + len(names)
    for path in files:
        assert re.fullmatch(r"(?:factual-precision/)?[a-z0-9-]+\.html", path)


def test_two_boards_of_one_kind_have_separate_folders_linked_from_the_index() -> None:
    files = site_of(board_of(board_row("a"), title="First"), board_of(board_row("a"), title="Second"))
    assert {"factual-precision/a.html", "factual-precision-2/a.html"} <= files.keys()
    index = files["index.html"]
    for name, title in (("factual-precision", "First"), ("factual-precision-2", "Second")):
        assert f'<a href="#{name}">{title}</a>' in index
        assert f'<section id="{name}">' in index
        assert f'href="../index.html#{name}"' in files[f"{name}/a.html"]
    assert 'class="toc"' not in site_of(board_of(board_row("a")))["index.html"]


def test_pages_of_releases_are_linked_as_they_are() -> None:
    releases = [LinkedPage("My <set>", "<p>one</p>"), LinkedPage("My set", "<p>two</p>")]
    files = site_of(board_of(board_row("a")), releases=releases)
    assert (files["releases/my-set.html"], files["releases/my-set-2.html"]) == ("<p>one</p>", "<p>two</p>")
    assert '<a href="releases/my-set.html" dir="auto">My &lt;set&gt;</a>' in files["index.html"]


def test_the_page_of_further_tables_exists_only_if_there_are_any() -> None:
    details = (Title("By topic"), Paragraph("A note."), Title("By kind"))
    files = site_of(board_of(board_row("a"), details=details), board_of(board_row("a"), kind="citations"))
    assert "citations/details.html" not in files
    assert "citations/details.html" not in files["index.html"]
    page = files["factual-precision/details.html"]
    targets = re.findall(r'<a href="#(d\d+)">', page)
    assert len(targets) == 2
    for target in targets:
        assert f'id="{target}"' in page


def test_each_stored_example_of_a_row_has_a_numbered_page() -> None:
    verdict = (ExampleVerdict("verdict", "supported", "1 of 1 supported"),)
    report = checked("r1", [("The lens came in 1858.", "supported")])
    shown = BoardExample("r1", verdict, lambda: report)
    lines = BoardExample("r2", verdict, lines=("Said: <b>it</b>",))
    files = site_of(board_of(board_row("a", examples=(lines, shown))))
    assert "factual-precision/a/1.html" not in files  # no report
    page = files["factual-precision/a/2.html"]
    assert "The lens came in 1858." in page
    assert 'href="../a.html"' in page
    assert "Said: &lt;b&gt;it" in files["factual-precision/a.html"]
    assert 'href="a/2.html"' in files["factual-precision/a.html"]


@try_all(
    ("form", "number", "shown"),
    [
        ("share", 0.66666, "66.7"),
        ("share", 0.0, "0.0"),
        ("share", 1.0, "100.0"),
        ("number", 2.345, "2.35"),
        ("number", -0.5, "-0.50"),
        ("count", 12345.0, "12,345"),
        ("share", None, "–"),
        ("count", None, "–"),
    ],
)
def test_figures_are_formatted_by_the_form_of_their_column(form: str, number: float | None, shown: str) -> None:
    assert format_number(Column("c", "", form), number) == shown  # type: ignore[arg-type]


def test_an_interval_with_only_one_end_is_not_shown() -> None:
    assert interval(SHARE, Figure(0.5, 0.25, 0.75)) == "25.0 to 75.0"
    assert interval(SHARE, Figure(0.5, 0.0, 0.0)) == "0.0 to 0.0"
    for ends in ((None, 0.75), (0.25, None), (None, None)):
        assert interval(SHARE, Figure(0.5, *ends)) == ""


def test_a_rank_states_ties_and_its_possible_range() -> None:
    rows = [
        board_row("sure", rank=Standing(1, False, 1, 1)),
        board_row("first", rank=Standing(2, True, 2, 3)),
        board_row("second", rank=Standing(2, True, 2, 3)),
    ]
    files = site_of(board_of(*rows))
    body = files["index.html"].partition("<tbody>")[2].partition("</tbody>")[0]
    sure, first, second = (unescape(re.sub(r"<[^>]+>", " ", row)).split()[:3] for row in body.split("</tr>")[:3])
    assert sure[:2] == ["1", "sure"]
    assert first == second == ["=2", "perhaps", "2–3"]
    assert "Rank =2 of 3, perhaps 2–3 ·" in files["factual-precision/second.html"]
    assert "Rank 1 of 3 ·" in files["factual-precision/sure.html"]


def test_rows_measured_in_the_same_way_have_the_same_short_signature() -> None:
    assert digest("judges=x|phase_b=yes") == digest("judges=x|phase_b=yes") != digest("judges=x|phase_b=no")
    assert re.fullmatch("[0-9a-f]{8}", digest(""))


def test_a_row_with_few_examples_is_marked_and_an_unknown_date_stated() -> None:
    index = site_of(board_of(board_row("few", n=29, date=None), board_row("many", n=30)))["index.html"]
    assert index.count('class="few"') == 1
    few, many = index.partition("<tbody>")[2].split("</tr>")[:2]
    assert ">unknown</td>" in few
    assert ">2026-11-02</td>" in many


def test_checkers_are_not_written_for_the_hub() -> None:
    """The Hub stores results of models only; a row without a public value has no file either."""
    rows = (board_row("a", public=Figure(0.5)), board_row("b"))
    task = HubTask("a/b", "c")
    assert [path for path in site_of(board_of(*rows), task=task) if path.endswith(".yaml")] == [
        "factual-precision/a.eval_results.yaml"
    ]
    for none in (site_of(board_of(*rows)), site_of(board_of(*rows, unit="checker"), task=task)):
        assert not [path for path in none if path.endswith(".yaml")]


def test_the_number_of_pages_excludes_other_files(tmp_path: Path) -> None:
    board = board_of(board_row("a", public=Figure(0.5)), board_row("\ud800b"))
    n = write_site([board], tmp_path / "new/site", HubTask("a/b", "c"))
    written = [path for path in (tmp_path / "new/site").rglob("*") if path.is_file()]
    assert n == sum(path.suffix == ".html" for path in written) == 4
    assert len(written) == 4 + 1 + 1  # one for the Hub, one that marks the folder as ours


def test_a_file_where_the_folder_should_be_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="something other than a leaderboard"):
        write_site([board_of(board_row("a"))], target)
    assert target.read_text(encoding="utf-8") == "mine"
    with pytest.raises(StoreError, match="can't be written"):
        write_site([board_of(board_row("a"))], target / "below")


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert write_site([board_of(board_row("a"))], tmp_path / "site") == 3
