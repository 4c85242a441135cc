"""Rows of FactBench and of stored runs: how each response counts, and the command that repeats the row."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.factbench import TITLE
from factscope.benchmarks.leaderboard import Leaderboard, RunRecord, responses_board, time_of, with_published
from factscope.core import InputError, UsageError
from factscope.core.records import Verdict
from tests.benchmarks.factbench.test_disjoint import written
from tests.benchmarks.leaderboard.board_values import board_of, board_row, gathered, site_of
from tests.lab.many_cases import each, try_all
from tests.scoring.two_runs import METHOD, Ends, checked

FINE: Ends = [("One.", "supported"), ("Two.", "supported")]
HALF: Ends = [("One.", "supported"), ("Two.", "contradicted")]


def response(name: str, **change: Any) -> dict[str, Any]:
    return {"id": name, "tier": "hard", "model": "a", "state": "checked"} | change


def tier_board(folder: Path, *responses: dict[str, Any], kept: RunRecord | None = None, **change: Any) -> Leaderboard:
    """Return the board of one FactBench result."""
    path = written(folder / "r.json", "verify", responses=[*responses, response("fine", supported=9)], **change)
    (board,), _ = gathered(path, kept=kept)
    return board


def run_of(*answers: tuple[str, str, str | None, Ends], name: str = "ab12", **change: Any) -> RunRecord:
    """Build a stored run over answers: id, model, prompt and the outcomes of their claims."""
    reports = {}
    for key, model, prompt, ends in answers:
        report = checked(key, ends)
        whole = Verdict(unit_id=key, level="response", outcome="undecided", rule="worst")
        asked = report.response.model_copy(update={"model": model or None, "prompt": prompt})
        reports[key] = report.model_copy(update={"response": asked, "verdicts": (*report.verdicts, whole)})
    values: dict[str, Any] = {
        "id": name, "title": "run/answers.jsonl", "date": "2026-11-02T10:00:00", "factscope": "1",
        "method": METHOD, "models": {}, "evidence": None, "reports": reports,
    }  # fmt: skip
    return RunRecord(**values | change)


def standing(board: Leaderboard) -> dict[str, tuple[int, int, int]]:
    return {row.name: (row.rank.rank, row.rank.best, row.rank.worst) for row in board.rows}


def test_a_response_of_factbench_is_shown_by_its_worst_units(tmp_path: Path) -> None:
    units: dict[str, dict[str, Any]] = {
        "good": {"supported": 3},
        "mixed": {"supported": 3, "undecided": 1},
        "bad": {"supported": 3, "undecided": 1, "contradicted": 1},
        "empty": {},
        "lost": {"failed": 2},
        "none": {"state": "no_answer"},
        "withheld": {"state": "withheld"},
        "missing": {"state": "missing"},
        "refusal": {"supported": 1, "refusal": True},
    }
    board = tier_board(tmp_path, *(response(name, **change) for name, change in units.items()))
    (row,) = board.rows
    found = {one.id: (one.verdicts[0].state, one.verdicts[0].word) for one in row.examples}
    assert found == {
        "good": ("supported", "3 of 3 supported"),
        "mixed": ("undecided", "3 of 4 supported"),
        "bad": ("contradicted", "3 of 5 supported"),
        "empty": ("not_checkable", "nothing to verify"),
        "lost": ("failed", "nothing could be judged"),
        "none": ("not_checkable", "no answer"),
        "withheld": ("not_checkable", "withheld"),
        "missing": ("failed", "missing"),
        "refusal": ("supported", "refuses; 1 of 1 supported"),
        "fine": ("supported", "9 of 9 supported"),
    }


def test_factbench_responses_link_to_their_stored_reports(tmp_path: Path) -> None:
    kept = run_of(("fine/a", "a", None, FINE))
    (row,) = tier_board(tmp_path, response("gone", supported=1), kept=kept).rows
    by_id = {one.id: one for one in row.examples}
    report = by_id["fine"].report
    assert report is not None
    assert report().response.id == "fine/a"
    assert by_id["gone"].report is None
    assert row.date == kept.date


@try_all(
    ("change", "words"),
    [
        ({}, ["--model", "a", "--method", "verify", "--judge", "judge=x/verify", "--alpha", "0.5"]),
        ({"answers_from_file": ["a"]}, ["--answers", "FILE"]),
        ({"evidence": "web-brave-0123"}, ["--search", "brave", "--alpha"]),
        ({"evidence": "web-my-engine-0123"}, ["--search", "my-engine"]),
        ({"evidence": "c-0123"}, ["--evidence", "DOCUMENTS"]),
        ({"settings": {"alpha": 0.25}}, ["--alpha", "0.25", "-o", "result.json"]),
        ({"models": {"z": "x/z", "judge": "a b"}}, ["--judge", "judge=a b", "--judge", "z=x/z"]),
    ],
)
def test_the_command_of_a_row_names_its_inputs(tmp_path: Path, change: dict[str, Any], words: list[str]) -> None:
    (row,) = tier_board(tmp_path, **change).rows
    command = shlex.split(row.command)
    assert command[:3] == ["factscope", "bench", "factbench"]
    assert any(command[at : at + len(words)] == words for at in range(len(command))), command


def test_a_model_without_a_judged_unit_is_left_out_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "r.json", "verify", responses=[response("fine", supported=9), response("x", model="b")])
    (board,), notes = gathered(path)
    assert [row.name for row in board.rows] == ["a"]
    assert notes == ("b has no coverage in hard: nothing there could be judged. Left out.",)
    assert board.absent == notes


def test_prompts_and_answers_of_a_private_result_are_not_shown(tmp_path: Path) -> None:
    path = written(tmp_path / "r.json", "verify", responses=[response("secret", supported=9)])
    (board,), _ = gathered(path, totals_only=(str(path),))
    assert board.private == {"hard": 1}
    assert (board.rows[0].examples, board.rows[0].public) == ((), None)
    assert "secret" not in "".join(site_of(board).values())


def test_notes_count_responses_outside_the_mean_and_unjustified_refusals(tmp_path: Path) -> None:
    refusals = [response(f"r{n}", supported=1, refusal=True, category=1, justified=n > 0) for n in range(3)]
    board = tier_board(
        tmp_path, response("e"), response("n", state="no_answer"), response("m", state="missing"), *refusals
    )
    assert "3 responses are in no mean: empty, missing, or with nothing to verify." in board.rows[0].notes
    assert "1 of 3 refusals are not justified." in board.rows[0].notes


def test_published_factbench_rows_match_the_tier() -> None:
    for tier, n in (("Hard", 7), ("hard", 7), ("invented", 0)):
        board = with_published(board_of(board_row("a"), kind="factbench", title=f"FactBench: {tier}"))
        assert len(board.references) == n, tier
    other = board_of(board_row("a"))
    assert with_published(other) is other


def test_models_are_ranked_by_the_mean_over_their_responses() -> None:
    good = [(f"g{n}", "good", f"p{n}", FINE) for n in range(12)]
    bad = [(f"b{n}", "bad", f"p{n}", HALF) for n in range(12)]
    board = responses_board([run_of(*good, *bad)], ())
    assert board.notes == ()
    assert standing(board) == {"good": (1, 1, 1), "bad": (2, 2, 2)}
    assert [round(row.figures[0].value or 0, 3) for row in board.rows] == [1.0, 0.5]
    assert [row.figures[5].value for row in board.rows] == [2, 2]  # words


def test_answers_to_other_prompts_are_not_tested_against_each_other() -> None:
    good = [(f"g{n}", "good", f"p{n}", FINE) for n in range(12)]
    for prompt in ("q{}", None):
        bad = [(f"b{n}", "bad", prompt and prompt.format(n), HALF) for n in range(12)]
        board = responses_board([run_of(*good, *bad)], ())
        assert standing(board) == {"good": (1, 1, 2), "bad": (2, 1, 2)}


def test_pairs_without_a_common_prompt_count_as_tests() -> None:
    for common, worst in ((7, 4), (8, 3)):  # p is 6 · 2 / 2ⁿ: .09, and .047
        pair = [
            (f"{model}{n}", model, f"p{n}", ends) for model, ends in (("a", FINE), ("b", HALF)) for n in range(common)
        ]
        others = [(f"{model}{n}", model, f"{model}{n}", HALF) for model in ("c", "d") for n in range(8)]
        assert standing(responses_board([run_of(*pair, *others)], ()))["a"] == (1, 1, worst)


def test_standings_do_not_depend_on_the_order_of_the_rows() -> None:
    answers = [(f"{model}{n}", model, f"p{n}", FINE if n % k else HALF) for model, k in (("a", 2), ("b", 3), ("c", 5))
               for n in range(20)]  # fmt: skip
    first, second = (responses_board([run_of(*rows)], ()) for rows in (answers, answers[::-1]))
    assert standing(first) == standing(second)
    assert [row.figures[0] for row in first.rows] == [row.figures[0] for row in second.rows]


def test_only_runs_with_the_same_settings_share_a_table() -> None:
    first = run_of(("a", "x", "p", FINE))
    same = run_of(("b", "y", "p", HALF), name="cd34", date="2026-12-01")
    boards, _ = gathered(runs=(first, same))
    assert [[row.name for row in board.rows] for board in boards] == [["x", "y"]]
    assert [row.date for row in boards[0].rows] == [first.date, "2026-12-01"]

    def try_change(name: str, value: object) -> None:
        boards, _ = gathered(runs=(first, same._replace(**{name: value})))
        assert [[row.name for row in board.rows] for board in boards] == [["x"], ["y"]]

    changes = {"method": {**METHOD, "extra": 1}, "models": {"judge": "x"}, "evidence": "c-1", "factscope": "2"}
    each(("name", "value"), list(changes.items()), try_change)


def test_a_model_in_two_runs_has_one_combined_row() -> None:
    runs = (run_of(("a", "x", "p", FINE)), run_of(("b", "x", "q", HALF), name="cd34", date="2026-12-01"))
    (board,), _ = gathered(runs=runs)
    (row,) = board.rows
    assert (row.n, row.figures[0].value, row.date) == (2, 0.75, "2026-12-01")
    assert [value for name, value in row.versions if name == "run"] == ["ab12", "cd34"]
    assert [one.id for one in row.examples] == ["a", "b"]
    (hidden,), _ = gathered(runs=runs, totals_only=("cd34",))
    assert [one.id for one in hidden.rows[0].examples] == ["a"]
    assert hidden.private == {"answers.jsonl": 1}
    assert (row.public and row.public.value, hidden.rows[0].public) == (0.75, None)


def test_private_responses_of_all_runs_are_counted() -> None:
    """Counted even if two models' runs were over files of the same name."""
    runs = (run_of(("a", "x", "p", FINE)), run_of(("b", "y", "p", HALF), ("c", "y", "q", HALF), name="cd34"))
    (board,), _ = gathered(runs=runs, totals_only=("ab12", "cd34"))
    assert board.private == {"answers.jsonl": 3}


def test_responses_without_a_model_are_counted_and_left_out() -> None:
    run = run_of(("a", "x", "p", FINE), ("b", "", "p", FINE), ("c", "", "p", FINE))
    board = responses_board([run], ())
    assert [row.name for row in board.rows] == ["x"]
    assert board.notes == (
        "2 responses name no model: left out. Run again with the column: factscope run … --column model=NAME",
    )
    with pytest.raises(InputError, match="No rows to show"):
        gathered(runs=(run_of(("b", "", "p", FINE)),))


@try_all(
    ("title", "method", "said"),
    [
        ("x", {"name": "facts-grounding"}, "Run ab12 is one of FACTS Grounding."),
        (f"{TITLE} prompts.jsonl", METHOD, "Run ab12 is one of FactBench."),
    ],
)
def test_a_run_of_a_benchmark_needs_its_result_file(title: str, method: Mapping[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        gathered(runs=(run_of(("a", "x", "p", FINE), title=title, method=method),))


@try_all(
    ("run", "words"),
    [
        (run_of(models={"judge": "x/y"}), ["run", "FILE", "--method", "test", "--model", "judge=x/y"]),
        (run_of(evidence="c-1"), ["--method", "test", "--evidence", "DOCUMENTS"]),
        (run_of(method={**METHOD, "name": "test/cited"}), ["--method", "test", "--cited"]),
    ],
)
def test_the_command_repeats_a_run_with_its_method_models_and_evidence(run: RunRecord, words: list[str]) -> None:
    answered = run._replace(reports=run_of(("a", "x", "p", FINE)).reports)
    command = shlex.split(responses_board([answered], ()).rows[0].command)
    assert any(command[at : at + len(words)] == words for at in range(len(command))), command


@try_all(
    ("made", "date"),
    [
        ("2026-11-21T20:00:00Z", "2026-11-21T20:00:00+00:00"),
        ("2026-11-21T20:00:00+05:30", "2026-11-21T14:30:00+00:00"),
        ("2026-11-21T20:00:00.999Z", "2026-11-21T20:00:00+00:00"),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:00:00-14:00", None),
        ("<b>2026</b>", None),
        (20261121.5, None),
        ({}, None),
    ],
)
def test_any_given_date_is_parsed_or_ignored(made: object, date: str | None) -> None:
    assert time_of(made) == date
