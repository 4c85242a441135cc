"""Rows of checkers: disagreement with people, commands that repeat them, and why damaged results are refused."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.leaderboard import BoardExample, Leaderboard, RunRecord
from factscope.core import InputError
from tests.benchmarks.leaderboard.board_values import gathered, site_of
from tests.benchmarks.leaderboard.example_results import written
from tests.lab.many_cases import each

ERROR = {"f1": 0.5, "precision": 0.25, "recall": 0.75}


def checker(method: str = "one", **change: Any) -> dict[str, Any]:
    """Build a checker as in its result, with segments alone."""
    figures = {"n": 50, "n_answered": 40, "coverage": 0.8, "error": ERROR, "kappa": 0.1} | change.pop("figures", {})
    return {"method": method, "levels": {"segment": figures}} | change


def meta(path: Path, *checkers: dict[str, Any], **change: Any) -> Path:
    """Write a result of `meta` with these checkers."""
    values = {"dataset": "felm", "sha256": "ab" * 32, "n_samples": 4, "units": "given", "rule": "unsupported",
              "methods": checkers or [checker()], "resamples": 10, "seed": 0, "factscope": "1"}  # fmt: skip
    return written(path, values | change)


def board_of(path: Path, **change: Any) -> Leaderboard:
    (board,), _ = gathered(path, **change)
    return board


def case(**change: Any) -> dict[str, Any]:
    return {"sample": "a", "unit": "1", "text": "It is old.", "wrong": True} | change


def examples(folder: Path, *cases: dict[str, Any]) -> tuple[BoardExample, ...]:
    shown = {"n": len(cases), "shown": cases}
    return board_of(meta(folder / "m.json", checker(disagreements=shown))).rows[0].examples


def test_a_row_has_every_measure_in_the_order_of_its_columns(tmp_path: Path) -> None:
    intervals = {"f1": [0.4, 0.6]}
    board = board_of(meta(tmp_path / "m.json", checker(figures={"intervals": intervals})))
    (row,) = board.rows
    values = dict(zip([column.name for column in board.columns], row.figures, strict=True))
    assert [figure.value for figure in values.values()] == [0.5, 0.25, 0.75, None, 0.1, None]
    assert [(figure.low, figure.high) for figure in row.figures[:2]] == [(0.4, 0.6), (None, None)]
    assert (row.coverage, row.n) == (0.8, 40)
    assert [column.form for column in board.columns] == ["share"] * 4 + ["number"] * 2


def test_an_example_says_what_people_and_the_checker_say(tmp_path: Path) -> None:
    cases = [
        case(),
        case(outcome="undecided"),
        case(wrong=False),
        case(wrong=False, outcome="no_evidence"),
    ]
    found = [[(one.judge, one.state, one.word) for one in row.verdicts] for row in examples(tmp_path, *cases)]
    wrong, right = ("people", "contradicted", "wrong"), ("people", "supported", "right")
    assert found == [
        [wrong, ("checker", "supported", "wrong, not flagged")],
        [wrong, ("checker", "undecided", "wrong, not flagged")],
        [right, ("checker", "contradicted", "right, but flagged")],
        [right, ("checker", "no_evidence", "right, but flagged")],
    ]


def test_an_example_shows_its_text_then_the_reasons_then_the_evidence(tmp_path: Path) -> None:
    evidence = [{"text": "Built in 1868.", "source": "a.txt"}, {"text": "It stands."}]
    (full, bare) = examples(
        tmp_path, case(reason="Its reason.", comment="A comment.", evidence=evidence), case(unit="2")
    )
    assert full.id == "a segment 1"
    assert full.lines == ("It is old.", "Its reason.", "A comment.", "a.txt: Built in 1868.", "It stands.")
    assert (bare.id, bare.lines) == ("a segment 2", ("It is old.",))


def test_only_the_finest_level_shows_disagreements(tmp_path: Path) -> None:
    one = checker(disagreements={"n": 1_234, "shown": [case()]})
    one["levels"]["response"] = one["levels"]["segment"]
    (finest, other), _ = gathered(meta(tmp_path / "m.json", one))
    assert finest.rows[0].notes == ("1234 segments on which it and people disagree.",)
    assert len(finest.rows[0].examples) == 1
    assert (other.rows[0].notes, other.rows[0].examples) == ((), ())


def test_only_totals_are_shown_for_a_file_with_private_examples(tmp_path: Path) -> None:
    shown = checker(disagreements={"n": 1, "shown": [case(text="public text")]})
    hidden = checker("two", disagreements={"n": 1, "shown": [case(text="secret text")]})
    files = meta(tmp_path / "a.json", shown), meta(tmp_path / "b.json", hidden)
    (board,), _ = gathered(*files, totals_only=(str(files[1]),))
    pages = "\n".join(site_of(board).values())
    assert "public text" in pages
    assert "secret text" not in pages
    assert board.private == {"felm": 4}
    assert "Totals only, without a single example: felm (4)." in pages


def test_a_stored_run_gives_its_row_a_date_and_a_command(tmp_path: Path) -> None:
    kept = RunRecord("0123456789abcdef", "felm", "2026-11-02T10:00:00", "1", {}, {}, None, {})
    models = {"judge": "x/big model", "writer": "x/y"}
    path = meta(tmp_path / "m.json", checker(run=kept.id, models=models), made="2026-12-01T00:00:00Z")
    (row,) = board_of(path, kept=kept).rows
    assert row.date == "2026-11-02T10:00:00"
    assert shlex.split(row.command) == [
        "factscope", "meta", "felm", "--method", "one", "--model", "judge=x/big model", "--model", "writer=x/y",
        "--format", "json",
    ]  # fmt: skip
    assert ("run", kept.id) in row.versions
    (row,) = board_of(path).rows  # there is no store here
    assert row.date == "2026-12-01T00:00:00+00:00"


def test_predictions_from_a_file_are_repeated_with_that_file(tmp_path: Path) -> None:
    (row,) = board_of(meta(tmp_path / "m.json")).rows
    assert shlex.split(row.command)[3:5] == ["--predictions", "FILE"]
    assert ("run", "recorded predictions") in row.versions


def test_a_data_set_outside_the_catalogue_is_in_quotes(tmp_path: Path) -> None:
    assert board_of(meta(tmp_path / "m.json", dataset="answers")).title == "Checkers on the data set “answers”"
    facts = dict(board_of(meta(tmp_path / "m.json", sha256=None)).facts)
    assert (facts["SHA-256"], facts["licence"]) == ("unknown", "unknown")
    assert "dataset=felm:unknown|" in board_of(meta(tmp_path / "m.json", sha256=None)).rows[0].signature


def test_parts_have_a_table_of_at_most_twelve_columns_and_none_for_one_part(tmp_path: Path) -> None:
    def with_parts(n: int) -> dict[str, Any]:
        part = {"n": 1, "n_answered": 1, "coverage": 1.0, "error": ERROR}
        return checker(figures={"by_domain": {f"part {number}": part for number in range(n)}})

    assert len(gathered(meta(tmp_path / "m.json", with_parts(1)))[0]) == 1
    bare = checker("bare")
    (_, parts), _ = gathered(meta(tmp_path / "m.json", with_parts(13), bare))
    assert parts.title == "Checkers on felm, by domain"
    assert [column.name for column in parts.columns] == [f"part {number}" for number in range(12)]
    empty, full = parts.rows
    assert (empty.name, full.name) == ("bare", "one")
    assert {figure.value for figure in empty.figures} == {None}
    assert {figure.value for figure in full.figures} == {0.5}
    assert parts.about.endswith("The first 12 of 13 have a column.")
    assert "have a column" not in gathered(meta(tmp_path / "m.json", with_parts(12)))[0][1].about


@pytest.mark.parametrize("order", [1, -1])
def test_a_checker_that_was_not_measured_at_a_level_costs_the_others_no_table(tmp_path: Path, order: int) -> None:
    coarse = checker("coarse")
    coarse["levels"] = {"response": coarse["levels"]["segment"]}
    files = [meta(tmp_path / "a.json", coarse), meta(tmp_path / "b.json", checker("fine"))]
    found, notes = gathered(*files[::order])
    lacking = ["coarse was not measured by segments: no row on felm.", "fine was not measured by responses: no row on"]
    assert [(board.title, [row.name for row in board.rows]) for board in found] == [
        ("Checkers on felm", ["fine"]),
        ("Checkers on felm, responses", ["coarse"]),
    ]
    for board, note in zip(found, lacking, strict=True):
        assert board.absent[0].startswith(note)
    assert notes == (*found[0].absent, *found[1].absent)


def test_a_checker_without_f1_is_named_below_its_table(tmp_path: Path) -> None:
    lost = checker("lost", figures={"error": {}})
    lost["levels"]["response"] = lost["levels"]["segment"]
    good = checker()
    good["levels"]["response"] = good["levels"]["segment"]
    found, notes = gathered(meta(tmp_path / "m.json", good, lost))
    assert [board.absent for board in found] == [
        ("lost has no F1 on felm: it judged nothing. Left out.",),
        ("lost has no F1 on felm, responses: it judged nothing. Left out.",),
    ]
    assert notes == (*found[0].absent, *found[1].absent)


def test_results_with_different_settings_never_share_a_table(tmp_path: Path) -> None:
    first = meta(tmp_path / "a.json")

    def try_change(name: str, value: object) -> None:
        boards, _ = gathered(first, meta(tmp_path / "b.json", checker("two"), **{name: value}))
        assert [[row.name for row in board.rows] for board in boards] == [["one"], ["two"]]

    changes = {"dataset": "x", "sha256": None, "units": "own", "rule": "contradicted", "resamples": 20, "seed": 1}
    each(("name", "value"), list(changes.items()), try_change)
    (board,), _ = gathered(first, meta(tmp_path / "b.json", checker("two"), factscope="2", licence="MIT"))
    assert [row.name for row in board.rows] == ["one", "two"]


def test_a_damaged_result_is_refused_with_its_field(tmp_path: Path) -> None:
    def try_change(change: dict[str, Any], said: str) -> None:
        with pytest.raises(InputError) as told:
            gathered(meta(tmp_path / "m.json", **change))
        assert f"m.json is not a result of meta: {said}" in str(told.value)

    cases: list[tuple[dict[str, Any], str]] = [
        ({"methods": []}, "methods"),
        ({"methods": [{"method": "one"}]}, "methods"),
        ({"methods": [{"method": "one", "levels": {}}]}, "methods"),
        ({"methods": [checker(figures={"coverage": "much"})]}, "methods"),
        ({"n_samples": None}, "n_samples"),
        ({"resamples": "many"}, "resamples"),
    ]
    each(("change", "said"), cases, try_change)


def test_nan_figures_are_refused(tmp_path: Path) -> None:
    """Python's JSON may hold NaN, which would rank first or last by chance."""
    path = tmp_path / "m.json"
    path.write_text(meta(path).read_text(encoding="utf-8").replace("0.25", "NaN"), encoding="utf-8")
    with pytest.raises(InputError, match=r"m\.json"):
        gathered(path)


def test_having_no_rows_to_show_is_an_error_with_reasons(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No rows to show") as raised:
        gathered(meta(tmp_path / "m.json", checker(figures={"error": {}, "coverage": 0.0})))
    assert "one has no F1 on felm: it judged nothing. Left out." in raised.value.hint
    with pytest.raises(InputError, match="Name results or stored runs"):
        gathered()
