"""Tables of FACTS Grounding (Jacovi et al. 2025), recomputed by the package from counts and columns."""

from __future__ import annotations

import csv
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding import (
    ModelRow,
    ScoredVerdicts,
    VerdictArrays,
    contrast,
    fused_rank,
    gaps,
    metrics,
    rogan_gladen,
    rows,
    self_preference,
    wins,
)
from factscope.scoring import Confusion

GOLDEN = Path(__file__).parents[3] / "src" / "factscope" / "benchmarks" / "papers" / "published"
JUDGES = ("Gemini 1.5 Pro", "GPT-4o", "Claude 3.5 Sonnet")
SIZES = {"open": 860, "blind": 859}
TABLES = {"Table 5": "facts_table5_unadjusted", "Table 6": "facts_table6_final"}


def table(name: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def published(name: str) -> dict[str, dict[tuple[str, str], dict[str, Any]]]:
    """Return rows of a table by model, then by split and judge; the average is at (all, average)."""
    by_model: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for row in table(TABLES[name]):
        by_model.setdefault(row["response_model"], {})[row["split"], row["judge"]] = row
    return by_model


def verdicts_of(name: str) -> VerdictArrays:
    """Build verdicts whose share of accurate responses in each cell matches its percentage."""
    found = published(name)
    values = np.zeros((sum(SIZES.values()), len(found), len(JUDGES)))
    start = 0
    for split, n in SIZES.items():
        for m, cells in enumerate(found.values()):
            for j, judge in enumerate(JUDGES):
                right = round(float(cells[split, judge]["score_pct"]) * n / 100)
                values[start : start + right, m, j] = 1
        start += n
    split_of = np.repeat(np.arange(2), list(SIZES.values()))
    return VerdictArrays(tuple(found), JUDGES, tuple(SIZES), split_of, values)


def printed(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int]]:
    """Return a table as printed: columns, averages and ranks."""
    found = published(name)
    scores = [[float(cells[s, j]["score_pct"]) for s in SIZES for j in JUDGES] for cells in found.values()]
    mean = [float(cells["all", "average"]["score_pct"]) for cells in found.values()]
    return np.array(scores), np.array(mean), [int(cells["all", "average"]["fused_rank"]) for cells in found.values()]


def half_width(interval: Any) -> float:
    return round(50 * (interval.high - interval.low), 1)


def board(name: str) -> tuple[ModelRow, ...]:
    made = verdicts_of(name)
    return rows(ScoredVerdicts(made, made.accurate, 2))


@pytest.mark.parametrize("name", TABLES)
def test_all_cells_and_their_intervals_match_the_published_ones(name: str) -> None:
    matched = 0
    for row in board(name):
        for cell in row.cells:
            said = published(name)[row.model][cell.split, cell.judge]
            assert cell.score is not None
            assert (round(100 * cell.score, 1), cell.n) == (float(said["score_pct"]), int(said["n"]))
            assert half_width(cell.wald) == float(said["ci95_halfwidth"])
            matched += 1
    assert matched == 54


@pytest.mark.parametrize("name", TABLES)
def test_all_averages_and_their_intervals_match_the_published_ones(name: str) -> None:
    for row in board(name):
        said = published(name)[row.model]["all", "average"]
        assert row.average.score is not None
        # Cells are printed rounded, and so is their mean: 61.65 becomes 61.7.
        assert 100 * row.average.score == pytest.approx(float(said["score_pct"]), abs=0.06)
        assert row.average.n == 1719
        assert half_width(row.average.wald) == float(said["ci95_halfwidth"])


@pytest.mark.parametrize("name", TABLES)
def test_the_average_is_the_plain_mean_of_six(name: str) -> None:
    found = published(name)
    assert len(found) == 9
    for cells in found.values():
        six = [Decimal(cells[split, judge]["score_pct"]) for split in SIZES for judge in JUDGES]
        mean = (sum(six) / 6).quantize(Decimal("0.1"), ROUND_HALF_UP)
        assert mean == Decimal(cells["all", "average"]["score_pct"])


@pytest.mark.parametrize("name", TABLES)
def test_the_fused_ranks_match_the_published_ones(name: str) -> None:
    scores, mean, ranks = printed(name)
    standings = fused_rank(scores, mean)
    assert [one.rank for one in standings] == ranks == list(range(1, 10))
    by_average = {model for model, one in zip(published(name), standings, strict=True) if one.by == "average"}
    assert by_average == {"Gemini 1.5 Flash", "Gemini 2.0 Flash Experimental", "OpenAI o1-mini", "OpenAI o1-preview"}
    made = verdicts_of(name)
    again = ScoredVerdicts(made, made.accurate).standings
    assert [one.rank for one in again] == ranks


@pytest.mark.parametrize("name", TABLES)
def test_column_wins_of_every_pair_of_models_match_the_derived_table(name: str) -> None:
    scores, _, _ = printed(name)
    models = list(published(name))
    higher = wins(scores)
    checked = [row for row in table("facts_derived_pairwise") if row["table"] == name]
    assert len(checked) == 72
    for row in checked:
        a, b = models.index(row["model_a"]), models.index(row["model_b"])
        said = (int(row["columns_a_wins"]), int(row["columns_b_wins"]))
        assert (higher[a, b], higher[b, a]) == said, row


def test_points_added_over_columns_would_swap_the_first_two() -> None:
    scores, mean, ranks = printed("Table 6")
    points = wins(scores).sum(axis=1)
    first, second = 0, 1
    assert (points[first], points[second]) == (42, 44)
    by_points = fused_rank(scores, points.astype(float))
    assert [one.rank for one in by_points][:2] == [2, 1]
    assert [one.rank for one in fused_rank(scores, mean)][:2] == ranks[:2] == [1, 2]


@pytest.mark.parametrize("name", TABLES)
def test_the_fused_rank_is_the_rank_by_average(name: str) -> None:
    _, mean, ranks = printed(name)
    assert [int(rank) for rank in np.argsort(np.argsort(-mean, kind="stable")) + 1] == ranks


def counts_of(row: dict[str, Any]) -> Confusion:
    return Confusion(*(int(row[f"derived_{name}"]) for name in ("TP", "FP", "FN", "TN")))


@pytest.mark.parametrize(
    ("name", "n", "n_rows"),
    [("facts_table2_template_selection", 406, 21), ("facts_table4_eligibility_selection", 450, 6)],
)
def test_all_rows_of_template_selection_match_the_published_figures(name: str, n: int, n_rows: int) -> None:
    found = table(name)
    assert len(found) == n_rows
    for row in found:
        counts = counts_of(row)
        assert counts.n == n
        made = metrics(counts)
        for column in ("macro_f1", "accuracy", "fpr", "fnr", "f1_pos", "f1_neg"):
            assert f"{100 * made[column]:.2f}" == f"{float(row[column]):.2f}", (row["judge"], row["template"])


@pytest.mark.parametrize("name", ["facts_table2_template_selection", "facts_table4_eligibility_selection"])
def test_the_published_choice_has_the_highest_macro_f1(name: str) -> None:
    for judge in JUDGES:
        mine = [row for row in table(name) if row["judge"] == judge]
        best = max(mine, key=lambda row: metrics(counts_of(row))["macro_f1"] or 0)
        assert best["selected"] == "1"


@pytest.mark.parametrize(
    ("criterion", "winners"),
    [
        ("macro_f1", ("JSON", "JSON", "Implicit span-level")),
        ("accuracy", ("JSON", "Response-level", "SimpleQA template")),
        ("balanced_accuracy", ("JSON w. double-check", "JSON", "Span-level")),
        ("f1_neg", ("JSON", "JSON", "Span-level")),
    ],
)
def test_the_winning_template_depends_on_the_criterion(criterion: str, winners: tuple[str, ...]) -> None:
    for judge, winner in zip(JUDGES, winners, strict=True):
        mine = [row for row in table("facts_table2_template_selection") if row["judge"] == judge]
        best = max(mine, key=lambda row: metrics(counts_of(row))[criterion] or 0)
        assert best["template"] == winner


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("split", ["open", "blind", "both"])
def test_self_preference_matches_the_derived_table(name: str, split: str) -> None:
    scores, _, _ = printed(name)
    by_split = scores.reshape(9, 2, 3)
    cells = by_split.mean(axis=1) if split == "both" else by_split[:, list(SIZES).index(split)]
    models = list(published(name))
    own = [models.index(judge) for judge in JUDGES]
    found = {
        row["definition"]: row
        for row in table("facts_derived_self_preference")
        if (row["table"], row["split"]) == (name, split)
    }
    raw = found["own judge minus mean of other 2 judges, same response model"]
    did = found["difference-in-differences vs the other 8 models"]
    names = ("gemini_1_5_pro", "gpt_4o", "claude_3_5_sonnet")
    for j, column in enumerate(names):
        assert gaps(cells)[own[j], j] == pytest.approx(float(raw[column]), abs=0.0051)
        assert float(contrast(cells, j, [own[j]])) == pytest.approx(float(did[column]), abs=0.0051)


@pytest.mark.parametrize(("name", "raw", "value"), [("Table 5", 2.01, 2.26), ("Table 6", 2.69, 3.03)])
def test_the_mean_self_preference_over_the_judges_matches_the_derived_figure(
    name: str, raw: float, value: float
) -> None:
    made = verdicts_of(name)
    own = [[made.models.index(judge)] for judge in JUDGES]
    found = self_preference(ScoredVerdicts(made, made.accurate, 200), own)
    assert found.raw is not None
    assert found.value is not None
    assert 100 * found.raw == pytest.approx(raw, abs=0.05)
    assert 100 * found.value == pytest.approx(value, abs=0.05)


def test_the_drop_from_disqualification_matches_the_derived_table() -> None:
    before, after = printed("Table 5"), printed("Table 6")
    names = [list(published(name)) for name in TABLES]
    for row in table("facts_derived_disqualification_drop"):
        a, b = names[0].index(row["response_model"]), names[1].index(row["response_model"])
        drops = before[0][a] - after[0][b]
        columns_of = [f"{split}_{judge}" for split in SIZES for judge in ("gemini", "gpt4o", "claude")]
        assert [float(row[column]) for column in columns_of] == pytest.approx(list(drops), abs=1e-9)
        assert float(row["average"]) == pytest.approx(before[1][a] - after[1][b], abs=1e-9)


def test_a_score_is_corrected_for_the_errors_of_its_judge() -> None:
    claude = next(row for row in table("facts_table2_template_selection") if row["selected"] == "1")
    made = rogan_gladen(0.867, 860, counts_of(claude))
    assert made.value == pytest.approx(0.955, abs=5e-4)
    assert made.interval is not None
    assert made.interval.low < 0.955 < made.interval.high
