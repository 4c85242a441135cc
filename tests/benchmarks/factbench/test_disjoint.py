"""Prompts selected with one evaluator and reported with another."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.factbench import disjoint, read_results
from factscope.cli import app
from factscope.core import InputError
from tests.lab.csv_lines import csv_lines
from tests.lab.many_cases import try_all

WRONG = {
    "a": {"p1": 9, "p2": 6, "p3": 0, "p4": 0},
    "b": {"p1": 8, "p2": 8, "p3": 1, "p4": 1},
}
"""Contradicted units of ten, by model and prompt, according to the selecting evaluator."""


def written(path: Path, evaluator: str, wrong: dict[str, dict[str, int]] = WRONG, **change: Any) -> Path:
    """Write a result of `bench factbench` with these wrong units."""
    responses = [
        {"id": name, "tier": "hard", "model": model, "state": "checked", "supported": 10 - n, "contradicted": n}
        for model, units in wrong.items()
        for name, n in units.items()
    ]
    values = {
        "benchmark": "factbench",
        "prompts": {"sha256": "ab", "tiers": ["hard"]},
        "method": {"name": evaluator},
        "models": {"judge": f"x/{evaluator}"},
        "refusals_by": "rule",
        "responses": responses,
    }
    path.write_text(json.dumps(values | change), encoding="utf-8")
    return path


@pytest.fixture
def selecting(tmp_path: Path) -> Path:
    return written(tmp_path / "a.json", "verify")


def test_models_are_ranked_on_prompts_chosen_by_another_evaluator(selecting: Path, tmp_path: Path) -> None:
    turned = {"a": {"p1": 2, "p2": 3, "p3": 5, "p4": 5}, "b": {"p1": 1, "p2": 1, "p3": 9, "p4": 9}}
    other = written(tmp_path / "b.json", "safe", turned)
    found = disjoint(read_results([selecting]), read_results([other]), 0.5, resamples=200)
    (tier,) = found.tiers
    assert (tier.n, tier.selected) == (4, 2)
    rows = {row.model: row for row in tier.rows}
    assert rows["a"].selecting.value == pytest.approx(0.25)  # p1 and p2, the hardest for the first evaluator
    assert rows["b"].reporting.value == pytest.approx(0.9)
    assert (rows["b"].selecting_rank, rows["b"].reporting_rank, rows["b"].change) == (2, 1, 1)
    assert rows["a"].change == -1
    assert tier.tau == -1
    assert tier.by_selecting.selected > tier.by_selecting.all
    assert tier.by_reporting.selected < tier.by_reporting.all  # easier ones for the other evaluator


@try_all(
    ("key", "value"),
    [
        ("alpha", 5),
        ("alpha", -0.1),
        ("least_coverage", 7),
        ("resamples", 0),
        ("resamples", 1),
        ("seed", -1),
        ("supported", 10**30),
        ("words", -1),
    ],
)
def test_a_file_whose_numbers_no_benchmark_writes_is_refused(key: str, value: float) -> None:
    entry = {"id": "p1", "tier": "hard", "model": "a", "state": "checked"}
    change = {"responses": [entry | {key: value}]} if key in ("supported", "words") else {"settings": {key: value}}
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "a.json", "verify", **change)
        with pytest.raises(InputError, match=f"not a result of FactBench: .*{key}"):
            read_results([path])


def test_the_share_of_prompts_is_exact(tmp_path: Path) -> None:
    many = {model: {f"p{n}": n % 10 for n in range(100)} for model in "ab"}
    both = [read_results([written(tmp_path / f"{name}.json", name, many)]) for name in ("verify", "safe")]
    shares = {keep: disjoint(both[0], both[1], keep, resamples=2).tiers[0].selected for keep in (0.07, 0.55, 0.555, 1)}
    assert shares == {0.07: 7, 0.55: 55, 0.555: 56, 1: 100}


def test_prompts_are_chosen_with_the_alpha_of_the_selecting_result(tmp_path: Path) -> None:
    """At alpha 0 undecided units aren't errors, so the prompt with one contradicted unit is the harder one."""
    undecided = [
        {"id": name, "tier": "hard", "model": model, "state": "checked", "supported": 10 - a - b, "undecided": a}
        | {"contradicted": b}
        for model in ("a", "b")
        for name, a, b in (("p1", 8, 0), ("p2", 0, 1))
    ]
    reporting = read_results([written(tmp_path / "b.json", "safe", {"a": {"p1": 3, "p2": 5}, "b": {"p1": 2, "p2": 4}})])
    for alpha, precision in ((0.5, 0.7), (0.0, 0.5)):
        path = written(tmp_path / "a.json", "verify", responses=undecided, settings={"alpha": alpha})
        found = disjoint(read_results([path]), reporting, 0.5, resamples=100)
        rows = {row.model: row.reporting.value for row in found.tiers[0].rows}
        assert (found.alpha, rows["a"]) == (alpha, pytest.approx(precision))


def test_a_model_without_a_score_is_not_ranked(selecting: Path, tmp_path: Path) -> None:
    """Too little of the second model was judged on the chosen prompts, so it has no rank."""
    other = written(tmp_path / "b.json", "safe")
    values = json.loads(other.read_text(encoding="utf-8"))
    for one in values["responses"]:
        if one["model"] == "b" and one["id"] in ("p1", "p2"):
            one |= {"supported": 0, "failed": 11}
    other.write_text(json.dumps(values), encoding="utf-8")
    (tier,) = disjoint(read_results([selecting]), read_results([other]), 0.5, resamples=100).tiers
    assert [(row.model, row.reporting.value, row.change) for row in tier.rows] == [("a", 0.25, 0), ("b", None, None)]
    assert tier.tau is None, "one model has no order"
    done = CliRunner().invoke(app, ["bench", "factbench-disjoint", str(selecting), str(other), "--resamples", "100"])
    assert "0 of 1 model changes its rank; Kendall's tau of the two orders is –." in " ".join(done.stdout.split())


def test_the_command_prints_the_change_of_ranks(selecting: Path, tmp_path: Path) -> None:
    turned = {"a": WRONG["b"], "b": WRONG["a"]}
    other = written(tmp_path / "b.json", "safe", turned, models={"judge": "x/verify"})
    done = CliRunner().invoke(app, ["bench", "factbench-disjoint", str(selecting), str(other), "--resamples", "100"])
    assert done.exit_code == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "hard: 2 of 4 prompts selected" in said
    assert "2 of 2 models change their rank; Kendall's tau of the two orders is -1.00." in said
    assert "Not wholly disjoint: x/verify reports" in said
    words = ["bench", "factbench-disjoint", str(selecting), str(other), "--resamples", "100", "-f"]
    (tier,) = json.loads(CliRunner().invoke(app, [*words, "json"]).stdout)["tiers"]
    assert tier["rows"][0]["change"] == 1
    lines = csv_lines(CliRunner().invoke(app, [*words, "csv"]).stdout)
    assert lines["hard", "", "kendall_tau"]["value"] == "-1.000000"
    for row in tier["rows"]:
        for measure, value in (("rank_change", row["change"]), ("reporting_rank", row["reporting_rank"])):
            assert lines["hard", row["model"], measure]["value"] == str(value)
        for evaluator in ("reporting", "selecting"):
            cells = lines["hard", row["model"], evaluator]
            assert cells["value"] == f"{row[evaluator]['value']:.6f}"
            assert cells["low"] == f"{row[evaluator]['interval']['low']:.6f}"
            assert cells["n"] == str(row[evaluator]["n"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompts": {"sha256": "cd", "tiers": ["hard"]}}, "on other prompts"),
        ({"method": {"name": "verify"}, "models": {"judge": "x/verify"}}, "by the same evaluator"),
        ({"responses": []}, "fewer than two models"),
    ],
)
def test_results_that_cannot_be_compared_are_refused(
    selecting: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    other = written(tmp_path / "b.json", "safe", **change)
    with pytest.raises(InputError, match=message):
        disjoint(read_results([selecting]), read_results([other]), 0.5, resamples=100)


def test_two_entries_on_one_answer_are_an_error(selecting: Path) -> None:
    values = json.loads(selecting.read_text(encoding="utf-8"))
    values["responses"].append(values["responses"][0] | {"supported": 0})
    selecting.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError, match="two entries on p1 of a"):
        read_results([selecting])
