"""Printed and recomputed figures: when they agree, how they differ, and a table's line about its cells."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.papers import (
    PaperCell,
    factbench_tables,
    facts_tables,
    figure,
    paper_cell,
    percent,
    rounded,
    summaries,
    table,
)
from tests.lab.many_cases import try_all


def cell(printed: str | None, recomputed: float | None, digits: int = 1, **change: Any) -> PaperCell:
    place = {"paper": "P", "table": "T", "row": "r", "column": "c", "why": "rounded"} | change
    return paper_cell(**place, printed=printed, recomputed=recomputed, digits=digits)


@try_all(
    ("printed", "recomputed", "digits", "agrees", "difference"),
    [
        ("61.7", 61.65, 1, True, 0.0),
        ("61.6", 61.65, 1, True, 0.1),  # printed from more digits, rounded down
        ("61.7", 61.649, 1, False, -0.1),
        ("61.7", 61.76, 1, False, 0.1),
        ("0", 0.0, 0, True, 0.0),
        ("25", 60.98, 0, False, 36.0),
        ("-0.1", -0.149, 1, True, 0.0),
        ("", 1.0, 1, None, None),
        (None, 1.0, 1, None, None),
        ("1.0", None, 1, None, None),
        (" ", None, 1, None, None),
    ],
)
def test_a_figure_agrees_if_it_rounds_to_the_printed_one(
    printed: str | None, recomputed: float | None, digits: int, agrees: bool | None, difference: float | None
) -> None:
    made = cell(printed, recomputed, digits)
    assert (made.agrees, made.difference) == (agrees, difference)


@given(st.integers(-99_999, 99_999), st.integers(0, 3))
def test_halves_are_rounded_away_from_zero(thousandths: int, digits: int) -> None:
    exact = Decimal(thousandths) / 1000
    assert rounded(thousandths / 1000, digits) == float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def test_float_errors_do_not_affect_rounding_of_halves() -> None:
    assert (rounded(2.675, 2), rounded(1.005, 2), rounded(100 * 0.285, 0), rounded(-2.5, 0)) == (2.68, 1.01, 29, -3)


def test_a_line_counts_every_cell_once_and_names_each_reason_once() -> None:
    cells = [
        cell("1.0", 1.0, why="the same"),
        cell("1.0", 1.2, why="inputs"),
        cell("1.0", 0.5, why="inputs"),
        cell(None, 0.5, why="a dash"),
        cell("3.0", 3.0, table="U"),
        cell("1.0", 1.0, why="late"),
    ]
    first, second = summaries(cells)
    assert (first.table, first.cells, first.same, first.differ, first.missing) == ("T", 5, 2, 2, 1)
    assert (first.largest, first.why) == (0.5, ("inputs", "a dash"))
    assert (second.table, second.same, second.largest, second.why) == ("U", 1, None, ())
    assert summaries([]) == []


def test_tables_with_the_same_name_in_two_papers_are_separate() -> None:
    found = summaries([cell("1.0", 1.0), cell("1.0", 1.0, paper="Q"), cell("1.0", 2.0)])
    assert [(one.paper, one.cells) for one in found] == [("P", 2), ("Q", 1)]


def test_the_counts_of_every_line_add_up() -> None:
    for summary in summaries([*facts_tables.cells(), *factbench_tables.cells()]):
        assert summary.same + summary.differ + summary.missing == summary.cells
        assert (summary.largest is None) == (summary.differ == 0)
        assert bool(summary.why) == (summary.same < summary.cells)


def test_an_empty_figure_is_none_and_a_share_becomes_a_percentage() -> None:
    assert [figure(text) for text in ("", "  ", None, "0", " 1.5 ", "-2")] == [None, None, None, 0.0, 1.5, -2.0]
    assert (percent(None), percent(0.0), percent(0.125)) == (None, 0.0, 12.5)


def test_a_missing_published_table_is_an_error() -> None:
    assert len(table("factbench_leaderboard")) == 21
    with pytest.raises(FileNotFoundError):
        table("no_such_table")


def test_the_shares_of_a_composition_add_up_to_all_prompts() -> None:
    shares: dict[str, float] = {}
    for one in factbench_tables.cells():
        if one.table == "Composition" and one.recomputed is not None:
            version = one.row.partition(",")[0]
            shares[version] = shares.get(version, 0) + one.recomputed
    assert shares
    assert all(total == pytest.approx(100) for total in shares.values())


def test_the_ranks_of_a_tier_begin_with_one_and_follow_the_printed_precision() -> None:
    by_tier: dict[str, list[tuple[float, float]]] = {}
    found = {(one.row, one.column): one for one in factbench_tables.cells() if one.table == "Leaderboard: 21 rows"}
    for (row, column), one in found.items():
        if column == "rank":
            precision = found[row, "factual precision"].published or 0
            by_tier.setdefault(row.partition(",")[0], []).append((one.recomputed or 0, -precision))
    assert len(by_tier) == 3
    for ranks in by_tier.values():
        assert [precision for _, precision in sorted(ranks)] == sorted(precision for _, precision in ranks)
        assert min(ranks)[0] == 1
