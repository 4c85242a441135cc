"""The four papers' tables, recomputed: which cells agree, which don't and why."""

from __future__ import annotations

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.papers import (
    PaperCell,
    evidence_tables,
    factbench_tables,
    facts_tables,
    felm_tables,
    rounded,
    summaries,
)
from factscope.cli import app

ALL = [cell for one in (felm_tables, facts_tables, factbench_tables, evidence_tables) for cell in one.cells()]


def test_all_facts_grounding_tables_are_reproduced() -> None:
    found = {one.table: (one.cells, one.same) for one in summaries(facts_tables.cells())}
    assert found == {
        "Table 2: templates of phase A": (126, 126),
        "Table 4: templates of phase B": (36, 36),
        "Table 5: unadjusted scores": (81, 81),
        "Table 6: final scores": (81, 81),
    }


def test_differences_from_the_felm_tables_are_reported() -> None:
    found = {one.table.partition(":")[0]: one for one in summaries(felm_tables.cells())}
    assert (found["Table 4"].cells, found["Table 4"].same, found["Table 4"].differ) == (648, 548, 1)
    assert (found["Table 10"].same, found["Table 10"].differ) == (171, 12)
    assert found["Table 12"].largest == 0.1
    assert found["Table 2"].largest == 3


def test_factbench_ranks_agree_and_the_refusal_share_differs_with_a_reason() -> None:
    found = {(cell.table, cell.row, cell.column): cell for cell in factbench_tables.cells()}
    ranks = [cell for (table, _, column), cell in found.items() if (table, column) == ("Leaderboard: 21 rows", "rank")]
    assert len(ranks) == 21
    assert all(cell.agrees for cell in ranks)
    refused = found["Refusals", "Gemini1.5-Pro", "% unjustified"]
    assert (refused.recomputed, refused.difference) == (pytest.approx(60.98, abs=0.01), 36)
    assert "25 of 41" in refused.why


def test_every_difference_and_every_gap_has_a_reason() -> None:
    assert len({cell.table for cell in ALL}) >= 15
    assert all(cell.why for cell in ALL)
    assert {cell.paper for cell in ALL} == {"FELM", "FACTS Grounding", "FactBench", "Facts&Evidence"}


def test_a_cell_agrees_if_it_prints_the_same() -> None:
    cell = PaperCell(paper="P", table="T", row="r", column="c", published=61.7, recomputed=61.65, digits=1, why="")
    assert cell.agrees
    assert cell._replace(recomputed=61.5).difference == -0.2
    assert cell._replace(recomputed=None).agrees is None
    assert rounded(0.125, 2) == 0.13


def test_the_command_prints_a_line_for_each_table_and_every_figure() -> None:
    said = CliRunner().invoke(app, ["papers", "facts"], env={"COLUMNS": "160"})
    assert said.exit_code == 0
    assert "Table 6: final scores" in said.stdout
    cells = CliRunner().invoke(app, ["papers", "evidence", "--cells", "-f", "csv"])
    rows = list(csv.DictReader(io.StringIO(cells.stdout)))
    assert {"published", "recomputed", "difference", "why"} <= set(rows[0])
    whole = json.loads(CliRunner().invoke(app, ["papers", "-f", "json"]).stdout)
    assert sum(one["cells"] for one in whole) == len(ALL)


def test_an_unknown_paper_is_an_error() -> None:
    said = CliRunner().invoke(app, ["papers", "simpleqa"])
    assert said.exit_code == 2
    assert "Choose from: felm, facts, factbench, evidence." in said.stderr
