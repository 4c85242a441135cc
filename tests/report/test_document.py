"""Results as titles, tables and notes, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from factscope.benchmarks import FigureLine, to_csv
from factscope.cli import app
from factscope.core.records import Interval
from factscope.report import (
    Block,
    Paragraph,
    Points,
    Result,
    Table,
    Title,
    blocks_to_markdown,
    document_to_latex,
    print_document,
    section,
    table_of,
)
from tests.benchmarks.facts_grounding.test_panel_study import recorded

HOSTILE = "=1+1 <b>|*x*\x1b[31m"
RESULT: tuple[Block, ...] = (
    Title(f"Tier {HOSTILE}"),
    table_of(
        ("model", "F1", "n"),
        [(HOSTILE, "0.42\n0.38–0.46", "-3"), ("b_c & d", "–", "1,200")],
        meanings={"F1": "harmonic mean"},
    ),
    Paragraph("50 % of them # 1"),
    Points(("first\nbelow it", "second")),
)


def to_html(title: str, blocks: tuple[Block, ...]) -> str:
    return Result(title, dict, lambda: blocks).text("html")


def printed(blocks: tuple[Block, ...], width: int) -> str:
    out = io.StringIO()
    print_document(blocks, Console(file=out, width=width))
    return out.getvalue()


def test_markdown_shows_outside_text_as_it_is() -> None:
    text = blocks_to_markdown(RESULT)
    assert "<b>" not in text
    assert "\x1b" not in text
    assert "|---|--:|--:|" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_markdown_puts_subordinate_text_in_brackets_or_indents_it() -> None:
    text = blocks_to_markdown((*RESULT, Title("Next", 3), Paragraph("Beware", warns=True)), headings=True)
    assert "| 0.42 (0.38–0.46) |" in text
    assert "- first\n    - below it\n- second" in text
    assert "## Tier" in text
    assert "### Next\n\n> Beware" in text


def test_terminal_lists_have_subpoints_indented_below_their_point() -> None:
    assert printed(RESULT, 60).endswith("  · first\n      · below it\n  · second\n")


def test_a_section_without_rows_has_no_title() -> None:
    assert not list(section("Empty", "Nothing.", table_of(("a",), [])))
    assert len(list(section("Full", "One.", table_of(("a",), [("b",)])))) == 3


def test_csv_text_is_never_a_formula_and_every_figure_is_a_number() -> None:
    ends = Interval(low=-0.5, high=0.25, method="bootstrap")
    lines = FigureLine("Tier", HOSTILE, "@gain", -0.42, ends, 1_200), FigureLine("", "b_c & d", "n", -3)
    heads, first, second = csv.reader(io.StringIO(to_csv(lines)))
    assert heads == ["table", "model", "measure", "value", "low", "high", "n"]
    assert first[1].startswith("'=1+1")
    assert [first[0], *first[2:]] == ["Tier", "'@gain", "-0.420000", "-0.500000", "0.250000", "1200"]
    assert second == ["", "b_c & d", "n", "-3", "", "", ""]


def test_column_headings_are_joined_where_only_one_line_is_available() -> None:
    blocks = (table_of(("model", "gpt-4.1-\nmini\nopen", "factual\nprecision"), [("m", "1", "2")]),)
    for write in (blocks_to_markdown, document_to_latex, lambda some: to_html("A", some)):
        text = write(blocks)
        assert "gpt-4.1-mini open" in text
        assert "factual precision" in text


def test_latex_reads_no_name_as_an_argument_of_the_row_before() -> None:
    text = document_to_latex([Table(("name", "n"), (("[1] first", "1"), ("*", "2"), ("plain", "3")))])
    assert r"{}[1] first & 1 \\" in text
    assert r"{}* & 2 \\" in text
    assert "\nplain & 3" in text


def test_latex_has_the_interval_below_and_the_title_and_notes_as_caption() -> None:
    text = document_to_latex(RESULT)
    assert r"b\_c \& d & -- & 1,200 \\" in text
    assert r"{\scriptsize 0.38--0.46}" in text
    assert re.search(r"\\caption\{Tier .*50 \\% of them \\# 1 first below it second\}", text)


def test_the_page_escapes_and_asks_for_nothing() -> None:
    page = to_html(HOSTILE, RESULT)
    assert "<b>" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page
    assert '<th scope="col" class="n"><abbr title="harmonic mean">F1</abbr></th>' in page
    assert '0.42<span class="ends">0.38–0.46</span>' in page
    assert '<li dir="auto">first<span class="ends">below it</span></li>' in page


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_splits_the_table_without_truncating_figures(width: int) -> None:
    figures = [f"0.{n}23456" for n in range(8)]
    table = table_of(("model", *(f"measure number {n}" for n in range(8))), [("provider/some-long-model", *figures)])
    text = printed((table,), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert re.findall(r"0\.\d23456", text) == figures
    assert text.count("some-long-model") > 1


def test_a_table_of_names_alone_is_folded() -> None:
    table = Table(("a", "b"), (("word " * 20, "qwen3"),), "ll")
    assert "qwen3" in printed((table,), 60)


@pytest.mark.parametrize("ending", ["json", "md", "csv", "tex", "html", "txt"])
def test_a_benchmark_writes_its_table_in_each_format(ending: str, tmp_path: Path) -> None:
    source, out = recorded(tmp_path / "a.json", good=15, bad=12), tmp_path / f"table.{ending}"
    done = CliRunner().invoke(app, ["bench", "facts-table", str(source), "--resamples", "20", "-o", str(out)])
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    assert "good" in text
    assert ("average" in done.stdout) == (ending != "txt")  # other formats print the table as well
    if ending == "json":
        assert json.loads(text)["benchmark"] == "facts-grounding"
